import MeshModel
import Testing

@testable import MQTTBridge

@Suite struct WhoLeavesAndWhoWasDeleted {
    private let node = DeviceID.node(NodeNumber(0x100))

    @Test(arguments: [ProtocolChoice.Version.mqtt5, .mqtt311])
    func aNodeThatLeavesIsRemovedWhole(version: ProtocolChoice.Version) {
        var home = FakeHome(Device.house(), version: version)
        home.connectAndSettle()
        home.plan.show([], gone: [node], at: home.now)
        home.pass(seconds: 5)
        #expect(home.shown == ["00000101", "gateway", "radio_89abcdef"])
        #expect(!home.kept.keys.contains { $0.contains("00000100") })
        #expect(home.stored[node]?.state == .removed)
    }

    /// What went while Home Assistant did not run stays there for ever, unless it comes and goes once more.
    @Test func isShownOnceMoreAndTakenAway() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.plan.show([], gone: [node], at: home.now)
        home.pass(seconds: 5)
        home.restart([Device.house()[0], Device.house()[1], Device.house()[3]])
        home.connectAndSettle()
        let place = home.log.count
        home.homeStarts()
        let told = home.log[place...].filter { $0.topic == FakeHome.names.configuration(node.object) }
        #expect(told.count == 2 && told.last?.payload.isEmpty == true)
        #expect(told.first.map { mistakes(inConfiguration: $0.payload, at: $0.topic) } == [])
        #expect(home.stored[node] == nil && !home.shown.contains(node.object))
        // Once is enough.
        let later = home.log.count
        home.homeStarts()
        #expect(!home.published(since: later).contains(FakeHome.names.configuration(node.object)))
    }

    @Test func comesBackAsItWas() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.plan.show([], gone: [node], at: home.now)
        home.pass(seconds: 5)
        home.plan.show([.node(0x100, at: home.now.wall)], at: home.now)
        home.pass(seconds: 5)
        #expect(home.shown.contains(node.object) && home.stored[node]?.state == .published)
        #expect(home.state(node, .environment) != nil)
    }

    /// It left while the broker was away.
    @Test func isRemovedWhenTheBrokerIsBack() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.disconnect()
        home.plan.show([], gone: [node], at: home.now)
        home.connectAndSettle()
        #expect(!home.shown.contains(node.object) && home.stored[node]?.state == .removed)
        #expect(home.shown.count == 3)
    }

    /// Empty on our topic: that is how Home Assistant says it.
    @Test(arguments: [ProtocolChoice.Version.mqtt5, .mqtt311])
    func aPersonDeletesOne(version: ProtocolChoice.Version) {
        var home = FakeHome(Device.house(), version: version)
        home.connectAndSettle()
        home.delete(node)
        home.plan.show(
            [.node(0x100, at: home.now.wall)], reported: [.init(device: node, group: .environment)], at: home.now)
        home.pass(seconds: 5)
        #expect(home.shown == ["00000101", "gateway", "radio_89abcdef"])
        #expect(!home.kept.keys.contains { $0.contains("00000100") })
        // It stays away, over restarts.
        home.restart(Device.house())
        home.connectAndSettle()
        home.homeStarts()
        #expect(!home.shown.contains(node.object) && home.plan.deleted == [node])
        // Until it is asked for.
        let place = home.log.count
        home.plan.refresh(at: home.now)
        home.pass(seconds: 5)
        #expect(home.shown.contains(node.object))
        #expect(home.published(since: place).contains(FakeHome.names.state(node, .environment)))
    }

    /// What leads to it would make a nameless one of it.
    @Test func nothingLeadsToWhatAPersonDeleted() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let radio = DeviceID.radio("89abcdef")
        #expect(home.configuration(node)?["dev"]?["via_device"] == .string(FakeHome.names.identifier(radio)))
        home.delete(radio)
        home.pass(seconds: 5)
        #expect(home.configuration(node) != nil && home.configuration(node)?["dev"]?["via_device"] == nil)
        home.disconnect()
        home.connectAndSettle()
        #expect(home.configuration(node)?["dev"]?["via_device"] == nil && home.plan.deleted == [radio])
        home.plan.refresh(at: home.now)
        home.pass(seconds: 5)
        #expect(home.configuration(node)?["dev"]?["via_device"] == .string(FakeHome.names.identifier(radio)))
    }

    @Test func aPersonDeletesOneWhileWeAreAway() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.disconnect()
        home.delete(node)
        home.connectAndSettle()
        #expect(!home.shown.contains(node.object) && home.stored[node]?.state == .deleted)
        #expect(home.shown.count == 3)
    }

    /// A broker that has lost its memory has deleted nothing.
    @Test func aBrokerForgetsAll() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.disconnect()
        home.kept = [:]
        home.connectAndSettle()
        #expect(home.shown.count == 4 && home.plan.deleted == [])
    }

    /// Ended by SIGKILL it has that of half an hour ago, its word of our status among it: newer devices are missing there and were
    /// deleted by nobody.
    @Test func aBrokerForgetsTheLastHalfHour() {
        var home = FakeHome(Device.house(1))
        home.connectAndSettle()
        let saved = home.kept
        home.plan.show([.node(0x101, at: home.now.wall)], at: home.now)
        home.pass(seconds: 5)
        home.disconnect()
        home.kept = saved
        home.connectAndSettle()
        #expect(home.shown.count == 4 && home.plan.deleted == [])
        // Now it knows everything, and what is missing then was deleted.
        home.disconnect()
        home.delete(node)
        home.connectAndSettle()
        #expect(home.plan.deleted == [node])
    }

    /// What was never acknowledged was deleted by nobody.
    @Test func aDeviceThatTheBrokerNeverHad() {
        var home = FakeHome(Device.house(1))
        home.connectAndSettle()
        home.disconnect()
        home.plan.show([.node(0x101, at: home.now.wall)], at: home.now)
        home.restart(Device.house(2))
        home.connectAndSettle()
        #expect(home.shown.count == 4 && home.plan.deleted == [])
    }

    /// Garbage, and what another program has written on our topics, is cleared once.
    @Test func foreignConfigurationsAreCleared() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.disconnect()
        for object in ["00000999", "nonsense", "radio_00000000", "gateway2"] {
            home.kept[FakeHome.names.configuration(object)] = .init(payload: Array("{\"x\":1}".utf8))
        }
        home.kept[FakeHome.names.configuration(node.object)] = .init(payload: [0xFF, 0x00])
        home.connectAndSettle()
        #expect(home.shown == ["00000100", "00000101", "gateway", "radio_89abcdef"])
        #expect(
            mistakes(
                inConfiguration: home.kept[FakeHome.names.configuration(node.object)]!.payload,
                at: FakeHome.names.configuration(node.object)) == [])
        // While we are there, each is put right once: with a second gateway of our name it would never end.
        let place = home.log.count
        for round in 0..<50 {
            home.plan.received(
                FakeHome.names.configuration(node.object), Array("{\"round\":\(round)}".utf8), isRetained: false,
                at: home.now)
            home.pass(seconds: 3)
        }
        #expect(home.published(since: place).count { $0 == FakeHome.names.configuration(node.object) } == 1)
    }

    /// Ten thousand retained topics of somebody else cost a bounded memory.
    @Test func aFloodOfForeignConfigurations() {
        var home = FakeHome(Device.house())
        for number in 0..<10_000 {
            home.kept[FakeHome.names.configuration("x\(number)")] = .init(payload: [0x78])
        }
        home.connectAndSettle()
        // They are cleared slowly, as everything in one go.
        home.pass(seconds: 120)
        #expect(home.plan.published <= Plan.mostDevices)
        #expect(home.plan.deleted == [])
        #expect(home.shown.filter { !$0.hasPrefix("x") }.count == 4)
    }

    /// The broker is taken out of the configuration: nothing of ours stays, nodes go before what they lead to.
    @Test func aBrokerThatIsTakenOutIsCleared() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        let place = home.log.count
        home.plan.sayGoodbye(isForGood: true)
        home.pass(seconds: 3)
        #expect(home.kept == [:])
        let objects = home.log[place...].compactMap {
            FakeHome.names.object(ofConfiguration: $0.topic).map(String.init)
        }
        #expect(objects == ["00000101", "00000100", "radio_89abcdef", "gateway"])
        #expect(home.plan.deadline == nil)
    }

    /// What has just left, and was not cleared yet, among it.
    @Test func alsoOfWhatLeftAMomentAgo() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.plan.show([], gone: [node], at: home.now)
        home.plan.sayGoodbye(isForGood: true)
        home.pass(seconds: 3)
        #expect(home.kept == [:])
    }

    /// The same of what is shown once more because Home Assistant has started.
    @Test func alsoOfWhatIsShownOnceMore() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.plan.show([], gone: [node], at: home.now)
        home.pass(seconds: 5)
        home.plan.received(FakeHome.names.birth, Array("online".utf8), isRetained: false, at: home.now)
        while !home.shown.contains(node.object), let next = home.plan.deadline { home.pass(until: next) }
        #expect(home.shown.contains(node.object))
        home.plan.sayGoodbye(isForGood: true)
        home.pass(seconds: 3)
        #expect(home.kept == [:])
    }

    @Test func anOrderlyEndSaysOffline() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.plan.sayGoodbye(isForGood: false)
        home.work()
        #expect(home.kept[FakeHome.names.status]?.payload == Array("offline".utf8))
        #expect(home.shown.count == 4)
    }

    /// The host's clock leaps while all goes on.
    @Test(arguments: [-3_600_000 * 24 * 365, 3_600_000 * 24 * 365] as [Int64])
    func aClockLeaps(by milliseconds: Int64) {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.now.wall += milliseconds
        home.plan.show(
            [.node(0x100, at: home.now.wall)], reported: [.init(device: node, group: .environment)], at: home.now)
        home.pass(seconds: 5)
        #expect(home.state(node, .environment) != nil)
        let expiry = home.log.last { $0.topic == FakeHome.names.state(node, .environment) }?.expiry
        #expect(expiry.map { $0 > 0 && $0 <= 48 * 3600 } == true)
        home.disconnect()
        home.connectAndSettle()
        #expect(home.shown.count == 4)
    }
}
