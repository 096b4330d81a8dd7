import Foundation
import Glibc
import Platform
import Testing

@testable import MQTTBridge

/// The process of a broker's connection may end for any reason: the broker is connected to again, and nothing is left of it.
@Suite struct WhateverEndsItsProcessEndsAConnection {
    /// More kills with MESH_GATEWAY_TEST_FULL; not many, since the pause before the next attempt grows to a minute.
    private static let isFull = ProcessInfo.processInfo.environment["MESH_GATEWAY_TEST_FULL"] != nil

    private func one(_ test: BridgedGateway, _ name: String) throws -> pid_t {
        try test.eventually("a process of \(name)") { connectionProcesses(of: name).count == 1 }
        return connectionProcesses(of: name)[0]
    }

    /// What was not acknowledged comes again, and in the end the broker has what the rows say.
    @Test func killedWhileValuesFlow() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 0)
        try test.configure(mosquitto.port, named: "killed")
        let kills = Self.isFull ? 8 : 4
        for kill in 1...kills {
            try test.eventually("live") { test.brokers.reports.first?.report.connections ?? 0 >= kill }
            let process = try one(test, "killed")
            try test.hear(0x101, temperature: Double(kill))
            usleep(.random(in: 0..<50_000))
            #expect(Glibc.kill(process, SIGKILL) == 0)
            try test.eventually("it is noticed") { test.brokers.reports.first?.report.failures ?? 0 >= kill }
        }
        try test.hear(0x101, temperature: 1234.5)
        let seen = try Retained(at: mosquitto.port) { kept in kept.values.contains { $0.contains("1234.5") } }
        #expect(seen.messages.values.contains { $0.contains("1234.5") })
        #expect(seen.shown.contains("00000101"))
        let said = test.log.withLock { $0.filter { $0.contains("was ended by signal 9") } }
        #expect(!said.isEmpty && connectionProcesses(of: "killed").count <= 1)
    }

    @Test func segmentationFault() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.configure(mosquitto.port, named: "faulty", "keep-alive = 60")
        let process = try one(test, "faulty")
        try test.eventually("live") { test.brokers.reports.first?.report.state == .live }
        #expect(kill(process, SIGSEGV) == 0)
        try test.eventually("live again") { test.brokers.reports.first?.report.connections == 2 }
    }

    /// glibc aborts also for a broken heap: the broker is not used again before a reload.
    @Test func abort() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.configure(mosquitto.port, named: "aborted", "keep-alive = 60")
        for round in 1...(Self.isFull ? 100 : 3) {
            try test.eventually("live") { test.brokers.reports.first?.report.state == .live }
            #expect(kill(try one(test, "aborted"), SIGABRT) == 0)
            try test.eventually("refused") { test.brokers.reports.first?.report.state == .refused }
            #expect(connectionProcesses(of: "aborted").isEmpty, "\(round)")
            test.brokers.reload()
        }
    }

    /// As `systemctl stop` and Ctrl-C send it to all: the goodbye has yet to go out.
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func butNoSignalForAll(number: Int32) throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        try test.configure(mosquitto.port, named: "asked\(number)")
        _ = try Retained(at: mosquitto.port) { $0.contains { $0.key.hasSuffix("/status") && $0.value == "online" } }
        #expect(kill(try one(test, "asked\(number)"), number) == 0)
        let watcher = try RunningLoop(
            .local(mosquitto.port) { $0.clientID = "watcher" },
            user: RecordedUser(subscribingTo: ["mesh-gateway/+/status"]))
        defer { watcher.stop() }
        watcher.user.wait("online") { $0.received.contains { $0.payload == "online" } }
        test.stop()
        watcher.user.wait("offline") { $0.received.contains { $0.payload == "offline" } }
        #expect(connectionProcesses(of: "asked\(number)").isEmpty)
        #expect(test.brokers.reports.isEmpty && test.log.withLock { !$0.contains { $0.hasPrefix("lost") } })
    }

    /// The broker is told, and not only disconnected from.
    @Test func theGoodbyeIsSaid() throws {
        let packets = Monitor<[[UInt8]]>([])
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll(FakeBroker.welcome, to: connection)
            while true {
                let packet = FakeBroker.readPacket(connection)
                if packet.isEmpty { break }
                packets.notify { $0.append(packet) }
            }
        }
        let loop = try RunningLoop(.local(broker.port))
        loop.user.wait("live") { $0.connections == 1 }
        loop.stop()
        #expect(packets.wait(seconds: 60) { $0.contains { $0.first == 0xE0 } ? true : nil } == true)
    }
}
