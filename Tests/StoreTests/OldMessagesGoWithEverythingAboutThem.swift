import MeshModel
import Testing

@testable import Store

/// When messages are not kept for ever: counts, search and ids stay right.
@Suite struct OldMessagesGoWithEverythingAboutThem {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws {
        let week = Retention(telemetry: nil, positions: nil, packets: nil, messages: 7 * day, size: nil)
        (store, source) = try Store.withSource(folder, retention: week)
    }

    private func insert(_ days: ClosedRange<Int>) throws {
        let source = source
        try store.commit { writer in
            for number in days {
                let at = noon + Int64(number) * day
                try writer.insertMessage(.received("day number \(number).", id: PacketID(number), at: at), in: source)
            }
        }
    }

    private func prune(_ number: Int) throws -> Int {
        try store.commit { try $0.pruneOld(now: noon + Int64(number) * day) }
    }

    /// Waits until the search index has taken in all messages: it follows in groups of its own.
    private func index() async throws {
        let isBehind = "SELECT (SELECT indexed FROM search_state) < (SELECT max(id) FROM messages)"
        for _ in 0..<10_000 {
            await store.runGrouped { _ in }
            _ = try store.read { try $0.sources() }
            if try secondConnection(store).integer(isBehind) == 0 { return }
        }
        Issue.record("the index does not follow")
    }

    private func count() throws -> Int { try store.read { try $0.counts(in: source).messages } }

    private func hits(_ text: String) throws -> Int {
        try store.read { try $0.searchMessages(SearchQuery(source: source, text: text)) }.total
    }

    private func delete(_ id: PacketID) throws {
        let source = source
        let row = try #require(try store.read { try $0.message(packetID: id, from: nil, in: source) })
        _ = try store.commit { try $0.deleteMessage(id: row.id, in: source) }
    }

    @Test func countsFollow() throws {
        try insert(1...10)
        #expect(try count() == 10)
        #expect(try prune(12) == 4)
        #expect(try count() == 6)
        // A person deletes one that stays, and one whose row then goes.
        try delete(6)
        try delete(9)
        #expect(try count() == 4)
        try insert(11...12)
        #expect(try prune(15) == 3)
        #expect(try count() == 4)
        // Counted never, and then gone.
        try insert(13...30)
        #expect(try prune(35) == 20)
        #expect(try count() == 3)
        store.close()
        let again = try Store(path: folder.database)
        #expect(try again.read { try $0.counts(in: source).messages } == 3)
    }

    /// What readers have counted is noted once an hour: the next start counts only what came behind.
    @Test func theNumberIsKeptAcrossStarts() throws {
        try insert(1...10)
        try delete(2)
        #expect(try count() == 9)
        try store.commit { try $0.noteMessageCounts() }
        #expect(try prune(12) == 4)
        try insert(11...13)
        store.close()
        let noted = try DatabaseConnection(path: folder.database, access: .readWrite)
        #expect(try noted.integer("SELECT removed FROM message_removals WHERE source < 0") == 10)
        // A number that no count would give.
        try noted.execute("UPDATE message_removals SET removed = removed + 100 WHERE source < 0")
        noted.close()
        var again = try Store(path: folder.database)
        let source = source
        #expect(try again.read { try $0.counts(in: source).messages } == 109)
        // The last that was counted goes, and one that came behind it: nothing is known of that.
        _ = try again.commit { try $0.removeMessages([10, 11]) }
        again.close()
        again = try Store(path: folder.database)
        #expect(try again.read { try $0.counts(in: source).messages } == 7)
        again.close()
    }

    @Test func searchForgetsThem() async throws {
        try insert(1...5)
        try await index()
        try insert(6...10)
        #expect(try hits("number") == 10)
        // Half of what goes is in the index, half is not.
        #expect(try prune(15) == 7)
        #expect(try hits("number") == 3)
        #expect(try hits("number 3") == 0)
        try await index()
        #expect(try hits("number") == 3)
        let inIndex = "SELECT count(*) FROM message_search WHERE message_search MATCH '\"num\"'"
        #expect(try secondConnection(store).integer(inIndex) == 3)
    }

    /// Numbers of rows are never used again: the search index would take a new text for the old one.
    @Test func theNewestRowStays() async throws {
        try insert(1...3)
        try await index()
        #expect(try prune(300) == 2)
        try delete(3)
        #expect(try prune(300) == 0)
        try insert(301...301)
        #expect(try prune(301) == 1)
        try await index()
        #expect(try hits("number 301") == 1)
        #expect(try count() == 1)
    }

    /// The first message under a packet id is gone, the second one is not: the third is neither.
    @Test func anIDIsNotGivenTwice() throws {
        let source = source
        for (place, text) in ["one", "two"].enumerated() {
            let message = Message.received(text, id: 7, at: noon + Int64(place) * 6 * day)
            try store.commit { _ = try $0.insertMessage(message, in: source) }
        }
        #expect(try prune(8) == 1)
        try store.commit {
            _ = try $0.insertMessage(.received("three", id: 7, at: noon + 8 * day), in: source)
        }
        let ids = try store.read { try $0.messages(.init(source: source)) }.map(\.id)
        #expect(ids == [3, 2].map { "\(Source.example.uuid)_\(alice.rawValue)-\($0)_7" })
    }
}
