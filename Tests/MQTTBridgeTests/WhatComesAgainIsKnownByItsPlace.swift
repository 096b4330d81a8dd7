import Platform
import Testing

@testable import MQTTBridge

/// A raw text is stored, and the connection ends before its acknowledgement leaves, or before the broker has read it.
@Suite struct WhatComesAgainIsKnownByItsPlace {
    @Test func asABrokerOfMQTT311SendsItAgain() throws {
        let connections = Monitor(0)
        let broker = try Self.broker(connections) { connection, count in
            // The packet after the first, in the same segment, is one that no broker sends: it ends the connection.
            let end: [UInt8] = count == 3 ? Self.message("after", 8) : [0x10, 0]
            _ = writeAll(Self.message("before", 7, isRepeated: count > 1) + end, to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let gateway = try TalkingGateway()
        try gateway.configure(broker.port)
        try gateway.add()
        try gateway.bridged.eventually("the text after it, but there are \(gateway.texts())") {
            gateway.texts().last == "after"
        }
        #expect(gateway.texts() == ["before", "after"])
        #expect(connections.withLock { $0 } == 3)
        gateway.stop()
    }

    /// A broker that stops does not read the last of what we answer. What it has read does not come again.
    @Test func andByItsPacketIDWhenOurAnswerHasLeft() throws {
        let connections = Monitor(0)
        let broker = try Self.broker(connections) { connection, count in
            if count == 1 {
                for id in UInt8(7)...9 {
                    _ = writeAll(Self.message("yes", id), to: connection)
                    // Its PUBACK. Of the last two the broker has forgotten that.
                    guard FakeBroker.readPacket(connection) == [0x40, 2, 0, id] else { return }
                }
            } else {
                let repeated = Self.message("yes", 8, isRepeated: true) + Self.message("yes", 9, isRepeated: true)
                // Somebody says it again.
                _ = writeAll(repeated + Self.message("yes", 10) + Self.message("end", 11), to: connection)
                while !FakeBroker.readPacket(connection).isEmpty {}
            }
        }
        let gateway = try TalkingGateway()
        try gateway.configure(broker.port)
        try gateway.add()
        try gateway.bridged.eventually("the last text, but there are \(gateway.texts())") {
            gateway.texts().last == "end"
        }
        #expect(gateway.texts() == ["yes", "yes", "yes", "yes", "end"])
        #expect(connections.withLock { $0 } == 2)
        gateway.stop()
    }

    private static func message(_ text: String, _ id: UInt8, isRepeated: Bool = false) -> [UInt8] {
        let topic = Array("club/talk".utf8)
        let body = [0, UInt8(topic.count)] + topic + [0, id] + Array(text.utf8)
        // QoS 1; a repeat has DUP.
        return [isRepeated ? 0x3A : 0x32, UInt8(body.count)] + body
    }

    /// A broker of 3.1.1 that keeps the session, and after the SUBACK says what the closure says, which has the number of
    /// the connection.
    private static func broker(_ connections: Monitor<Int>, says: @Sendable @escaping (Int32, Int) -> Void) throws
        -> FakeBroker
    {
        try FakeBroker { connection in
            let connect = FakeBroker.readPacket(connection)
            guard connect.firstRange(of: Array("-talk".utf8)) != nil, connect[8] == 4 else {
                // No MQTT 5; and the other connection of the file is not authorized.
                let refusal: [UInt8] = connect.count > 8 && connect[8] == 5 ? [0x20, 3, 0, 0x84, 0] : [0x20, 2, 0, 5]
                return _ = writeAll(refusal, to: connection)
            }
            let count = connections.notify { count in
                count += 1
                return count
            }
            // The first one is a new session.
            _ = writeAll([0x20, 2, count == 1 ? 0 : 1, 0] as [UInt8], to: connection)
            let subscribe = FakeBroker.readPacket(connection)
            guard subscribe.count > 4 else { return }
            _ = writeAll([0x90, 3, subscribe[2], subscribe[3], 1] as [UInt8], to: connection)
            says(connection, count)
        }
    }
}
