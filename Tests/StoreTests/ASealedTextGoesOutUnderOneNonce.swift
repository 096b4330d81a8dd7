import MeshModel
import Testing

@testable import Store

extension Store {
    fileprivate func conversation(_ name: String = "club") throws -> SourceID {
        let digit = name.utf8.count % 10
        return try commit {
            try $0.insert(
                BrokerConversation(name, broker: "house", filters: ["club/talk"]),
                uuid: "\(digit)1111111-2222-4333-8444-555555555555", at: 1_000)
        }
    }

    fileprivate func say(_ text: String, in source: SourceID, at now: Int64) throws -> Message {
        try commit {
            try $0.insertOwn(
                text, BrokerText(topic: "club/talk", writer: "Hut", id: text), by: nil, in: source, at: now,
                expiresAt: now + 86_400_000)
        }
    }

    fileprivate func waiting() throws -> [WaitingText] {
        try readCommitted { try $0.waitingTexts(for: "house", after: 0, limit: 99) }
    }
}

@Test func aKeyStandsBesideItsConversationAlone() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let (source, other) = (try store.conversation(), try store.conversation("other"))
    let key = ConversationKey.random()
    #expect(try store.read { try $0.conversationKey(of: source) } == nil)
    try store.commit { try $0.seal(source, with: key) }
    #expect(try store.read { try $0.conversationKey(of: source) } == key)
    #expect(try store.read { try $0.conversationKey(of: other) } == nil)
    #expect(try store.read { try $0.conversationKeys(at: "house") } == [source: key])
    #expect(try store.read { try $0.conversationKeys(at: "attic") } == [:])
    #expect(try store.read { try $0.brokerConversations().map(\.conversation.keyID) } == [key.id, nil])
    // Everything else may be changed, and the key stays.
    try store.commit { writer in
        var changed = BrokerConversation("club", title: "Club", broker: "house", filters: ["x"])
        changed.keyID = nil
        try writer.update(source, to: changed)
    }
    #expect(try store.read { try $0.brokerConversation("club")?.conversation.keyID } == key.id)
    // A second key does not take its place.
    #expect(throws: StoreError.self) { try store.commit { try $0.seal(source, with: .random()) } }
    #expect(try store.read { try $0.conversationKey(of: source) } == key)
    // It goes with its conversation, at once.
    try store.commit { try $0.removeBrokerConversation(source) }
    #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM broker_keys") } == 0)
}

@Test func whatWaitsIsSealedUnderTheSameNonceEachTime() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let (source, clear) = (try store.conversation(), try store.conversation("clear"))
    _ = try store.say("before", in: source, at: 2_000)
    _ = try store.say("elsewhere", in: clear, at: 2_100)
    #expect(try store.waiting().allSatisfy { $0.seal == nil })
    let key = ConversationKey.random()
    try store.commit { try $0.seal(source, with: key) }
    _ = try store.say("behind", in: source, at: 2_200)
    let waiting = try store.waiting()
    #expect(waiting.map(\.text) == ["before", "elsewhere", "behind"])
    #expect(waiting.map(\.seal?.key) == [key, nil, key])
    #expect(waiting.map(\.writer) == ["Hut", "Hut", "Hut"] && waiting.map(\.acceptedAt) == [2_000, 2_100, 2_200])
    let nonces = waiting.compactMap(\.seal?.nonce)
    #expect(nonces.allSatisfy { $0.count == 16 } && Set(nonces).count == 2)
    _ = try store.say("later", in: source, at: 2_300)
    #expect(try store.waiting().prefix(3) == waiting[...])
    // After a restart, too.
    store.close()
    let again = try Store(path: folder.database)
    #expect(try again.waiting().prefix(3) == waiting[...])
    again.close()
}

/// A sealed conversation never falls back to clear.
@Test func whoForgetsAKeyFailsWhatWaits() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let (source, clear) = (try store.conversation(), try store.conversation("clear"))
    try store.commit { try $0.seal(source, with: .random()) }
    let first = try store.say("first", in: source, at: 2_000)
    _ = try store.say("elsewhere", in: clear, at: 2_100)
    let taken = try #require(try store.waiting().first)
    try store.commit { try $0.forgetKey(of: source, at: 3_000) }
    #expect(try store.waiting().map(\.text) == ["elsewhere"])
    let delivery = try store.read { try $0.message(id: first.id, in: source)?.delivery }
    #expect(delivery?.state == .failed && delivery?.error == .pkiFailed)
    #expect(try store.read { try $0.brokerConversation("club")?.conversation.isSealed } == false)
    // It was under way, sealed: the broker answers for it now.
    try store.commit { try $0.settle(taken, at: 3_100) { $0.state = .relayed } }
    let answered = try store.read { try $0.message(id: first.id, in: source)?.delivery }
    #expect(answered?.state == .relayed && answered?.error == nil)
    // What is written now is in clear.
    _ = try store.say("second", in: source, at: 4_000)
    #expect(try store.waiting().map(\.seal) == [nil, nil])
    // With another key, it is sealed again.
    try store.commit { try $0.seal(source, with: .random()) }
    #expect(try store.waiting().map { $0.seal != nil } == [false, true])
}

@Test func aNonceIsOneText() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let (source, other) = (try store.conversation(), try store.conversation("other"))
    try store.commit { try $0.seal(source, with: .random()) }
    func hear(_ id: String?, _ nonce: UInt8, in source: SourceID) throws -> Bool {
        let nonce = [UInt8](repeating: nonce, count: 16)
        let about = BrokerText(topic: "club/\(id ?? "talk")", writer: "Ann", id: id, nonce: nonce)
        return try store.commit { try $0.insertReceived("Servus", about, in: source, at: 2_000) != nil }
    }
    #expect(try hear("a-1", 1, in: source))
    // By its nonce, whatever else it says, and by its id.
    #expect(try !hear("a-1", 1, in: source) && !hear("a-2", 1, in: source) && !hear(nil, 1, in: source))
    #expect(try !hear("a-1", 2, in: source))
    #expect(try hear(nil, 3, in: source) && !hear(nil, 3, in: source))
    // Another conversation has its own.
    #expect(try hear("a-1", 1, in: other))
    // An own one that comes back.
    _ = try store.say("mine", in: source, at: 3_000)
    let nonce = try #require(try store.waiting().first?.seal?.nonce)
    let echo = BrokerText(topic: "club/talk", writer: "Hut", nonce: nonce)
    #expect(try store.commit { try $0.insertReceived("mine", echo, in: source, at: 3_100) } == nil)
    // Also when it was deleted meanwhile.
    let newest = try #require(try store.read { try $0.messages(.init(source: source)).first { $0.text == "Servus" } })
    #expect(try store.commit { try $0.deleteMessage(id: newest.id, in: source) } != nil)
    #expect(try !hear(nil, 3, in: source))
}
