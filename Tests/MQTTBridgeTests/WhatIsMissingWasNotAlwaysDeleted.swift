import MeshModel
import Testing

@testable import MQTTBridge

/// A device that is missing at a broker was deleted by a person only where the broker could have told us of it.
@Suite struct WhatIsMissingWasNotAlwaysDeleted {
    private let node = DeviceID.node(NodeNumber(0x100))

    /// The service starts with another discovery prefix: status and generation are the same ones, and below that prefix there is
    /// nothing yet.
    @Test func belowAnotherPrefix() throws {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.disconnect()
        let names = TopicNames(gateway: "0a1b2c3d", prefix: "casa")
        var plan = Plan(names, version: "1.0", memory: home.stored, generation: home.plan.generation)
        plan.show(Device.house(), at: home.now)
        plan.connected(.mqtt5, BrokerLimits(), at: home.now)
        for topic in [names.status, names.generation] {
            plan.received(topic, try #require(home.kept[topic]).payload, isRetained: true, at: home.now)
        }
        plan.subscribed(isAllowed: true, at: home.now)
        home.now.steady += Plan.quiet
        let published = plan.next(20, at: home.now)
        #expect(plan.deleted == [])
        let objects = published.compactMap { names.object(ofConfiguration: $0.topic).map(String.init) }
        #expect(objects == ["gateway", "radio_89abcdef", "00000100", "00000101"])
        for publication in published { plan.settled(publication, .acknowledged, at: home.now) }
        let counted = plan.next(20, at: home.now).first { $0.topic == names.generation }
        // Now it is known below this one, and what is missing was deleted.
        plan.ended()
        plan.connected(.mqtt5, BrokerLimits(), at: home.now)
        let kept = published + [try #require(counted)]
        for publication in kept where publication.topic != names.configuration(node.object) {
            plan.received(publication.topic, publication.payload, isRetained: true, at: home.now)
        }
        plan.subscribed(isAllowed: true, at: home.now)
        home.now.steady += Plan.quiet
        _ = plan.next(20, at: home.now)
        #expect(plan.deleted == [node])
    }

    /// A connection on which the first half of what is kept has come.
    private func halfReading() -> FakeHome {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.disconnect()
        home.plan.connected(.mqtt5, BrokerLimits(), at: home.now)
        home.isLive = true
        home.plan.subscribed(isAllowed: true, at: home.now)
        for (topic, kept) in home.kept where topic != FakeHome.names.configuration(node.object) {
            home.plan.received(topic, kept.payload, isRetained: true, at: home.now)
        }
        return home
    }

    /// A broker that needs more than half a minute for it.
    @Test func whereReadingWasCutOff() {
        var home = halfReading()
        let end = home.now.steady + Plan.longestReading
        while home.now.steady < end {
            home.pass(until: home.now.steady + 1_000)
            home.plan.received(FakeHome.names.configuration("garbage"), [0x78], isRetained: true, at: home.now)
        }
        home.pass(seconds: 10)
        #expect(home.plan.deleted == [] && home.shown.contains(node.object))
    }

    /// The line stood still for longer than we wait: what comes then was not deleted, and stays.
    @Test func whereItComesLate() throws {
        var home = halfReading()
        home.pass(seconds: 3)
        let late = try #require(home.kept[FakeHome.names.configuration(node.object)]).payload
        home.plan.received(FakeHome.names.configuration(node.object), late, isRetained: true, at: home.now)
        home.pass(seconds: 10)
        #expect(home.plan.deleted == [] && home.shown.contains(node.object))
        #expect(home.state(node, .environment) != nil && home.state(node, .node) != nil)
        // What somebody says later is no such word.
        home.delete(node)
        home.plan.received(FakeHome.names.configuration(node.object), late, isRetained: false, at: home.now)
        home.pass(seconds: 10)
        #expect(home.plan.deleted == [node] && !home.shown.contains(node.object))
    }

    /// What leads to it leads there again.
    @Test func norWhereARadioComesLate() throws {
        let radio = DeviceID.radio("89abcdef")
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.disconnect()
        let topic = FakeHome.names.configuration(radio.object)
        let late = try #require(home.kept[topic]).payload
        home.plan.connected(.mqtt5, BrokerLimits(), at: home.now)
        home.isLive = true
        home.plan.subscribed(isAllowed: true, at: home.now)
        for (other, kept) in home.kept where other != topic {
            home.plan.received(other, kept.payload, isRetained: true, at: home.now)
        }
        home.pass(seconds: 3)
        home.plan.received(topic, late, isRetained: true, at: home.now)
        home.pass(seconds: 10)
        let via = home.configuration(node)?["dev"]?["via_device"]
        #expect(home.plan.deleted == [] && via == .string(FakeHome.names.identifier(radio)))
    }

    /// Somebody's garbage leaves no room to remember our own.
    @Test func whereTooMuchIsThere() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.disconnect()
        // Before ours in the order in which they come.
        for number in 0..<5_000 { home.kept[FakeHome.names.configuration("-\(number)")] = .init(payload: [0x78]) }
        home.connectAndSettle()
        #expect(home.plan.deleted == [])
        #expect(home.shown.filter { !$0.hasPrefix("-") } == ["00000100", "00000101", "gateway", "radio_89abcdef"])
    }

    /// But it is where a person deletes it while we read.
    @Test func unlessItGoesWhileWeRead() {
        var home = FakeHome(Device.house())
        home.connectAndSettle()
        home.disconnect()
        home.connect()
        home.delete(node)
        home.pass(seconds: 10)
        #expect(home.plan.deleted == [node] && !home.shown.contains(node.object))
    }
}
