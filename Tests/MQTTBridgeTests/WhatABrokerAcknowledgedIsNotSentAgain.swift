import Glibc
import Platform
import Testing

@testable import MQTTBridge

/// A broker that stops in good order acknowledges and says goodbye in one breath.
@Suite struct WhatABrokerAcknowledgedIsNotSentAgain {
    @Test func alsoWhereItSaysGoodbyeBehindIt() throws {
        let published = Monitor<[[UInt8]]>([])
        let broker = try Self.broker { packet in published.notify { $0.append(packet) } }
        let gateway = try TalkingGateway()
        try gateway.configure(broker.port)
        try gateway.add()
        try gateway.bridged.eventually("connected") { gateway.state().state == .connected }
        let first = try gateway.send("first")
        try gateway.bridged.eventually("relayed: \(gateway.delivery(of: first) as Any)") {
            gateway.delivery(of: first)?.state == .relayed
        }
        let second = try gateway.send("second")
        try gateway.bridged.eventually("relayed") { gateway.delivery(of: second)?.state == .relayed }
        #expect(published.withLock { $0.count } == 2)
        gateway.stop()
    }

    /// It is known as soon as the connection has ended: the broker may not be back for days.
    @Test func alsoWhereTheBrokerStaysAway() throws {
        let isAway = Monitor(false)
        let broker = try Self.broker(isAway: { isAway.withLock { $0 } }) { _ in isAway.notify { $0 = true } }
        let gateway = try TalkingGateway()
        try gateway.configure(broker.port)
        try gateway.add()
        try gateway.bridged.eventually("connected") { gateway.state().state == .connected }
        let sent = try gateway.send("last")
        try gateway.bridged.eventually("relayed: \(gateway.delivery(of: sent) as Any)") {
            gateway.delivery(of: sent)?.state == .relayed
        }
        #expect(gateway.state().state == .connecting)
        gateway.stop()
    }

    /// Takes one text in each connection, and goes.
    ///
    /// - Parameters:
    ///   - isAway: it takes nobody.
    ///   - published: is given each text as it came.
    private static func broker(
        isAway: @escaping @Sendable () -> Bool = { false }, _ published: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> FakeBroker {
        try FakeBroker { connection in
            guard FakeBroker.isTalk(connection), !isAway() else { return }
            _ = writeAll(FakeBroker.welcome, to: connection)
            while true {
                let packet = FakeBroker.readPacket(connection)
                guard packet.count > 3 else { return }
                var rest = packet[...]
                while rest.count > 3 {
                    let one = rest.prefix(Int(rest[rest.startIndex + 1]) + 2)
                    rest = rest.dropFirst(one.count)
                    let body = one.dropFirst(2)
                    switch one.first! >> 4 {
                    case 8: _ = writeAll([0x90, 4] + body.prefix(2) + [0, 1], to: connection)
                    case 3:
                        published(Array(one))
                        // Behind the topic, which is "club/talk".
                        let id = body.dropFirst(2 + 9).prefix(2)
                        // PUBACK, and DISCONNECT: the server is shutting down.
                        _ = writeAll([0x40, 2] + id + [0xE0, 1, 0x8B], to: connection)
                    default: break
                    }
                }
            }
        }
    }
}
