import Foundation
import Platform
import Testing

@testable import ServedProgram

/// A broker of MQTT 3.1.1 sends messages at QoS 2 as fast as they are taken, and releases none: libmosquitto keeps each of them. It
/// fills the process of its connection up to its limit and is tried again; the gateway itself does not grow. A sanitizer needs
/// memory of its own, so that there is no limit under one.
@Test(.enabled(if: dlsym(nil, "__tsan_init") == nil && dlsym(nil, "__asan_init") == nil))
func aHostileBrokerFillsNoMemory() throws {
    let flood = Monitor((connections: 0, bytes: 0))
    let broker = try ScriptedBroker { connection in
        // The protocol level of the CONNECT, behind "MQTT"; 0x84: that version is not known here.
        guard connection.hello.count > 8, connection.hello[8] == 4 else {
            _ = connection.send([0x20, 3, 0, 0x84, 0])
            return
        }
        guard connection.send([0x20, 2, 0, 0]) else { return }
        flood.notify { $0.connections += 1 }
        for round in 1...Int.max {
            let number = round % 65_535 + 1
            // 16,384 bytes: topic "a", the number, the payload.
            let message =
                [0x34, 0x80, 0x80, 0x01, 0, 1, 0x61, UInt8(number >> 8), UInt8(number & 0xFF)]
                + [UInt8](repeating: 0x78, count: 16_384 - 5)
            guard connection.send(message) else { return }
            flood.notify { $0.bytes += message.count }
        }
    }
    let served = try ServedBroker("", at: Int(broker.port))
    try served.gateway.eventually("the first flood") { flood.withLock { $0.connections } > 0 }
    let before = served.gateway.program.residentBytes
    var (mostOfDaemon, mostOfConnection) = (0, 0)
    try served.gateway.eventually("a third connection, or 64 MB") {
        mostOfDaemon = max(mostOfDaemon, served.gateway.program.residentBytes)
        mostOfConnection = max(mostOfConnection, served.connections.map(Program.privateBytes(of:)).max() ?? 0)
        return flood.withLock { $0.connections > 2 || $0.bytes > 64 << 20 }
    }
    #expect(mostOfConnection > 0 && mostOfConnection < 14 << 20)
    #expect(mostOfDaemon < before + 4 << 20)
    #expect(try served.gateway.client.get("/api/health").status == 200)
    try served.gateway.program.stop()
}
