import Foundation
import JSON
import MeshModel
import MeshProtocol
import Platform
import Store
import Testing

@testable import Gateway
@testable import MQTTBridge

/// What is never told, with the clock in hand and without a broker.
@Suite struct AnAutomationCannotHearItself {
    @Test func theseAreNeverTold() throws {
        let handled = try HandledBridge()
        defer { handled.stop() }
        try handled.test.store.commit { [source = handled.test.source] writer in
            try writer.updateNode(NodeNumber(0x66), in: source, at: 1) { $0.isIgnored = true }
        }
        let never: [(String, (inout Message) -> Void)] = [
            ("own", { ($0.isOwn, $0.sender, $0.delivery) = (true, .cli, Delivery()) }),
            (
                "of Home Assistant",
                { ($0.isOwn, $0.sender, $0.delivery) = (true, Sender(.homeAssistant, "house"), Delivery()) }
            ),
            ("forged", { $0.spoofSuspected = true }), ("another channel", { $0.channel = 0 }),
            ("of the same name, later", { $0.channel = 3 }), ("direct", { ($0.channel, $0.to) = (-1, NodeNumber(7)) }),
            ("range test", { $0.port = .rangeTest }), ("ignored", { $0.from = NodeNumber(0x66) }),
            ("direct sensor", { ($0.channel, $0.to, $0.port) = (-1, NodeNumber(7), .detectionSensor) }),
            ("sensor over MQTT", { ($0.viaMQTT, $0.port) = (true, .detectionSensor) }),
            ("a minute old", { $0.createdAt -= 61_000 }),
        ]
        for (text, change) in never { try handled.hear(text, change) }
        for origin in StoredChange.Origin.allCases where origin != .live && origin != .late {
            try handled.hear("\(origin)", as: origin)
        }
        handled.pass(1_000)
        #expect(handled.texts == [])
        try handled.hear("late", as: .late)
        try handled.hear("a text")
        handled.pass(1_000)
        #expect(handled.texts == ["late", "a text"])
        #expect(handled.told.allSatisfy { $0.topic.hasSuffix("/event/text_1") })
    }

    /// By rights that the file gives, each alone.
    @Test func aNotificationIsToldToWhoMaySeeIt() throws {
        let needs: [(FeedRow.Need, always: Bool, withDirect: Bool)] = [
            (.info, true, true), (.node(channel: 5), true, true), (.message(channel: 1), true, true),
            (.message(channel: 0), false, false), (.message(channel: -1), false, true),
            (.waypoint(channel: 1), true, true), (.waypoint(channel: 0), false, false),
            (.waypoint(channel: nil), false, true), (.brokerText(channels: []), false, false),
            (.brokerText(channels: [1]), false, false),
        ]
        for isDirect in [false, true] {
            let handled = try HandledBridge { $0.isDirect = isDirect }
            defer { handled.stop() }
            for (need, _, _) in needs {
                let row = FeedRow(
                    at: handled.now.wall, in: handled.test.source, type: "t", title: "\(need)", body: "", needs: [need],
                    rule: "r")
                _ = try handled.test.store.commit { try $0.insert(row) }
            }
            handled.pass(1_000)
            let wanted = needs.filter { isDirect ? $0.withDirect : $0.always }.map { "\($0.0)" }
            #expect(handled.told.compactMap { $0.event["title"]?.string } == wanted)
        }
    }

    /// A kill between what the broker has heard and its acknowledgement tells it again, under the same id.
    @Test func aKillTellsItAgainUnderItsID() throws {
        let handled = try HandledBridge()
        defer { handled.stop() }
        try handled.hear("first")
        handled.pass(1_000)
        handled.loses = true
        try handled.hear("second")
        handled.pass(1_000)
        #expect(handled.texts == ["first", "second"])
        handled.loses = false
        try handled.restart()
        #expect(handled.texts == ["first", "second", "second"])
        #expect(handled.ids[1] == handled.ids[2] && handled.ids[0] != handled.ids[1])
        // And no more.
        try handled.restart()
        #expect(handled.texts.count == 3)
    }

    @Test func aBrokerThatWasAwayHearsNothingOfYesterday() throws {
        let handled = try HandledBridge()
        defer { handled.stop() }
        handled.disconnect()
        try handled.hear("of yesterday")
        handled.now.wall += 86_400_000
        handled.now.steady += 86_400_000
        try handled.hear("of now")
        handled.connect()
        #expect(handled.texts == ["of now"])
    }

    /// What has gone wrong while the broker was away is no news when it is back; what ends then is.
    @Test func aBrokerThatWasAwayHearsOfNoOldProblem() throws {
        let handled = try HandledBridge()
        defer { handled.stop() }
        func told() -> [String] {
            handled.told.filter { $0.topic == handled.names.event(.gateway, "problem") }
                .compactMap { $0.event["event_type"]?.string }
        }
        handled.disconnect()
        handled.problems.withLock { $0 = [Problem(.targetFailing, "A target is not told.")] }
        handled.now.wall += 86_400_000
        handled.now.steady += 86_400_000
        handled.connect()
        #expect(told() == [])
        handled.problems.withLock { $0 = [] }
        handled.pass(61_000)
        #expect(told() == ["solved"])
    }

    /// The same waypoint within a day is told once, whatever happens in between.
    @Test func aWaypointThatComesAgainIsNoNews() throws {
        let handled = try HandledBridge()
        defer { handled.stop() }
        func hear(_ name: String) throws {
            let (source, time) = (handled.test.source, handled.now.wall)
            let waypoint = Waypoint(id: 7, latitudeI: 1, longitudeI: 2, name: name)
            try handled.test.store.commit(as: .live) {
                try $0.upsertWaypoint(waypoint, from: NodeNumber(0x77), channel: 1, in: source, at: time)
            }
        }
        try hear("Hut")
        handled.pass(1_000)
        try hear("Hut")
        handled.pass(1_000)
        try handled.restart()
        try hear("Hut")
        handled.pass(1_000)
        try hear("Old hut")
        handled.pass(1_000)
        #expect(handled.told.compactMap { $0.event["title"]?.string } == ["Hut", "Old hut"])
        handled.pass(25 * 3_600_000)
        try hear("Old hut")
        handled.pass(1_000)
        #expect(handled.told.count == 3)
    }

    /// A clock that leaps neither repeats anything nor holds it up.
    @Test(arguments: [-86_400_000, 86_400_000] as [Int64])
    func aClockThatLeaps(_ milliseconds: Int64) throws {
        let handled = try HandledBridge()
        defer { handled.stop() }
        try handled.hear("before")
        handled.pass(1_000)
        handled.now.wall += milliseconds
        handled.pass(1_000)
        try handled.hear("behind")
        handled.pass(1_000)
        #expect(handled.texts == ["before", "behind"])
    }

    /// The place is on disk when the broker has the event, not before; it is forgotten with the file.
    @Test func itsPlaceIsItsOwn() throws {
        let handled = try HandledBridge()
        defer { handled.stop() }
        func place() throws -> Int64? {
            try handled.test.store.readCommitted { try $0.cursor(HomeEvents.reader(of: "house")) }
        }
        let before = try #require(try place())
        handled.loses = true
        try handled.hear("a text")
        handled.pass(1_000)
        #expect(try place() == before)
        handled.disconnect()
        handled.loses = false
        handled.connect()
        #expect(try #require(try place()) > before)
        var broker = Broker("house", path: "house.conf")
        broker.homeAssistant = nil
        _ = try HomeBridge(
            broker, handled.names, gateway: handled.test.gateway, facts: { GatewayFacts(version: "1.0") },
            notes: handled.notes, logger: .silent, showPlan: { _ in })
        try handled.test.store.commit { _ in }
        #expect(try place() == nil)
    }
}
