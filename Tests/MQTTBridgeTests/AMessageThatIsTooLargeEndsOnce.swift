import Platform
import Testing

@testable import MQTTBridge

/// MQTT 3.1.1 has no way to say how much we take: a message that is too large ends the connection, and the session
/// brings it again.
@Suite(.serialized) struct AMessageThatIsTooLargeEndsOnce {
    private static let large = OutgoingMessage("club/talk", text: String(repeating: "x", count: 300_000))

    @Test func afterThreeEndsTheSessionIsEnded() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gate = try VersionGate(to: mosquitto.port)
        defer { withExtendedLifetime(gate) {} }
        let gateway = try TalkingGateway()
        try gateway.configure(gate.port)
        try gateway.add()
        try gateway.waitUntilConnected()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.publish(OutgoingMessage("club/talk", text: "before"))
        try gateway.wait(for: ["before"])
        try other.publish(Self.large)
        let loss =
            "a message of more than 256 kB came again and again: the session was ended, and what waited at the broker is lost"
        try gateway.bridged.eventually("it is said") {
            gateway.state() == .init(.connected, since: gateway.state().since, reason: loss)
        }
        #expect(gateway.bridged.log.withLock { log in log.count { $0.contains(loss) } } == 1)
        try gateway.waitUntilConnected()
        try other.publish(OutgoingMessage("club/talk", text: "later"))
        try gateway.wait(for: ["before", "later"])
        gateway.stop()
        try other.close()
    }

    /// What came before it was stored, and could not be acknowledged: it comes again, and is known by its place.
    @Test func whatCameBeforeItIsThereOnce() throws {
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
            // Again with DUP, and the head of a message of 20 MB in the same segment.
            let head: [UInt8] = count == 3 ? [] : [0x32, 0x80, 0xDA, 0xC4, 0x09]
            let first: [UInt8] = [count == 1 ? 0x32 : 0x3A, UInt8(before.count)] + before
            let last: [UInt8] = [0x32, 18, 0, 9] + Array("club/talk".utf8) + [0, 8] + Array("after".utf8)
            _ = writeAll(first + head + (count == 3 ? last : []), to: connection)
            while !FakeBroker.readPacket(connection).isEmpty {}
        }
        let gateway = try TalkingGateway()
        try gateway.configure(broker.port)
        try gateway.add()
        try gateway.bridged.eventually("what came behind it, and not \(gateway.texts())") {
            gateway.texts().last == "after"
        }
        #expect(gateway.texts() == ["before", "after"])
        #expect(connections.withLock { $0 } == 3)
        gateway.stop()
    }

    @Test func withMQTT5ItDoesNotComeAtAll() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let gateway = try TalkingGateway()
        try gateway.configure(mosquitto.port)
        try gateway.add()
        try gateway.waitUntilConnected()
        let other = try DirectConnection(to: mosquitto.port, clientID: "other")
        try other.waitUntilLive()
        try other.publish(OutgoingMessage("club/talk", text: "before"))
        try other.publish(Self.large)
        // As large as fits.
        try other.publish(OutgoingMessage("club/talk", text: String(repeating: "y", count: 250_000)))
        try other.publish(OutgoingMessage("club/talk", text: "after"))
        try gateway.wait(for: ["before", String(repeating: "y", count: 16_384) + "…", "after"])
        #expect(gateway.state().reason == nil)
        gateway.stop()
        try other.close()
    }
}
