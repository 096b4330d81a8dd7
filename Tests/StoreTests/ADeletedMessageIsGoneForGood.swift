import MeshModel
import Testing

@testable import Store

@Suite struct ADeletedMessageIsGoneForGood {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws { (store, source) = try Store.withSource(folder) }

    private func insert(_ messages: Message...) throws {
        let source = source
        try store.commit { writer in for message in messages { try writer.insertMessage(message, in: source) } }
    }

    private func delete(_ packetID: PacketID) throws -> DeletedMessage? {
        let source = source
        let id = try #require(try store.read { try $0.message(packetID: packetID, from: nil, in: source) }).id
        return try store.commit { try $0.deleteMessage(id: id, in: source) }
    }

    private func texts(_ change: (inout MessageQuery) -> Void = { _ in }) throws -> [String] {
        var query = MessageQuery(source: source)
        change(&query)
        return try store.read { try $0.messages(query) }.map(\.text)
    }

    private func hits(_ text: String) throws -> [String] {
        let query = SearchQuery(source: source, text: text)
        return try store.read { try $0.searchMessages(query) }.rows.map(\.text)
    }

    private func count() throws -> Int { try store.read { try $0.counts(in: source).messages } }

    /// The end of a group takes new texts into the index, and a reader ends the group.
    private func index() async throws {
        await store.runGrouped { _ in }
        _ = try store.read { try $0.sources() }
    }

    @Test func noListShowsIt() throws {
        try insert(
            .received("one", id: 1), .received("two", id: 2, at: noon + 1), .received("three", id: 3, at: noon + 2))
        #expect(try delete(2) == DeletedMessage(packetID: 2, isOwn: false))
        let source = source
        #expect(try texts() == ["three", "one"])
        #expect(try texts { $0.channel = 0 } == ["three", "one"])
        #expect(try texts { $0.from = alice } == ["three", "one"])
        #expect(try texts { $0.to = .broadcast } == ["three", "one"])
        #expect(try texts { ($0.from, $0.channel) = (alice, 0) } == ["three", "one"])
        #expect(try texts { $0.since = noon - 1 } == ["three", "one"])
        #expect(try store.read { try $0.message(packetID: 2, from: nil, in: source) } == nil)
        #expect(try store.commit { try $0.deleteMessage(id: "2", in: source) } == nil)
        #expect(try store.commit { try $0.deleteMessage(id: "nonsense", in: source) } == nil)
    }

    @Test func countsFollowWhateverTheyKnewBefore() throws {
        try insert(.received("one", id: 1), .received("two", id: 2), .received("three", id: 3))
        #expect(try count() == 3)
        _ = try delete(3)
        #expect(try count() == 2)
        try insert(.received("four", id: 4))
        #expect(try count() == 3)
        _ = try delete(4)
        _ = try delete(1)
        #expect(try count() == 1)
        store.close()
        // A count that begins anew.
        let again = try Store(path: folder.database)
        #expect(try again.read { try $0.counts(in: source).messages } == 1)
    }

    /// Before and after the index has the text; the row of the newest one is not used for the next.
    @Test func searchFindsNoGhosts() async throws {
        try insert(.received("needle in hay", id: 1), .received("needle in straw", id: 2))
        try await index()
        #expect(try secondConnection(store).integer("SELECT indexed FROM search_state") == 2)
        try insert(.received("needle in grass", id: 3))
        _ = try delete(3)
        _ = try delete(2)
        #expect(try hits("needle") == ["needle in hay"])
        try insert(.received("nothing of the kind", id: 4))
        try await index()
        #expect(try hits("needle") == ["needle in hay"])
        #expect(try hits("of the kind") == ["nothing of the kind"])
        // Not only hidden: the index itself has forgotten the words.
        let straw = "SELECT count(*) FROM message_search WHERE message_search MATCH '\"str\" AND \"raw\"'"
        #expect(try secondConnection(store).integer(straw) == 0)
        #expect(try secondConnection(store).integer("SELECT count(*) FROM messages WHERE text LIKE '%straw%'") == 0)
    }

    @Test func aRepetitionDoesNotBringItBack() throws {
        try insert(.received("hello", id: 1))
        _ = try delete(1)
        let source = source
        for message in [Message.received("hello", id: 1, at: noon + 1), .received("hello", id: 1, at: noon + 30 * day)]
        {
            #expect(try !store.commit { try $0.insertMessage(message, in: source) })
        }
        #expect(try texts().isEmpty)
        #expect(try store.commit { try $0.hasMessage(packetID: 1, from: alice, in: source) })
    }

    @Test func allOfANodeGoInSlices() throws {
        for id in 1...7 as ClosedRange<PacketID> { try insert(.received("on air", from: bob, id: id)) }
        try insert(
            .received("from bob", from: bob, to: alice, id: 8), .own("to bob", to: bob, id: 9),
            .own("to himself", to: alice, id: 10), .received("of somebody else", id: 11))
        let source = source
        var sizes: [Int] = []
        var own: [PacketID] = []
        repeat {
            let deleted = try store.commit { try $0.deleteMessages(with: bob, in: source, limit: 4) }
            sizes.append(deleted.count)
            own += deleted.filter(\.isOwn).map(\.packetID)
        } while sizes.last != 0
        #expect(sizes == [4, 4, 1, 0])
        #expect(own == [9])
        #expect(try Set(texts()) == ["to himself", "of somebody else"])
        #expect(try count() == 2)
        #expect(try store.commit { try $0.deleteMessages(with: .broadcast, in: source, limit: 4) }.isEmpty)
        // From and to the same node: once.
        #expect(try store.commit { try $0.deleteMessages(with: alice, in: source, limit: 4) }.count == 2)
        #expect(try count() == 0)
    }
}
