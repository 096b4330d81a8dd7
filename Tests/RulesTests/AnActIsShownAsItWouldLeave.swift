import MeshModel
import Store
import Testing

@testable import Rules

/// `rule test` shows the texts of a rule that acts, of what has happened and of an event by hand, and sends nothing.
@Suite struct AnActIsShownAsItWouldLeave {
    private let mesh: StoredMesh
    private static let hut = "!a1b2c3d4"

    init() throws {
        mesh = try StoredMesh([:])
        let own = ownNode
        try mesh.change { writer, source, now in
            try writer.update(source) { source in (source.nodeNumber, source.lora) = (own, LoRaSettings()) }
            try writer.updateChannels(
                [
                    Channel(index: 0, role: .primary, psk: [1]),
                    Channel(index: 1, role: .secondary, name: "Hikers", psk: [2]),
                ], in: source, at: now)
            try writer.updateNode(own, in: source, at: now) { $0.longName = "Home" }
            try writer.updateNode(NodeNumber(0xA1B2_C3D4), in: source, at: now) { node in
                (node.longName, node.shortName, node.nickname) = ("Summit hut", "HUT", "Fred's")
                (node.lastHeard, node.hopsAway) = (now / 1000, 2)
            }
        }
    }

    private func rule(_ text: String) throws -> Rule {
        let file = RuleFile(text, name: "rule", path: "")
        return try #require(file.rule, "\(file.mistakes)")
    }

    private func tried(_ event: String, _ text: String) throws -> RuleTest {
        let rule = try rule(text)
        let host = TestingHost(version: "1.2.3")
        return try mesh.store.read { try RuleTest.ofEvent(event, rule, $0, at: mesh.now.at, on: host) }
    }

    private func shown(_ test: RuleTest) -> [String] {
        test.acts.flatMap { act in
            act.packets.map { "\($0.key) \($0.to): \($0.text ?? "-")" } + (act.why.map { ["skipped: \($0)"] } ?? [])
        }
    }

    private func text(_ words: String, channel: Int = 0, _ more: String = "") -> String {
        #"{"kind": "message", "fromNodeId": "\#(Self.hut)", "channel": \#(channel), "text": "\#(words)""#
            + #", "hopStart": 3, "hopLimit": 1, "rxSnr": -4.25\#(more)}"#
    }

    @Test func anAnswerToAText() throws {
        let test = try tried(
            text("Weather New York"),
            "when = message\nphrase = weather {city}\nreply = {city}? {node} is {hops} hops, {snr} dB, v{version}\nreact = hops"
        )
        #expect(
            shown(test) == ["reply LongFast: New York? Summit hut is 2 hops, -4.3 dB, v1.2.3", "react LongFast: 2️⃣"])
        #expect(test.count == 1 && test.firings.isEmpty)
        #expect(test.reach.hasPrefix("It would fire, as a rule that has told nothing so far. Nothing is sent."))
        let packets = try #require(test.acts.first).packets
        // A header of 16 bytes and, around the text, what says that it is one (4) and to which it answers (5).
        #expect(packets.allSatisfy { $0.bytes > 16 + ($0.text?.utf8.count ?? 0) && $0.airtime > 100 })
        #expect(packets[0].airtime > packets[1].airtime)
    }

    @Test func directMessagesAndOtherPlaces() throws {
        let direct = text("ping", channel: -1)
        #expect(
            try shown(tried(direct, "when = direct message\nreply = pong on {channel}")) == ["reply Fred's: pong on DM"]
        )
        #expect(
            try shown(tried(text("ping"), "when = message\nwords = ping\nreply = pong\nreply-by = direct"))
                == ["reply Fred's: pong"])
        #expect(
            try shown(tried(direct, "when = direct message\nsend = {node} pings\nto = hikers"))
                == ["send Hikers: Summit hut pings"])
        #expect(
            try shown(tried(direct, "when = direct message\nsend = a\nto = Nobody"))
                == ["skipped: the radio has no such channel"])
    }

    @Test func whatIsNotAnswered() throws {
        let test = try tried(text("ping", #", "replyId": 7"#), "when = message\nwords = ping\nreply = pong")
        #expect(test.count == 0 && test.acts.isEmpty && test.near.map(\.condition) == ["nobody acts on an answer"])
        let weak = try tried(text("ping"), "when = message\nwords = ping\nsnr = above -4\nreply = pong")
        #expect(weak.near.map(\.condition) == ["SNR -4.25, wanted above -4"])
    }

    @Test func whoHasIntroducedItself() throws {
        let event = #"{"kind": "node", "nodeId": "!0badcafe", "longName": "{value}", "shortName": "S"}"#
        let rule = "when = node introduced\nonce = node\nsend = Welcome {node} ({short})!\nto = sender"
        #expect(try shown(tried(event, rule)) == ["send {value}: Welcome {value} (S)!"])
        #expect(try tried(#"{"kind": "node", "nodeId": "\#(Self.hut)", "longName": "Other"}"#, rule).count == 0)
    }

    @Test func requestsAndAnnouncements() throws {
        let heard = #"{"kind": "telemetry", "nodeId": "!a1b2c3d4", "telemetryType": "batteryLevel", "value": 5}"#
        #expect(
            try shown(tried(heard, "when = battery below 20 %\nask = position\nannounce = nodeinfo\nto = 1"))
                == ["ask Fred's: position: -", "announce Hikers: nodeinfo: -"])
    }

    /// Texts of before, as if nothing had been said, and only those that a rule would have answered.
    @Test func ofWhatHasHappened() throws {
        for (id, text) in ["ping", "hello", "ping again"].enumerated() {
            try mesh.write(text, id: PacketID(id + 1), channel: 0)
            try mesh.pass(5 * minute)
        }
        let rule = try rule("when = message\nmatches = ^ping\nreply = pong {time}\ntell = phone")
        let test = try mesh.store.read { try RuleTest.ofHistory(rule, $0, at: mesh.now.at) }
        #expect(test.acts.count == 2 && test.firings.count == 2 && test.count == 2)
        #expect(shown(test).allSatisfy { $0.hasPrefix("reply LongFast: pong ") })
        let silent = try self.rule("when = message\nmatches = ^ping\nreply = pong")
        let other = try mesh.store.read { try RuleTest.ofHistory(silent, $0, at: mesh.now.at) }
        #expect(other.acts.count == 2 && other.firings.isEmpty && other.count == 2)
        #expect(try mesh.store.read { try $0.firings(of: "rule", limit: 10) }.isEmpty)
    }

    @Test(arguments: [
        // 36 s: 1 % of an hour. By the clock: two an hour.
        ("when = at */30 * * * *\nask = traceroute\nof = due", 2, 1.0),
        ("when = at 0 */6 * * *\nsend = a\nto = 0", 1, 1),
        ("when = at * * * * *\nsend = a\nto = 0\nannounce = nodeinfo", 120, 100),
        ("when = gateway started\nsend = a\nto = 0", 60, 100),
        ("when = gateway started\nsend = a\nto = 0\ncool-down = 30m", 2, 100),
        ("when = new node\nsend = a\nto = 0", 120, 100), ("when = direct message\nsend = a\nto = 0", 6, 100),
        ("when = direct message\nreply = {time}", 0, 0),
    ])
    func whatItMaySendInAnHour(_ text: String, _ packets: Int, _ share: Double) throws {
        let cost = ActCost(try rule(text), LoRaSettings(), ActLimits(airtime: share))
        #expect(cost?.packets == packets)
    }

    /// A text of 200 bytes is 16 + 200 and some bytes; at LONG_FAST it takes nearly two seconds.
    @Test func withinTheShareOfTheAir() throws {
        let cost = try #require(ActCost(rule("when = direct message\nreply = {time}"), LoRaSettings(), ActLimits()))
        #expect((36...45).contains(cost.packets) && (70_000...72_000).contains(cost.airtime), "\(cost)")
        #expect(try ActCost(rule("when = direct message"), LoRaSettings(), ActLimits()) == nil)
    }
}
