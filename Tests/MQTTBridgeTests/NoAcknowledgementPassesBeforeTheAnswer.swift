import Glibc
import Platform
import Testing

@testable import MQTTBridge

/// The broker is told that we have a message when the daemon has handled it, and not before.
@Suite struct NoAcknowledgementPassesBeforeTheAnswer {
    /// A broker that accepts one client, sends it messages of QoS 1, and counts PUBACKs.
    private final class Counting: Sendable {
        let acknowledged = Monitor(0)
        let hasEnded = Monitor(false)
        let broker: FakeBroker

        init(_ version: ProtocolChoice.Version, count: Int) throws {
            let (acknowledged, hasEnded) = (acknowledged, hasEnded)
            broker = try FakeBroker { connection in
                _ = FakeBroker.readPacket(connection)
                _ = writeAll(version == .mqtt5 ? FakeBroker.welcome : [0x20, 2, 0, 0], to: connection)
                var messages: [UInt8] = []
                for number in 1...count {
                    let rest: [UInt8] = [0, 1, 0x61, UInt8(number >> 8), UInt8(number & 0xFF)]
                    let payload: [UInt8] = version == .mqtt5 ? [0, 0x78] : [0x78]
                    messages += [0x32, UInt8(rest.count + payload.count)] + rest + payload
                }
                _ = writeAll(messages, to: connection)
                // PUBACK: 0x40 0x02 and the number; with MQTT 5 a code may follow, which success leaves out.
                while true {
                    let bytes = FakeBroker.readPacket(connection)
                    if bytes.isEmpty { break }
                    var rest = bytes[...]
                    while rest.count >= 2 {
                        if rest.first == 0x40 { acknowledged.notify { $0 += 1 } }
                        rest = rest.dropFirst(2 + Int(rest[rest.startIndex + 1]))
                    }
                }
                hasEnded.notify { $0 = true }
            }
        }
    }

    @Test(arguments: [ProtocolChoice.Version.mqtt5, .mqtt311])
    func withManyAtOnce(version: ProtocolChoice.Version) throws {
        let counting = try Counting(version, count: 20)
        let direct = try DirectConnection(to: counting.broker.port, version)
        // The CONNACK and messages may be one batch.
        direct.answers = false
        var answered = 0
        while answered < 20 {
            try direct.waitForBatch()
            let received = direct.events.count { if case .received = $0 { true } else { false } }
            // Time for what should not happen.
            if received == 20 { sleep(1) }
            let known = counting.acknowledged.withLock { $0 }
            #expect(known <= answered)
            answered = received
            direct.connection.answer()
        }
        direct.answers = true
        // The answer has yet to be written.
        direct.connection.write()
        let isComplete = counting.acknowledged.wait(seconds: 120) { $0 == 20 ? true : nil }
        #expect(isComplete == true)
        withExtendedLifetime(direct) {}
    }

    /// Whoever was killed before the answer has had nothing.
    @Test(arguments: [ProtocolChoice.Version.mqtt5, .mqtt311])
    func whereTheDaemonGoesFirst(version: ProtocolChoice.Version) throws {
        let counting = try Counting(version, count: 1)
        do {
            let direct = try DirectConnection(to: counting.broker.port, version)
            // The CONNACK and the message may be one batch.
            direct.answers = false
            try direct.waitForBatch()
            while !direct.events.contains(where: { if case .received = $0 { true } else { false } }) {
                direct.connection.answer()
                try direct.waitForBatch()
            }
        }
        let hasEnded = counting.hasEnded.wait(seconds: 120) { $0 ? true : nil }
        #expect(hasEnded == true)
        #expect(counting.acknowledged.withLock { $0 } == 0)
    }
}
