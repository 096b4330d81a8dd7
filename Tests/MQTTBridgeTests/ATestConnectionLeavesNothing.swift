import Foundation
import Glibc
import Testing

@testable import MQTTBridge

/// `mqtt test`: what a broker allows, and what would be published, beside the connection that is in use.
@Suite struct ATestConnectionLeavesNothing {
    @Test func whereAllIsAllowed() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        try test.configure(mosquitto.port)
        // Three configurations, three groups of the node, two states, the status and the generation.
        let before = try Retained(at: mosquitto.port) { $0.count == 10 }
        let report = try #require(test.brokers.test("house", version: "1.0"))
        #expect(report.isConnected && report.reason == nil && report.protocolVersion == "5")
        #expect(report.mayRead == true && report.mayPublish == true)
        #expect(report.devices.map(\.object) == ["gateway", test.radio.object, "00000101"])
        #expect(report.bytes > 1_000)
        let after = try Retained(at: mosquitto.port) { $0.count >= before.messages.count }
        #expect(after.messages.keys.sorted() == before.messages.keys.sorted())
        #expect(after.messages.first { $0.key.hasSuffix("/status") }?.value == "online")
        #expect(test.brokers.reports.first?.report.connections == 1 && test.brokers.reports.first?.deleted == [])
        #expect(test.brokers.test("nobody", version: "1.0") == nil)
    }

    /// Home Assistant warns of a configuration that it can make nothing of. It hears nothing of a test.
    @Test func homeAssistantHearsNothing() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.configure(mosquitto.port, "home-assistant = favourites")
        _ = try Retained(at: mosquitto.port) { $0.count == 6 }
        let home = try RunningLoop(
            .local(mosquitto.port) { $0.clientID = "home" }, gateway: "ffffffff",
            user: RecordedUser(subscribingTo: ["homeassistant/+/+/config", "homeassistant/+/+/+/config", "end"]))
        defer { home.stop() }
        home.user.wait("subscribed") { $0.isAllowed == true }
        let report = try #require(test.brokers.test("house", version: "1.0"))
        #expect(report.mayRead == true && report.mayPublish == true)
        home.publish([Publication(topic: "end", payload: [0x31], isRetained: false)])
        home.user.wait("all that came before") { $0.received.contains { $0.topic == "end" } }
        let heard = home.user.state.withLock { $0.received.filter { !$0.isRetained && $0.topic != "end" } }
        #expect(heard.isEmpty, "\(heard)")
    }

    /// MQTT 5 says so in its acknowledgements, and 3.1.1 by silence.
    @Test(arguments: [false, true]) func whereOurTopicsAreForbidden(isOld: Bool) throws {
        let mosquitto = try Mosquitto { folder in
            try? "topic read $SYS/#\n".write(toFile: "\(folder)/acl", atomically: true, encoding: .utf8)
            return ["acl_file \(folder)/acl"]
        }
        try mosquitto.start()
        let gate = isOld ? try VersionGate(to: mosquitto.port) : nil
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.configure(gate?.port ?? mosquitto.port)
        let report = try #require(test.brokers.test("house", version: "1.0"))
        #expect(report.isConnected && report.mayPublish == false, "\(report)")
        #expect(report.protocolVersion == (isOld ? "3.1.1" : "5"))
    }

    @Test func whereNobodyListens() throws {
        let (descriptor, port) = try reserved()
        defer { close(descriptor) }
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.configure(port)
        let report = try #require(test.brokers.test("house", version: "1.0"))
        #expect(!report.isConnected && report.reason?.contains("refused") == true && report.mayPublish == nil)
        #expect(report.devices.map(\.object) == ["gateway", test.radio.object])
    }
}
