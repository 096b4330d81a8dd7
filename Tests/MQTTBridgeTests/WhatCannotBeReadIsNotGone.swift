import MeshModel
import Platform
import Store
import Testing

@testable import MQTTBridge

/// The bridge of one broker, worked by hand.
@Suite struct WhatCannotBeReadIsNotGone {
    private final class Handled {
        let bridge: HomeBridge
        let notes = Monitor(HomeBridge.Notes())
        let names = TopicNames(gateway: "0a1b2c3d")
        var now = HostTime.now
        var log: [Publication] = []

        init(_ test: BridgedGateway) throws {
            var broker = Broker("house", path: "house.conf")
            broker.homeAssistant = .all
            bridge = try HomeBridge(
                broker, names, gateway: test.gateway, facts: { GatewayFacts(version: "1.0") }, notes: notes,
                logger: .silent, showPlan: { _ in })
        }

        /// - Parameter kept: what the broker has.
        func connect(_ kept: [String: [UInt8]] = [:]) {
            _ = bridge.connected(.mqtt5, BrokerLimits(), isSessionPresent: false, at: now)
            for (topic, payload) in kept {
                var message = IncomingMessage(topic, payload)
                message.isRetained = true
                bridge.received(message, at: now)
            }
            bridge.subscribed(isAllowed: true, at: now)
            work()
            now.steady += 10_000
            work()
        }

        func work() {
            while case let next = bridge.next(20, at: now), !next.isEmpty {
                log += next
                for publication in next { bridge.settled(publication, .acknowledged, at: now) }
            }
        }

        var kept: [String: [UInt8]] {
            Dictionary(log.map { ($0.topic, $0.payload) }, uniquingKeysWith: { $1 }).filter { !$0.value.isEmpty }
        }
    }

    @Test func norTakenAway() throws {
        let test = try BridgedGateway()
        defer { test.stop() }
        try test.hear(0x101, temperature: 1)
        let before = try Handled(test)
        before.connect()
        #expect(before.kept.keys.count { $0.hasSuffix("/config") } == 3)
        // Its memory is in the rows.
        try test.eventually("stored") { (try? test.store.read { try $0.brokerDevices("house").count }) == 3 }
        let after = try Handled(test)
        test.store.close()
        after.connect(before.kept)
        #expect(after.log.contains { $0.topic == after.names.status })
        #expect(!after.log.contains { $0.payload.isEmpty }, "\(after.log.map(\.topic))")
    }

    /// What happens within a goodbye is no reason to wait.
    @Test func aGoodbyeIsTheLastWord() throws {
        let test = try BridgedGateway()
        defer { test.stop() }
        let handled = try Handled(test)
        handled.connect()
        // It has looked at itself a moment ago, and would not again for five seconds.
        handled.notes.withLock { $0.areFactsNew = true }
        handled.work()
        handled.notes.withLock { $0 = .init(isWoken: true, areFactsNew: true, isRefreshWanted: true) }
        handled.bridge.sayGoodbye(isForGood: false, at: handled.now)
        handled.work()
        #expect(handled.log.last?.payload == Array("offline".utf8))
        #expect(handled.bridge.deadline == nil)
    }

    /// Of the radio's texts some may wait, which is shown; those of a conversation over a broker are in no figure.
    @Test func whatIsOfNoRadioIsPassedOver() throws {
        let test = try BridgedGateway()
        defer { test.stop() }
        let club = try test.store.commit { writer in
            let conversation = BrokerConversation("club", broker: "house", filters: ["club/#"])
            return try writer.insert(conversation, uuid: "11111111-2222-4333-8444-555555555555", at: 1_000)
        }
        let handled = try Handled(test)
        handled.connect()
        // All is published that had to wait.
        for _ in 1...5 {
            handled.now.steady += 60_000
            handled.work()
        }
        // It looks at itself now, and for a change not for five seconds.
        handled.now.steady += 10_000
        handled.notes.withLock { $0.areFactsNew = true }
        handled.work()
        let (radio, count) = (test.source, handled.log.count)
        func look() -> Int64? {
            handled.notes.withLock { $0.isWoken = true }
            handled.work()
            return handled.bridge.deadline
        }
        #expect(look() == handled.now.steady + HomeBridge.betweenCounts)
        for number in 1...100 as ClosedRange<Int64> {
            try test.store.commit(as: .live) { writer in
                let about = BrokerText(topic: "club/talk", writer: "Ann")
                try writer.insertReceived("text \(number)", about, in: club, at: 2_000 + number)
            }
        }
        #expect(look() == handled.now.steady + HomeBridge.betweenCounts && handled.log.count == count)
        try test.store.commit(as: .live) { writer in
            let message = Message(
                id: "", from: NodeNumber(1), to: .broadcast, text: "of the radio", channel: 0, packetID: 1,
                timestamp: 3_000, createdAt: 3_000, updatedAt: 3_000)
            try writer.insertMessage(message, in: radio)
        }
        #expect(look() == handled.now.steady + HomeBridge.betweenFacts)
    }

    /// Two radios may have one trouble: each is an attribute.
    @Test func everyProblemIsShown() throws {
        let test = try BridgedGateway()
        defer { test.stop() }
        let counts = try test.store.read { try GatewayCounts($0, at: WallClock.milliseconds()) }
        var facts = GatewayFacts(version: "1.0")
        facts.problems = [Problem(.noRadio, "One"), Problem(.noRadio, "Two"), Problem(told: "disk-low", "Three")]
        let values = try #require(Device.gateway(facts, counts, at: 0).reports[.state]?.values)
        #expect(values["problems"] == .whole(3))
        #expect(values["problems_attribute_no-radio"] == .text("One"))
        #expect(values["problems_attribute_no-radio-2"] == .text("Two"))
        #expect(values["problems_attribute_disk-low"] == .text("Three"))
    }
}
