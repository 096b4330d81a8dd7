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
    wanted.filters = ["club/talk"]
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
    _ = try store.commit { try $0.pruneAll() }
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

@Test func noNumberOfASourceIsUsedAgain() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let first = try store.start()
    try store.commit { try $0.removeBrokerConversation(first) }
    _ = try store.commit { try $0.pruneAll() }
    let second = try store.commit { try $0.insert(club(), uuid: "22222222-2222-4333-8444-555555555555", at: 5_000) }
    #expect(second.rawValue > first.rawValue)
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
