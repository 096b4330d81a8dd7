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
