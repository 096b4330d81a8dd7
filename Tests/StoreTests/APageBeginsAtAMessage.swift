import MeshModel
import Testing

@testable import Store

/// Pages by a message: before it, after it, around it. What they hold is what a plain list, cut there, would say.
@Suite struct APageBeginsAtAMessage {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID
    /// Newest first.
    private let all: [Stored]

    private struct Stored {
        var message: Message
        var place: MessagePosition
    }

    /// 240 messages on two channels and with two nodes, a few at each moment.
    init() throws {
        (store, source) = try Store.withSource(folder)
        let source = source
        try store.commit { writer in
            for id in 1...240 as ClosedRange<PacketID> {
                let time = noon + Int64(id / 5) * 1000
                let message: Message =
                    switch id % 6 {
                    case 0: .received("0", from: bob, id: id, at: time)
                    case 1: .received("2", channel: 2, id: id, at: time)
                    case 2: .own("out", id: id, at: time)
                    case 3: .received("in", from: bob, to: alice, id: id, at: time)
                    case 4: .own("to bob", to: bob, id: id, at: time)
                    default: .received("other", from: NodeNumber(9), to: alice, id: id, at: time)
                    }
                try writer.insertMessage(message, in: source)
            }
        }
        all = try store.read { reader in
            try reader.messages(MessageQuery(source: source, limit: 1000)).map { message in
                Stored(message: message, place: try #require(try reader.place(ofMessage: message.id, in: source)).place)
            }
        }
        #expect(all.count == 240)
    }

    private func page(_ query: MessageQuery, _ place: PagePlace) throws -> MessagePage {
        try store.read { try $0.page(query, at: place) }
    }

    private func query(_ change: (inout MessageQuery) -> Void) -> MessageQuery {
        var query = MessageQuery(source: source)
        change(&query)
        return query
    }

    private var questions: [(query: MessageQuery, contains: (Message) -> Bool)] {
        [
            (query { _ in }, { _ in true }), (query { $0.channel = 0 }, { $0.channel == 0 }),
            (query { $0.channels = [2, -1, 7] }, { [2, -1, 7].contains($0.channel) }),
            (query { $0.peer = bob }, { Conversation(of: $0) == .direct(bob) }),
            (query { ($0.peer, $0.channels) = (bob, [-1]) }, { Conversation(of: $0) == .direct(bob) }),
            (query { ($0.peer, $0.from) = (bob, bob) }, { Conversation(of: $0) == .direct(bob) && !$0.isOwn }),
            (query { ($0.peer, $0.from) = (bob, alice) }, { Conversation(of: $0) == .direct(bob) && $0.isOwn }),
            (query { ($0.peer, $0.to) = (bob, bob) }, { Conversation(of: $0) == .direct(bob) && $0.isOwn }),
            (query { ($0.peer, $0.to) = (bob, alice) }, { Conversation(of: $0) == .direct(bob) && !$0.isOwn }),
            (
                query { ($0.peer, $0.since) = (bob, noon + 20_000) },
                {
                    Conversation(of: $0) == .direct(bob) && $0.createdAt > noon + 20_000
                }
            ),
            (query { ($0.peer, $0.channel) = (bob, 0) }, { _ in false }),
            (query { $0.channels = [] }, { _ in false }),
        ]
    }

    @Test func beforeAfterAndAround() throws {
        for (query, contains) in questions {
            let rows = all.filter { contains($0.message) }
            for limit in [1, 2, 7, 500] {
                var query = query
                query.limit = limit
                let newest = try page(query, .newest)
                #expect(newest.messages == rows.prefix(limit).map(\.message))
                #expect((newest.hasOlder, newest.hasNewer) == (rows.count > limit, false))
                for start in [0, 1, 17, 100, 101, 102, 103, 104, 238, 239].map({ all[$0].place }) {
                    let (older, newer) = (rows.filter { $0.place < start }, rows.filter { start < $0.place })
                    let isIn = older.count + newer.count < rows.count
                    let before = try page(query, .before(start))
                    #expect(before.messages == older.prefix(limit).map(\.message))
                    #expect((before.hasOlder, before.hasNewer) == (older.count > limit, isIn || !newer.isEmpty))
                    let after = try page(query, .after(start))
                    #expect(after.messages == newer.suffix(limit).map(\.message))
                    #expect((after.hasOlder, after.hasNewer) == (isIn || !older.isEmpty, newer.count > limit))

                    let around = try page(query, .around(start))
                    let first = around.messages.first.flatMap { one in rows.firstIndex { $0.message == one } } ?? 0
                    #expect(around.messages.count == min(limit, rows.count))
                    #expect(around.messages == rows[first...].prefix(limit).map(\.message))
                    #expect((around.hasOlder, around.hasNewer) == (first + limit < rows.count, first > 0))
                    // It is in the middle, unless the list ends on one side.
                    guard isIn, first > 0, first + limit < rows.count else { continue }
                    #expect(around.messages[(limit - 1) / 2] == all.first { $0.place == start }?.message)
                }
            }
        }
    }

    /// A place stays when its message is gone.
    @Test func aDeletedMessageLeavesItsPlace() throws {
        let (source, gone) = (source, all[100])
        try store.commit { _ = try $0.deleteMessage(id: gone.message.id, in: source) }
        let query = MessageQuery(source: source, limit: 3)
        #expect(try page(query, .before(gone.place)).messages == all[101...103].map(\.message))
        #expect(try page(query, .after(gone.place)).messages == all[97...99].map(\.message))
        #expect(try store.read { try $0.place(ofMessage: gone.message.id, in: source) } == nil)
        #expect(try store.read { try $0.message(at: gone.place, in: source) } == nil)
    }

    /// However deep a page is, an index leads to it: nothing is sorted, and nothing passed over.
    @Test func everyPlaceIsFoundInAnIndex() throws {
        let place = all[0].place
        for (question, _) in questions {
            guard var query = question.resolved else { continue }
            for isOlder in [true, false] {
                query.order = isOlder ? .newestFirst : .oldestFirst
                (query.older, query.newer) = isOlder ? (place, nil) : (nil, place)
                for (moment, bound) in [
                    (MessageQuery.Moment.same, "created_at=? AND rowid"), (.other, "created_at"),
                ] {
                    let plan = try store.read { try $0.plan(query.sql("created_at, id", at: moment)) }
                    #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH messages USING"), "\(plan)")
                    #expect(plan[0].contains(bound + (isOlder ? "<?" : ">?")), "\(plan)")
                }
            }
        }
    }
}
