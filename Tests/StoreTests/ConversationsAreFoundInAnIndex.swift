import MeshModel
import Testing

@testable import Store

@Suite struct ConversationsAreFoundInAnIndex {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws { (store, source) = try Store.withSource(folder) }

    private func insert(_ messages: [Message]) throws {
        let source = source
        try store.commit { writer in
            for message in messages { try writer.insertMessage(message, in: source) }
        }
    }

    private func ids(_ channels: [Int]? = nil, direct: Bool = true) throws -> [String] {
        try store.read { try $0.conversations(in: source, channels: channels, direct: direct) }
            .map(\.conversation.id)
    }

    @Test func newestFirst() throws {
        #expect(try ids() == [])
        try insert([
            .received("a", id: 1, at: noon), .received("b", channel: 2, id: 2, at: noon + 3),
            .received("c", from: bob, to: alice, id: 3, at: noon + 1), .own("d", to: bob, id: 4, at: noon + 4),
            .received("e", from: NodeNumber(.max - 1), to: alice, id: 5, at: noon + 2),
            .received("f", channel: 101, id: 6, at: noon + 5),
            // A conversation between others belongs to who has begun to speak.
            .received("g", from: NodeNumber(7), to: bob, id: 7, at: noon + 6),
        ])
        let all = [
            "direct:!00000007", "channel:101", "direct:!abcdef12", "channel:2", "direct:!fffffffe", "channel:0",
        ]
        #expect(try ids() == all)
        #expect(try ids([0, 1]) == ["direct:!00000007", "direct:!abcdef12", "direct:!fffffffe", "channel:0"])
        #expect(try ids([2], direct: false) == ["channel:2"])
        let places = try store.read { try $0.conversations(in: source, channels: nil) }
        let texts = try store.read { reader in
            try places.map { try reader.message(at: try #require($0.newest), in: source)?.text }
        }
        #expect(texts == ["g", "f", "d", "b", "e", "a"])
        for place in places {
            #expect(try store.read { try $0.newest(of: place.conversation, in: source) } == place.newest)
        }
    }

    @Test func aDeletedMessageIsNobodysNewest() throws {
        try insert([
            .received("a", from: bob, to: alice, id: 1, at: noon), .own("b", to: bob, id: 2, at: noon + 1),
            .received("c", id: 3, at: noon + 2),
        ])
        let source = source
        for (id, left) in [("2", ["channel:0", "direct:!abcdef12"]), ("1", ["channel:0"]), ("3", [])] {
            try store.commit { _ = try $0.deleteMessage(id: id, in: source) }
            #expect(try ids() == left)
        }
    }

    @Test func eachStepIsOneSearch() throws {
        for sql in [Reader.nextPeer, Reader.nextChannel] {
            let plan = try store.read { try $0.plan(sql) }
            #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH messages USING"), "\(plan)")
        }
        for conversation in [Conversation.channel(0), .direct(bob), .allDirect] {
            let plan = try store.read { reader in
                try reader.plan(
                    "SELECT created_at, id FROM messages \(conversation.terms) AND (created_at, id) > (?3, ?4)"
                        + " ORDER BY created_at DESC, id DESC LIMIT 1")
            }
            #expect(plan.count == 1 && plan[0].contains("created_at>?"), "\(plan)")
        }
    }

    @Test func anIDHasOneForm() {
        for id in ["channel:0", "channel:7", "channel:101", "direct:!abcdef12", "direct:!00000001"] {
            #expect(Conversation(id: id)?.id == id)
        }
        for id in [
            "", "channel", "channel:", "channel:-1", "channel:+1", "channel:01", "channel:0 ", "channel:9999999999",
            "direct", "direct:", "direct:abcdef12", "direct:!ABCDEF12", "direct:!1", "direct:!ffffffff", "direct:!0:1",
            "0", "!abcdef12", "Channel:0",
        ] {
            #expect(Conversation(id: id) == nil, "\(id)")
        }
    }
}
