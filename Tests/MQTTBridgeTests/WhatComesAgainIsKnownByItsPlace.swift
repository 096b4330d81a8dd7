import Platform
import Testing

@testable import MQTTBridge

/// A raw text is stored, and the connection ends before it is acknowledged.
@Suite struct WhatComesAgainIsKnownByItsPlace {
    @Test func asABrokerOfMQTT311SendsItAgain() throws {
        let before: [UInt8] = [0, 9] + Array("club/talk".utf8) + [0, 7] + Array("before".utf8)
        let connections = Monitor(0)
        let broker = try FakeBroker { connection in
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
            // A repeat has DUP. The packet after it, in the same segment, is one that no broker sends: it ends the connection.
            let end: [UInt8] = count == 3 ? [] : [0x10, 0]
            let first: [UInt8] = [count == 1 ? 0x32 : 0x3A, UInt8(before.count)] + before
            let last: [UInt8] = [0x32, 18, 0, 9] + Array("club/talk".utf8) + [0, 8] + Array("after".utf8)
            _ = writeAll(first + end + (count == 3 ? last : []), to: connection)
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
}
