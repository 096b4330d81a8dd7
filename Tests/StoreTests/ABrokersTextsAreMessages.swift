import MeshModel
import Testing

@testable import Store

private func club(_ filters: [String] = ["club/#"]) -> BrokerConversation {
    BrokerConversation("club", title: "The club", broker: "house", filters: filters)
}

extension Store {
    fileprivate func start(_ conversation: BrokerConversation = club()) throws -> SourceID {
        try commit { try $0.insert(conversation, uuid: "11111111-2222-4333-8444-555555555555", at: 1_000) }
    }
}

@Test func aConversationIsFoundAsItWasStored() throws {
    let folder = Folder()
    let (store, radio) = try Store.withSource(folder)
    var wanted = club(["club/#", "news/+/today"])
    (wanted.givenTopic, wanted.qos, wanted.isJSON, wanted.writer) = ("club/talk", 0, true, "Hut")
    let source = try store.start(wanted)
    #expect(
        try store.read { try $0.brokerConversations() } == [FoundConversation(source: source, conversation: wanted)])
    // A radio is asked for by everybody, a conversation by who wants it.
    #expect(try store.read { try $0.sources().map(\.id) } == [radio])
    #expect(try store.commit { try $0.sources().map(\.id) } == [radio])
    wanted.title = "Club"
    wanted.filters = [TopicFilter("club/talk")]
    try store.commit { [wanted] in try $0.update(source, to: wanted) }
    #expect(try store.read { try $0.brokerConversation("club")?.conversation } == wanted)
    #expect(try store.read { try $0.source(source)?.name } == "Club")
}

@Test func aTextIsStoredOnceByItsID() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let source = try store.start()
    let about = BrokerText(topic: "club/talk", writer: "Ann", id: "a-1")
    #expect(try store.commit { try $0.insertReceived("Servus", about, in: source, at: 2_000) } != nil)
    #expect(try store.commit { try $0.insertReceived("Servus", about, in: source, at: 3_000) } == nil)
    // Without an id, who says it twice has said it twice.
    let nameless = BrokerText(topic: "club/talk", writer: "club/talk")
    for time in [4_000, 4_001] as [Int64] {
        _ = try store.commit { try $0.insertReceived("Hallo", nameless, in: source, at: time) }
    }
    let texts = try store.read { try $0.messages(.init(source: source, channel: 0)) }
    #expect(texts.map(\.text) == ["Hallo", "Hallo", "Servus"])
    #expect(texts.allSatisfy { $0.from.rawValue == 0 && !$0.isOwn && $0.delivery == nil })
    let found = try store.read { try $0.brokerTexts(of: texts.map(\.packetID), in: source) }
    #expect(texts.map { found[$0.packetID]! } == [nameless, nameless, about])
    // It is read, counted and marked as any other.
    #expect(try store.read { try $0.unread(.channel(0), by: 1, in: source) } == 3)
    #expect(
        try store.read { try $0.searchMessages(.init(source: source, text: "ervu")).rows.map(\.text) } == ["Servus"])
}

@Test func anOwnTextWaitsUntilItIsSettled() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let source = try store.start()
    func send(_ text: String, _ id: String, at now: Int64) throws -> Message {
        try store.commit {
            try $0.insertOwn(
                text, BrokerText(topic: "club/talk", writer: "Hut", id: id), by: nil, in: source, at: now,
                expiresAt: now + 86_400_000)
        }
    }
    #expect(try store.read { try $0.nextExpiryOfTexts() } == nil)
    let first = try send("one", "u-1", at: 2_000)
    _ = try send("two", "u-2", at: 2_500)
    #expect(first.delivery?.state == .queued)
    var waiting = try store.read { try $0.waitingTexts(for: "house", after: 0, limit: 10) }
    #expect(waiting.map(\.text) == ["one", "two"] && waiting.map(\.id) == ["u-1", "u-2"])
    #expect(try store.read { try $0.waitingTexts(for: "another", after: 0, limit: 10) }.isEmpty)
    try store.commit { [waiting] writer in
        try writer.settle(waiting[0], at: 3_000) { delivery in
            (delivery.state, delivery.ackedAt) = (.relayed, 3_000)
        }
    }
    #expect(try store.read { try $0.message(id: first.id, in: source)?.delivery?.state } == .relayed)
    // It comes back from the broker.
    let echo = BrokerText(topic: "club/talk", writer: "Hut", id: "u-1")
    #expect(try store.commit { try $0.insertReceived("one", echo, in: source, at: 3_100) } == nil)
    waiting = try store.read { try $0.waitingTexts(for: "house", after: 0, limit: 10) }
    #expect(waiting.map(\.text) == ["two"])
    #expect(try store.read { try $0.ownTexts(takenSince: 3_000, in: source, limit: 9).map(\.text) } == ["two", "one"])
    // The other one waits for a day.
    #expect(try store.read { try $0.nextExpiryOfTexts() } == 86_402_500)
    try store.commit { try $0.expireTexts(at: 86_402_499) }
    #expect(try store.commit { try $0.waitingTexts(in: source) } == 1)
    try store.commit { try $0.expireTexts(at: 86_402_500) }
    #expect(try store.commit { try $0.waitingTexts(in: source) } == 0)
    let given = try store.read { try $0.message(packetID: waiting[0].packetID, from: nil, in: source)?.delivery }
    #expect(given?.state == .failed && given?.cause == .expired)
}

/// A broker may take its time.
@Test func anAnswerThatComesAfterTheDayCounts() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let source = try store.start()
    let about = BrokerText(topic: "club/talk", writer: "Hut", id: "u-1")
    let sent = try store.commit {
        try $0.insertOwn("one", about, by: nil, in: source, at: 2_000, expiresAt: 3_000)
    }
    let waiting = try store.read { try $0.waitingTexts(for: "house", after: 0, limit: 10) }
    try store.commit { try $0.expireTexts(at: 3_000) }
    for _ in 1...2 {
        try store.commit { writer in
            try writer.settle(waiting[0], at: 3_100) { delivery in
                (delivery.state, delivery.cause, delivery.ackedAt) = (.relayed, nil, 3_100)
            }
        }
    }
    let delivery = try store.read { try $0.message(id: sent.id, in: source)?.delivery }
    #expect(delivery?.state == .relayed && delivery?.cause == nil && delivery?.ackedAt == 3_100)
}

/// Nobody waits for what a conversation has left that was removed.
@Test func whatARemovedConversationHadExpiresNoMore() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let source = try store.start()
    let about = BrokerText(topic: "club/talk", writer: "Hut", id: "u-1")
    _ = try store.commit {
        try $0.insertOwn("one", about, by: nil, in: source, at: 2_000, expiresAt: 3_000)
    }
    #expect(try store.read { try $0.nextExpiryOfTexts() } == 3_000)
    try store.commit { try $0.removeBrokerConversation(source) }
    #expect(try store.read { try $0.nextExpiryOfTexts() } == nil)
}

/// No target is sent any more what was said in a conversation that was removed, alone or in a summary.
@Test func whatARemovedConversationSaidIsToldToNobody() throws {
    let folder = Folder()
    let (store, radio) = try Store.withSource(folder)
    let source = try store.start()
    let uuid = "11111111-2222-4333-8444-555555555555"
    let row = FeedRow(
        at: 1, in: source, type: "message", title: "Ann", body: "secret", needs: [.brokerText(channels: [])])
    try store.commit { writer in
        try writer.append(Dispatch(to: "phone", at: 1, row))
        var summary = Dispatch(to: "phone", at: 2, row)
        summary.counts = [DispatchCount(rule: "club", count: 2)]
        (summary.row.source, summary.row.uuid) = (nil, "summary")
        summary.row.body = "\(uuid)_0_1\tAnn: secret\nother_1_1\tBob: hello"
        try writer.append(summary)
        var other = Dispatch(to: "phone", at: 3, row)
        (other.row.source, other.row.uuid, other.row.title) = (radio, "other", "Bob")
        try writer.append(other)
    }
    try store.commit { try $0.removeBrokerConversation(source) }
    let waiting = try store.read { try $0.dispatches(of: "phone") }
    #expect(waiting.map(\.uuid) == ["summary", "other"])
    #expect(waiting.first?.titles == ["Bob: hello"])
}

@Test func aRemovedConversationLeavesNothingAndFreesItsName() throws {
    let folder = Folder()
    let (store, radio) = try Store.withSource(folder)
    let source = try store.start()
    for number in 1...50 as ClosedRange<Int64> {
        let about = BrokerText(topic: "club/talk", writer: "Ann", id: "a-\(number)")
        _ = try store.commit { try $0.insertReceived("text \(number)", about, in: source, at: 2_000 + number) }
    }
    _ = try store.commit {
        try $0.insertOwn(
            "mine", BrokerText(topic: "club/talk", writer: "Hut", id: "u-1"), by: nil, in: source, at: 3_000,
            expiresAt: 4_000)
    }
    try store.commit { try $0.markRead(.channel(0), by: 1, in: source) }
    try store.commit { try $0.removeBrokerConversation(source) }
    #expect(try store.read { try $0.brokerConversations() }.isEmpty)
    #expect(try store.read { try $0.waitingTexts(for: "house", after: 0, limit: 10) }.isEmpty)
    // The same name at once: another source, without a text.
    let again = try store.commit {
        try $0.insert(club(), uuid: "22222222-2222-4333-8444-555555555555", at: 5_000)
    }
    #expect(try store.read { try $0.messages(.init(source: again)) }.isEmpty)
    // Its row goes when there is a newer one: it may have been looked at before.
    _ = try store.commit { writer in
        try writer.forgetRemovedConversations()
        return try writer.pruneAll()
    }
    let left = try store.read { reader in
        try (
            reader.connection.integer("SELECT count(*) FROM broker_texts"),
            reader.connection.integer("SELECT count(*) FROM broker_outbox"),
            reader.connection.integer("SELECT count(*) FROM read_marks"),
            reader.connection.integer("SELECT count(*) FROM messages WHERE source > 0 AND source <> \(radio.rawValue)"),
            reader.connection.integer("SELECT count(*) FROM sources")
        )
    }
    #expect(left == (0, 0, 0, 0, 2))
}

/// The commit of a removal fails behind the word that its texts are to go.
@Test func aRemovalThatFailsLeavesAllAsItWas() throws {
    struct FullDisk: Error {}
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let source = try store.start()
    let about = BrokerText(topic: "club/talk", writer: "Ann", id: "a-1")
    _ = try store.commit { try $0.insertReceived("Servus", about, in: source, at: 2_000) }
    #expect(throws: FullDisk.self) {
        try store.commit { writer in
            try writer.removeBrokerConversation(source)
            throw FullDisk()
        }
    }
    _ = try store.commit { try $0.pruneAll() }
    #expect(try store.read { try $0.messages(.init(source: source)).map(\.text) } == ["Servus"])
    #expect(try store.read { try $0.brokerConversation("club")?.source } == source)
}

@Test func anOwnTextIsNoNewOneInAnotherConversation() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let source = try store.start()
    let other = try store.commit {
        try $0.insert(
            BrokerConversation("valley", broker: "garden", filters: ["#"]),
            uuid: "33333333-2222-4333-8444-555555555555", at: 1_000)
    }
    let about = BrokerText(topic: "club/talk", writer: "Hut", id: "u-1")
    _ = try store.commit {
        try $0.insertOwn("one", about, by: nil, in: source, at: 2_000, expiresAt: 4_000)
    }
    // Two brokers that are joined bring it back.
    #expect(try store.commit { try $0.insertReceived("one", about, in: other, at: 3_000) } == nil)
    let others = BrokerText(topic: "club/talk", writer: "Ann", id: "a-1")
    #expect(try store.commit { try $0.insertReceived("two", others, in: other, at: 3_000) } != nil)
    #expect(try store.commit { try $0.insertReceived("two", others, in: source, at: 3_000) } != nil)
}

/// Unicode has two ways to write é, which Swift takes for one and a broker does not.
@Test func aFilterIsItsBytes() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let filters = ["caf\u{E9}", "cafe\u{301}"].map { TopicFilter($0) }
    let ids = try store.commit { writer in try filters.map { try writer.noteSubscription($0, at: "house") } }
    #expect(Set(ids).count == 2)
    let found = try store.read { try $0.brokerSubscriptions(at: "house") }
    #expect(filters.map { found[$0] } == ids)
    try store.commit { try $0.forgetSubscription(filters[0], at: "house") }
    #expect(try store.read { try $0.brokerSubscriptions(at: "house") } == [filters[1]: ids[1]])
    #expect(!filters[0].matches("cafe\u{301}") && filters[1].matches("cafe\u{301}"))
}

/// A Raspberry Pi starts in 1970. What an earlier run has accepted waits no longer for that.
@Test func aClockThatIsSetMovesWhatThisRunHasAccepted() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let source = try store.start()
    let (day, now) = (86_400_000 as Int64, 1_790_000_000_000 as Int64)
    for (id, accepted) in [("earlier", now - 1_000), ("now", 5_000)] {
        _ = try store.commit {
            try $0.insertOwn(
                id, BrokerText(topic: "club/talk", writer: "Hut", id: id), by: nil, in: source, at: accepted,
                expiresAt: accepted + day)
        }
    }
    try store.commit { try $0.clockWasSet(by: now, at: 10_000) }
    let waiting = try store.read { try $0.waitingTexts(for: "house", after: 0, limit: 10) }
    #expect(waiting.map(\.expiresAt) == [now - 1_000 + day, 5_000 + now + day])
}

@Test func textsGoWithTheirAge() throws {
    let folder = Folder()
    let day = 86_400_000 as Int64
    var retention = Retention.unlimited
    retention.messages = 7 * day
    let (store, _) = try Store.withSource(folder, retention: retention)
    let source = try store.start()
    let about = BrokerText(topic: "club/talk", writer: "Ann")
    for time in [day, 2 * day, 9 * day] {
        _ = try store.commit { try $0.insertReceived("text", about, in: source, at: time) }
    }
    _ = try store.commit { try $0.pruneOld(now: 9 * day + 1) }
    #expect(try store.read { try $0.messages(.init(source: source)).map(\.timestamp) } == [9 * day])
    let kept = try store.read { reader in
        try ["texts", "bytes"].map { try reader.connection.integer("SELECT \($0) FROM broker_conversations") }
    }
    // Four bytes of text, twelve of topic and writer.
    #expect(kept == [1, 516])
}

@Test func noNumberOfASourceIsUsedAgain() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let first = try store.start()
    try store.commit { try $0.removeBrokerConversation(first) }
    _ = try store.commit { try $0.pruneAll() }
    let second = try store.commit { try $0.insert(club(), uuid: "22222222-2222-4333-8444-555555555555", at: 5_000) }
    #expect(second.rawValue > first.rawValue)
}

/// What one conversation keeps does not take away what another has promised to send.
@Test func whatWaitsIsNotTooMuch() throws {
    let folder = Folder()
    var retention = Retention.unlimited
    retention.size = 2_000_000
    let (store, _) = try Store.withSource(folder, retention: retention)
    let source = try store.start()
    let own = BrokerText(topic: "club/talk", writer: "Hut", id: "u-1")
    let mine = try store.commit {
        try $0.insertOwn("mine", own, by: nil, in: source, at: 2_000, expiresAt: 86_402_000)
    }
    // The writer counts as the text does.
    let about = BrokerText(topic: "club/talk", writer: String(repeating: "y", count: 9_991))
    for number in 1...30 as ClosedRange<Int64> {
        _ = try store.commit { try $0.insertReceived("x", about, in: source, at: 2_000 + number) }
    }
    _ = try store.commit { try $0.pruneAll() }
    let texts = try store.read { try $0.messages(.init(source: source)) }
    #expect((16...20).contains(texts.count) && texts.last?.id == mine.id, "\(texts.count)")
    #expect(try store.read { try $0.waitingTexts(for: "house", after: 0, limit: 10).map(\.text) } == ["mine"])
}

@Test func theOldestTextsGoWhereThereAreTooMany() throws {
    let folder = Folder()
    var retention = Retention.unlimited
    retention.size = 2_000_000
    let (store, radio) = try Store.withSource(folder, retention: retention)
    let source = try store.start()
    try store.commit { _ = try $0.insertMessage(.received("of the radio", id: 1), in: radio) }
    // A tenth of the database's size, at 500 bytes a row and what is written.
    let text = String(repeating: "x", count: 9_991)
    for number in 1...30 as ClosedRange<Int64> {
        let about = BrokerText(topic: "club/talk", writer: "Ann")
        _ = try store.commit { try $0.insertReceived(text, about, in: source, at: 2_000 + number) }
    }
    _ = try store.commit { try $0.pruneAll() }
    let texts = try store.read { try $0.messages(.init(source: source)) }
    // They go in batches of four.
    #expect(texts.first?.timestamp == 2_030 && (16...19).contains(texts.count), "\(texts.count)")
    #expect(try store.read { try $0.messages(.init(source: radio)).map(\.text) } == ["of the radio"])
}
