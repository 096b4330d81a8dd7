import Glibc
import Platform
import Testing

@testable import MQTTBridge

/// Some brokers of MQTT 5 have none (AWS has, others do not), and end a connection that names one. What several filters bring is told
/// apart by its time, as with 3.1.1.
@Suite struct ABrokerWithoutSubscriptionIdentifiersIsAskedForNone {
    @Test func andItsCopiesAreTakenOnce() throws {
        let subscribed = Monitor<[[UInt8]]>([])
        let broker = try FakeBroker { connection in
            guard FakeBroker.isTalk(connection) else { return }
            // CONNACK with Subscription Identifier Available 0.
            _ = writeAll([0x20, 5, 0, 0, 2, 0x29, 0] as [UInt8], to: connection)
            var filters = 0
            while filters < 2 {
                let packet = FakeBroker.readPacket(connection)
                guard packet.count > 4 else { return }
                var rest = packet[...]
                // Several may have come in one piece.
                while rest.count > 4, rest.first == 0x82 {
                    let one = rest.prefix(Int(rest[rest.startIndex + 1]) + 2)
                    subscribed.notify { $0.append(Array(one)) }
                    let id = one.dropFirst(2).prefix(2)
                    _ = writeAll([0x90, 4] + id + [0, 1], to: connection)
                    filters += 1
                    rest = rest.dropFirst(one.count)
                }
            }
            // "club/talk", QoS 0, no properties, "x": once for each filter that names the topic.
            let text = [0x30, 13, 0, 9] + Array("club/talk".utf8) + [0] + Array("x".utf8)
            _ = writeAll(text + text, to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let gateway = try TalkingGateway()
        try gateway.configure(broker.port)
        try gateway.add("club", ["club/#", "club/talk"], topic: nil)
        try gateway.wait(for: ["x"])
        usleep(300_000)
        #expect(gateway.texts() == ["x"])
        // Behind the packet's id: no property.
        for packet in subscribed.withLock({ $0 }) { #expect(packet[4] == 0, "\(packet)") }
        #expect(gateway.state().state == .connected)
        gateway.stop()
    }
}
