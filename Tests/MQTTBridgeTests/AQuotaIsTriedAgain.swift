import MeshModel
import Testing

@testable import MQTTBridge

/// A broker whose quota is used up has everything a minute after it has room again, and is asked once a minute until then.
@Suite struct AQuotaIsTriedAgain {
    @Test(arguments: [ProtocolChoice.Version.mqtt5, .mqtt311])
    func untilThereIsRoom(version: ProtocolChoice.Version) {
        var home = FakeHome(Device.house(3), version: version)
        home.isFull = true
        home.connectAndSettle()
        #expect(home.shown == [] && home.kept.isEmpty)
        let first = home.log.count
        home.pass(seconds: 600)
        let topics = Dictionary(grouping: home.log[first...], by: \.topic)
        #expect(topics.values.allSatisfy { $0.count <= 11 }, "\(topics.mapValues(\.count))")
        home.isFull = false
        home.pass(seconds: 65)
        #expect(home.shown == ["00000100", "00000101", "00000102", "gateway", "radio_89abcdef"])
        #expect(home.kept[FakeHome.names.status]?.payload == Array("online".utf8))
        #expect(home.kept[FakeHome.names.generation] != nil)
        #expect(home.state(.node(NodeNumber(0x100)), .node) != nil)
        if version == .mqtt5 { #expect(home.state(.node(NodeNumber(0x100)), .environment) != nil) }
    }

    /// What was to be cleared is cleared.
    @Test func alsoForWhatGoes() {
        var home = FakeHome(Device.house(1))
        home.connectAndSettle()
        home.isFull = true
        home.plan.show([], gone: [.node(NodeNumber(0x100))], at: home.now)
        home.work()
        #expect(home.shown.contains("00000100"))
        home.isFull = false
        home.pass(seconds: 65)
        #expect(home.shown == ["gateway", "radio_89abcdef"])
        #expect(!home.kept.keys.contains { $0.contains("00000100") })
    }

    /// Unless it is there again meanwhile.
    @Test func butNotForWhatIsBack() {
        let node = DeviceID.node(NodeNumber(0x100))
        var home = FakeHome(Device.house(1))
        home.connectAndSettle()
        home.isFull = true
        home.plan.show([], gone: [node], at: home.now)
        home.work()
        home.isFull = false
        home.plan.show([.node(0x100, at: home.now.wall)], at: home.now)
        home.pass(seconds: 65)
        #expect(home.shown.contains(node.object) && home.state(node, .environment) != nil)
        home.disconnect()
        home.connectAndSettle()
        #expect(home.plan.deleted == [])
    }
}
