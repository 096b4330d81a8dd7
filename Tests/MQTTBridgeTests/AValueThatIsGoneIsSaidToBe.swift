import Foundation
import JSON
import MeshModel
import Platform
import Testing

@testable import MQTTBridge

/// A value that a node no longer has is null in its group's message, which Home Assistant takes for unknown.
@Suite struct AValueThatIsGoneIsSaidToBe {
    /// Heard by radio, and then over MQTT only: how strong it was is not how strong it is.
    @Test func theStrengthOfAnEarlierPacket() throws {
        let mosquitto = try Mosquitto()
        try mosquitto.start()
        let test = try BridgedGateway()
        defer { test.stop() }
        let (source, node) = (test.source, NodeNumber(0x101))
        let now = WallClock.milliseconds() / 1000
        try test.store.commit(as: .live) { writer in
            try writer.updateNode(node, in: source, at: now * 1000) { row in
                (row.lastHeard, row.lastHeardRF, row.rssi, row.snr) = (now, now, -80, 5)
            }
        }
        try test.configure(mosquitto.port)
        func link(_ isThere: @escaping (String) -> Bool) throws -> JSONValue? {
            let kept = try Retained(at: mosquitto.port) { messages in
                messages.contains { $0.key.hasSuffix("/00000101/link") && isThere($0.value) }
            }
            return kept.state("00000101", .link).flatMap { JSONValue(Array($0.utf8)) }
        }
        #expect(try link { $0.contains("-80") }?["rssi"] == .number(-80))
        try test.store.commit(as: .live) { writer in
            try writer.updateNode(node, in: source, at: now * 1000 + 1000) { row in
                (row.lastHeard, row.lastHeardMQTT, row.viaMQTT) = (now + 1, now + 1, true)
            }
        }
        // It is said once a minute, and at each connection.
        try test.configure(mosquitto.port, "home-assistant = all\nkeep-alive = 61")
        guard case .object(let values)? = try link({ !$0.contains("-80") }) else {
            Issue.record("no message")
            return
        }
        #expect(values["rssi"] == .null && values["snr"] == .null)
    }

    /// A group without any value left.
    @Test func aWholeGroup() throws {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let id = DeviceID.node(NodeNumber(0x100))
        var device = Device.node(0x100, at: home.now.wall)
        device.reports[.link] = nil
        device.reports[.environment] = nil
        home.plan.show([device], at: home.now)
        home.pass(seconds: 61)
        #expect(home.kept[FakeHome.names.state(id, .link)]?.payload == Array(#"{"snr":null}"#.utf8))
        #expect(home.kept[FakeHome.names.state(id, .environment)]?.payload == Array(#"{"temperature":null}"#.utf8))
        #expect(home.state(id, .device)?["voltage"] == .number(4.05))
    }
}
