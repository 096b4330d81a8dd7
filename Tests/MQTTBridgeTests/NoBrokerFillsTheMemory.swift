import Glibc
import Platform
import Synchronization
import Testing

@testable import MQTTBridge

/// Whatever libmosquitto keeps of what a broker sends is kept in the process of its connection, which has a limit. A sanitizer
/// needs memory of its own, so that there is none under one.
@Suite(.enabled(if: dlsym(nil, "__tsan_init") == nil && dlsym(nil, "__asan_init") == nil))
struct NoBrokerFillsTheMemory {
    /// A broker of MQTT 3.1.1 that sends the same bytes again and again, until nobody takes them.
    private final class Flooding: Sendable {
        let sent = Monitor(0)
        let broker: FakeBroker

        init(_ piece: @escaping @Sendable (Int) -> [UInt8]) throws {
            let sent = sent
            broker = try FakeBroker { connection in
                _ = FakeBroker.readPacket(connection)
                _ = writeAll([0x20, 2, 0, 0] as [UInt8], to: connection)
                for round in 0..<Int.max {
                    let bytes = piece(round)
                    guard writeAll(bytes, to: connection) == 0 else { break }
                    sent.notify { $0 += bytes.count }
                }
            }
        }
    }

    /// QoS 2 without a PUBREL: each one is kept.
    @Test func byMessagesThatAreNeverReleased() throws {
        let flooding = try Flooding { round in
            let number = round % 65_535 + 1
            // 16,384 bytes: topic "a", the number, the payload.
            return [0x34, 0x80, 0x80, 0x01, 0, 1, 0x61, UInt8(number >> 8), UInt8(number & 0xFF)]
                + [UInt8](repeating: 0x78, count: 16_384 - 5) + [0x30, 4, 0, 1, 0x62, 0x79]
        }
        let direct = try DirectConnection(to: flooding.broker.port, .mqtt311) { $0.memory = 4 << 20 }
        let failure = try direct.waitForEnd()
        #expect(!failure.isAbort, "\(failure)")
        #expect(flooding.broker.waitForConnections(1))
        // What the kernel holds for both sides is no more than some MB.
        #expect(flooding.sent.withLock { $0 } < 24 << 20)
    }

    /// Each brings a PUBACK, which nobody takes: while something waits for the broker, nothing more is read from it.
    @Test func byNeverReading() throws {
        let flooding = try Flooding { round in
            (0..<256).flatMap { place -> [UInt8] in
                let number = (round * 256 + place) % 65_535 + 1
                return [0x32, 6, 0, 1, 0x61, UInt8(number >> 8), UInt8(number & 0xFF), 0x78]
            }
        }
        let direct = try DirectConnection(to: flooding.broker.port, .mqtt311) { $0.memory = 4 << 20 }
        try direct.waitUntilLive()
        // PUBACKs alone would fill what the kernel keeps in minutes.
        for number in 0..<12 {
            _ = direct.connection.publish(OutgoingMessage("\(number)", [UInt8](repeating: 0x78, count: 100_000)))
        }
        #expect(direct.connection.isFull)
        let failure = try direct.waitForEnd()
        #expect(failure.text == "it has taken nothing for 30 s")
        #expect(flooding.sent.withLock { $0 } < 24 << 20)
    }

    /// The announced length is not there.
    @Test func byAPacketThatIsAnnounced() throws {
        let broker = try FakeBroker { connection in
            _ = FakeBroker.readPacket(connection)
            _ = writeAll([0x20, 2, 0, 0] + [0x30, 0x80, 0x84, 0xAF, 0x5F, 0, 1, 0x61] as [UInt8], to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let direct = try DirectConnection(to: broker.port, .mqtt311)
        #expect(try direct.waitForEnd().text == "it sends a packet of more than 256 kB")
    }
}
