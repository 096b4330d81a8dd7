import Platform
import Testing

@testable import MQTTBridge

/// One of 256 kB comes; a longer one ends the connection.
@Test func aMessageIsNotLongerThanUseful() throws {
    let sizes = Monitor([256 << 10, 256 << 10 + 1])
    let broker = try FakeBroker { connection in
        _ = FakeBroker.readPacket(connection)
        for size in sizes.withLock({ $0 }) {
            let length = size + 3
            let header = [UInt8(length & 0x7F | 0x80), UInt8(length >> 7 & 0x7F | 0x80), UInt8(length >> 14)]
            _ = writeAll(
                (size == 256 << 10 ? [0x20, 2, 0, 0] : []) + [0x30] + header + [0, 1, 0x61]
                    + [UInt8](repeating: 0x78, count: size), to: connection)
        }
        while !FakeBroker.readPacket(connection).isEmpty {}
    }
    let direct = try DirectConnection(to: broker.port, .mqtt311)
    #expect(try direct.message().payload.count == 256 << 10)
    #expect(try direct.waitForEnd().text == "it sends a packet of more than 256 kB")
}
