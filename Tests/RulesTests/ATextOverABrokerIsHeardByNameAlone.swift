import MeshModel
import Store
import Testing

@testable import Rules

/// Only a rule that names the conversation hears its texts: nobody at a broker sets off what waits for the mesh.
@Suite struct ATextOverABrokerIsHeardByNameAlone {
    private func club(_ rules: [String: String], targets: Set<String> = []) throws -> (StoredMesh, SourceID) {
        let mesh = try StoredMesh(rules, targets: targets, zone: LocalZone { _ in 0 })
        return (mesh, try mesh.converse("club", title: "The club"))
    }

    @Test func eachOnceWithItsWriter() throws {
        let (mesh, club) = try club(["club": "when = message on mqtt:club"])
        try mesh.say("Servus", by: "Ann", in: club)
        try mesh.say("Servus", by: "club/talk", in: club)
        try mesh.work()
        #expect(mesh.told == ["club: Ann on The club", "club: club/talk on The club"])
        let row = try #require(try mesh.feed().first)
        let message = try #require(try mesh.store.read { try $0.messages(.init(source: club)) }.last)
        #expect(row.body == "Servus" && row.type == "message" && row.messageID == message.id)
        #expect(row.needs == [.brokerText(channels: [])] && row.node == nil && row.source == club)
        #expect(row.conversation == .channel(0) && row.link == "#//c/mqtt:club?m=\(message.id)")
        // Not again after a restart.
        try mesh.leave(minute) {}
        #expect(mesh.told.count == 2)
    }

    @Test(arguments: [
        ("words = sos, help", ["Help! SOS."]), ("ignore = sos", ["helpful"]),
        ("matches = ^help", ["Help! SOS.", "helpful"]),
        ("words = help\nignore = sos", []),
    ])
    func conditions(_ lines: String, _ expected: [String]) throws {
        let (mesh, club) = try club(["club": "when = message on mqtt:club\n\(lines)"])
        for text in ["Help! SOS.", "helpful"] { try mesh.say(text, by: "Ann", in: club) }
        try mesh.work()
        #expect(try mesh.feed().map(\.body) == expected)
    }

    @Test(arguments: ["mqtt:club mqtt:news", "mqtt:club, mqtt:news, mqtt:later"]) func aList(_ list: String) throws {
        let (mesh, club) = try club(["both": "when = message on \(list)", "one": "when = message on mqtt:news"])
        let (news, other) = (try mesh.converse("news"), try mesh.converse("other"))
        for conversation in [club, news, other] { try mesh.say("x", by: "Ann", in: conversation) }
        try mesh.work()
        #expect(mesh.told.sorted() == ["both: Ann on The club", "both: Ann on news", "one: Ann on news"])
    }

    @Test func notOwnOnes() throws {
        let (mesh, club) = try club(["club": "when = message on mqtt:club"])
        try mesh.change { writer, _, now in
            _ = try writer.insertOwn(
                "mine", BrokerText(topic: "club/talk", writer: "Hut", id: "u-1"), by: nil, in: club, at: now,
                expiresAt: now + hour, staysInHouse: false)
        }
        try mesh.work()
        #expect(mesh.told == [])
    }

    /// A database with a radio and a conversation, and every trigger that waits for texts, or for their absence.
    @Test func noOtherTriggerCountsIt() throws {
        let (mesh, club) = try club([
            "all": "when = message", "words": "when = message\nwords = base", "first": "when = message on 0",
            "muted": "when = message\nmatches = .", "radio": "when = message\nradio = club",
            "direct": "when = direct message", "mention": "when = mention", "detection": "when = detection",
            "new": "when = new node", "named": "when = name changed", "silent": "when = node silent for 1h",
            "back": "when = node back after 1h", "lost": "when = radio lost", "other": "when = message on mqtt:other",
            "waypoint": "when = waypoint", "rebooted": "when = rebooted",
        ])
        try mesh.change { writer, source, now in
            try writer.update(source) { $0.nodeNumber = ownNode }
            try writer.updateNode(ownNode, in: source, at: now) { ($0.longName, $0.shortName) = ("Base Camp", "BASE") }
        }
        for text in ["Base Camp, are you there?", "BASE"] { try mesh.say(text, by: "Base Camp", in: club) }
        try mesh.work()
        try mesh.pass(3 * hour)
        #expect(mesh.told == [])
        #expect(try mesh.store.read { try $0.rules() }.allSatisfy { $0.burst == nil })
        // The radio's own texts are heard as ever.
        try mesh.write("hello", id: 1, channel: 0)
        try mesh.work()
        #expect(
            mesh.told == [
                "new: New node: Anna", "all: Anna on channel 0", "first: Anna on channel 0",
                "muted: Anna on channel 0",
            ])
    }

    /// The fifty of a rule are for what might have been told.
    @Test(arguments: ["message", "message on 0", "message\nwords = sos", "direct message", "mention", "detection"])
    func norIsItANearMiss(_ when: String) throws {
        let (mesh, club) = try club([:])
        try mesh.say("hello", by: "Ann", in: club)
        let rule = try #require(RuleFile("when = \(when)", name: "rule", path: "").rule)
        let test = try mesh.store.read { try RuleTest.ofHistory(rule, $0, at: mesh.now.at) }
        #expect(test.count == 0 && test.near.isEmpty, "\(test.near.map(\.condition))")
    }

    @Test func noDigestCountsIt() throws {
        let (mesh, club) = try club(["day": "when = at 13:00"])
        for number in 1...3 { try mesh.say("\(number)", by: "Ann", in: club) }
        try mesh.write("hello", id: 1, channel: 0)
        try mesh.live(until: noon + 2 * hour) {}
        #expect(mesh.told == ["day: 1 node heard, 1 text"])
    }

    @Test func aMuteSilencesAllButWords() throws {
        let (mesh, club) = try club([
            "any": "when = message on mqtt:club", "words": "when = message on mqtt:club\nwords = sos",
        ])
        try mesh.store.commit { try $0.mute(.channel(0), .forGood, by: 0, in: club) }
        try mesh.say("sos", by: "Ann", in: club)
        try mesh.work()
        #expect(mesh.told == ["words: Ann on The club"])
    }

    @Test func aCoolDownIsOfTheConversation() throws {
        let (mesh, club) = try club([
            "club": "when = message on mqtt:club mqtt:news\ncool-down = 1h\ntitle = {node} in {channel}"
        ])
        let news = try mesh.converse("news")
        for writer in ["Ann", "Bob"] { try mesh.say("x", by: writer, in: club) }
        try mesh.say("x", by: "Bob", in: news)
        try mesh.work()
        #expect(mesh.told == ["club: Ann in The club", "club: Bob in news"])
        try mesh.leave(30 * minute) { try mesh.say("x", by: "Carl", in: club) }
        #expect(mesh.told.count == 2)
        try mesh.pass(hour)
        try mesh.say("x", by: "Carl", in: club)
        try mesh.work()
        #expect(mesh.told.last == "club: Carl in The club")
    }

    @Test func targetsGetTheTextIfTheRuleGivesIt() throws {
        let when = "when = message on mqtt:club\ntell = phone"
        let (mesh, club) = try club(
            ["loud": "\(when)\ntext = yes", "named": "\(when)\ntitle = The club", "plain": when], targets: ["phone"])
        try mesh.say("Servus", by: "Ann", in: club)
        try mesh.work()
        let sent = try mesh.waiting().map { "\($0.row.rule ?? ""): \($0.row.title): \($0.row.body)" }
        #expect(
            sent == ["loud: Ann on The club: Servus", "named: The club: ", "plain: Message from Ann on The club: "])
        let first = try #require(try mesh.waiting().first)
        #expect(try mesh.store.read { try $0.dispatch(first.id)?.row.link } == (try mesh.feed()[0].link))
    }

    @Test func quietHoursHoldIt() throws {
        let (mesh, club) = try club(
            ["club": "when = message on mqtt:club\ntell = phone\nquiet = 12:00-14:00"], targets: ["phone"])
        try mesh.say("Servus", by: "Ann", in: club)
        try mesh.work()
        #expect(mesh.told == ["club: Ann on The club"])
        #expect(try mesh.held().count == 1 && mesh.waiting().isEmpty)
        try mesh.live(until: noon + 2 * hour) {}
        #expect(try mesh.waiting().map(\.row.title) == ["Message from Ann on The club"])
    }

    /// Whoever writes to a topic may write much.
    @Test func aLongTextIsToldByItsBeginning() throws {
        let (mesh, club) = try club(["club": "when = message on mqtt:club"])
        try mesh.say(String(repeating: "ä", count: 8_000), by: String(repeating: "t/", count: 30_000), in: club)
        try mesh.work()
        let row = try #require(try mesh.feed().first)
        #expect(row.body == String(repeating: "ä", count: 500) + "…")
        #expect(row.title == String(repeating: "t/", count: 50) + "… on The club")
    }

    @Test func aTestKnowsWhatItWouldHaveTold() throws {
        let (mesh, club) = try club([:])
        try mesh.say("sos", by: "Ann", in: club)
        try mesh.say("Servus", by: "Bob", in: club)
        let rule = try #require(RuleFile("when = message on mqtt:club\nwords = sos", name: "rule", path: "").rule)
        let test = try mesh.store.read { try RuleTest.ofHistory(rule, $0, at: mesh.now.at) }
        #expect(test.firings.map(\.row.title) == ["Ann on The club"])
        #expect(test.near.map(\.condition) == ["none of its words"])
        #expect(test.near.map(\.need) == [.brokerText(channels: [])] && test.near.map(\.node) == [nil])
    }

    /// What is said over a bridge is for those who may read the channel.
    @Test func whatItTellsNeedsTheChannelOfItsBridge() throws {
        let (mesh, club) = try club(["club": "when = message on mqtt:club"])
        try mesh.change { writer, source, now in
            let hikers = Channel(index: 1, role: .secondary, name: "Hikers", psk: [2])
            try writer.updateChannels([hikers], in: source, at: now)
            _ = try writer.setBridge((ConversationBridge(channel: 1, of: ""), radio: source), of: club)
        }
        try mesh.say("Servus", by: "Ann", in: club)
        try mesh.change { writer, _, now in
            let about = BrokerText(topic: "club/talk", writer: "Anna", id: "!a1b2c3d4-00000007")
            _ = try writer.insertBridged(
                "from the channel", about, in: club, at: now, expiresAt: now + hour, staysInHouse: false)
        }
        try mesh.work()
        #expect(try mesh.feed().map(\.body) == ["Servus"], "what went up was told of where it was said")
        #expect(try mesh.feed().map(\.needs) == [[.brokerText(channels: [1])]])
        let rule = try #require(RuleFile("when = message on mqtt:club\nwords = sos", name: "rule", path: "").rule)
        let test = try mesh.store.read { try RuleTest.ofHistory(rule, $0, at: mesh.now.at) }
        #expect(test.near.map(\.need) == [.brokerText(channels: [1])])
    }

    @Test func whatIsLeftOfARemovedOneTellsNothing() throws {
        let (mesh, club) = try club(["club": "when = message on mqtt:club"])
        try mesh.say("Servus", by: "Ann", in: club)
        try mesh.store.commit { try $0.removeBrokerConversation(club) }
        let again = try mesh.converse("club")
        try mesh.work()
        #expect(mesh.told == [])
        try mesh.say("Hallo", by: "Ann", in: again)
        try mesh.work()
        #expect(mesh.told == ["club: Ann on club"])
    }
}
