import MeshModel
import Testing

@testable import Store

@Suite struct EachTokenHasItsReadMarks {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws {
        (store, source) = try Store.withSource(folder)
        let source = source
        try store.commit { writer in
            for node in [alice, bob] { try writer.updateNode(node, in: source, at: noon) { _ in } }
            for (index, message) in [
                Message.received("a", id: 1), .received("b", from: bob, id: 2), .own("mine", id: 3),
                .received("c", channel: 2, id: 4), .received("d", from: bob, to: alice, id: 5),
                .received("e", from: bob, to: alice, id: 6), .received("f", from: alice, to: bob, id: 7),
                .own("to bob", to: bob, id: 8),
            ].enumerated() {
                var message = message
                message.createdAt = noon + Int64(index)
                try writer.insertMessage(message, in: source)
            }
        }
    }

    private func unread(by token: Int64, _ channels: [Int] = Array(0...7), direct: Bool = true) throws -> UnreadCounts {
        try store.read { try $0.unread(by: token, channels: channels, direct: direct, in: source) }
    }

    private func mark(_ conversation: Conversation, by token: Int64, upTo: Int64? = nil) throws {
        let source = source
        try store.commit { try $0.markRead(conversation, by: token, upTo: upTo, in: source) }
    }

    @Test func ownMessagesAreRead() throws {
        #expect(try unread(by: 1) == UnreadCounts(channels: [0: 2, 2: 1], direct: [bob: 2, alice: 1]))
        #expect(try unread(by: 1, [2], direct: false) == UnreadCounts(channels: [2: 1]))
    }

    @Test func aMarkIsOneTokensAndOneConversations() throws {
        try mark(.channel(0), by: 1)
        try mark(.direct(bob), by: 1)
        #expect(try unread(by: 1) == UnreadCounts(channels: [2: 1], direct: [alice: 1]))
        #expect(try unread(by: 2) == UnreadCounts(channels: [0: 2, 2: 1], direct: [bob: 2, alice: 1]))
        try mark(.allDirect, by: 2)
        #expect(try unread(by: 2) == UnreadCounts(channels: [0: 2, 2: 1]))
        let source = source
        try store.commit { writer in
            try writer.insertMessage(.received("later", from: bob, to: alice, id: 9, at: noon + 99), in: source)
        }
        #expect(try unread(by: 1).direct == [alice: 1, bob: 1])
        #expect(try unread(by: 2).direct == [bob: 1])
    }

    @Test func marksOnlyMoveForward() throws {
        try mark(.channel(0), by: 1, upTo: noon)
        #expect(try unread(by: 1).channels[0] == 1)
        try mark(.channel(0), by: 1)
        try mark(.channel(0), by: 1, upTo: noon)
        #expect(try unread(by: 1).channels[0] == nil)
        // Nothing that comes later is read already.
        try mark(.channel(2), by: 1, upTo: noon + day)
        let source = source
        try store.commit { try $0.insertMessage(.received("g", channel: 2, id: 10, at: noon + hour), in: source) }
        #expect(try unread(by: 1).channels[2] == 1)
    }

    @Test func countingEndsSomewhere() throws {
        let source = source
        try store.commit { writer in
            for id in 100...1200 as ClosedRange<PacketID> {
                try writer.insertMessage(.received("x", channel: 5, id: id, at: noon + Int64(id)), in: source)
            }
        }
        #expect(try unread(by: 1).channels[5] == 1000)
        try mark(.channel(5), by: 1, upTo: noon + 1190)
        #expect(try unread(by: 1).channels[5] == 10)
    }

    @Test func noMarksOfNobodyAreKept() throws {
        try mark(.direct(NodeNumber(0x777)), by: 1)
        try mark(.channel(7), by: 1)
        let token = try store.commit { writer in
            try writer.insertToken(
                name: "phone", hash: [UInt8](repeating: 1, count: 32), prefix: "mm_v1_", scopes: "", at: noon)
        }
        try mark(.channel(0), by: token)
        #expect(try secondConnection(store).integer("SELECT count(*) FROM read_marks") == 1)
        try store.commit { try $0.revokeToken(id: token, at: noon + 1) }
        #expect(try secondConnection(store).integer("SELECT count(*) FROM read_marks") == 0)
    }
}
