import MeshModel
import Testing

@testable import Store

@Suite struct AMarkMayGoBack {
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    /// Ten from Bob to us, at three moments, and ten on channel 0.
    init() throws {
        (store, source) = try Store.withSource(folder)
        let source = source
        try store.commit { writer in
            for id in 1...10 as ClosedRange<PacketID> {
                let time = noon + Int64(id / 4)
                try writer.insertMessage(.received("d\(id)", from: bob, to: alice, id: id, at: time), in: source)
                try writer.insertMessage(.received("c\(id)", id: 100 + id, at: time), in: source)
            }
        }
    }

    private func unread(_ conversation: Conversation = .direct(bob), by token: Int64 = 1) throws -> Int {
        try store.read { try $0.unread(conversation, by: token, in: source) }
    }

    /// As the routes do it: by the message's id.
    private func mark(_ conversation: Conversation = .direct(bob), unreadFrom id: PacketID?) throws {
        let (source, place) = (source, try place(id))
        try store.commit { try $0.markUnread(conversation, by: 1, from: place, in: source) }
    }

    private func mark(_ conversation: Conversation = .direct(bob), readUpTo id: PacketID?) throws {
        let (source, place) = (source, try place(id))
        try store.commit { try $0.markRead(conversation, by: 1, upToPlace: place, in: source) }
    }

    private func place(_ id: PacketID?) throws -> MessagePosition? {
        try id.map { id in try #require(try store.read { try $0.place(ofMessage: "\(id)", in: source) }).place }
    }

    @Test func exactlyToItsMessage() throws {
        for id in 1...10 as ClosedRange<PacketID> {
            try mark(readUpTo: nil)
            #expect(try unread() == 0)
            try mark(unreadFrom: id)
            #expect(try unread() == 11 - Int(id))
            #expect(
                try store.read { try $0.unread(by: 1, channels: [], direct: true, in: source) }.direct[bob]
                    == 11 - Int(id))
            // Marking as unread what is unread changes nothing.
            try mark(unreadFrom: 10)
            #expect(try unread() == 11 - Int(id))
            // Reading moves it forward, to the message and not to its moment.
            try mark(readUpTo: id)
            #expect(try unread() == 10 - Int(id))
        }
        #expect(try unread(.channel(0)) == 10)
        #expect(try unread(by: 2) == 10)
    }

    @Test func withoutAMessageToTheNewestThatIsToBeRead() throws {
        let source = source
        try store.commit { try $0.insertMessage(.own("mine", to: bob, id: 50, at: noon + 99), in: source) }
        try mark(readUpTo: nil)
        try mark(unreadFrom: nil)
        #expect(try unread() == 1)
        try mark(.channel(7), unreadFrom: nil)
        #expect(try unread(.channel(7)) == 0)
    }

    /// All direct messages are read, then one conversation is not.
    @Test func alsoBehindAMarkOnAll() throws {
        let source = source
        try mark(unreadFrom: 3)
        try store.commit { try $0.markRead(.allDirect, by: 1, in: source) }
        #expect(try unread() == 0)
        try mark(unreadFrom: 8)
        #expect(try unread() == 3)
        let counts = try store.read { try $0.unread(by: 1, channels: [], direct: true, in: source) }
        #expect(counts.direct == [bob: 3])
        try store.commit { try $0.markRead(.allDirect, by: 1, in: source) }
        #expect(try unread() == 0)
    }

    /// The mark stays where it is when its message is deleted, and when the one behind it is.
    @Test(arguments: [4, 5, 6] as [PacketID]) func aDeletionLeavesIt(_ gone: PacketID) throws {
        let source = source
        try mark(readUpTo: nil)
        try mark(unreadFrom: 6)
        try store.commit { _ = try $0.deleteMessage(id: "\(gone)", in: source) }
        #expect(try unread() == (gone == 6 ? 4 : 5))
        try mark(.channel(0), readUpTo: 105)
        #expect(try unread(.channel(0)) == 5)
    }

    /// A clock that was years ahead has stored what came; then it is right. What was unread stays unread, and so does what
    /// comes afterwards.
    @Test func messagesThatGetAnotherTimeTakeItWithThem() throws {
        let source = source
        try mark(readUpTo: 6)
        try store.commit { writer in
            while try writer.bringBackMessages(to: noon - day, batch: 3) {}
            try writer.insertMessage(.received("later", from: bob, to: alice, id: 60, at: noon - hour), in: source)
        }
        #expect(try unread() == 5)
    }

    @Test func soDoThoseFromBeforeTheClockWasRight() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        try store.commit { writer in
            for id in 1...4 as ClosedRange<PacketID> {
                try writer.insertMessage(
                    .received("x", from: bob, to: alice, id: id, at: Int64(id) * 1000), in: source)
            }
            try writer.markRead(.direct(bob), by: 1, upTo: 2000, in: source)
            try writer.mute(.direct(bob), .until(9000), by: 1, in: source)
            try writer.clockWasSet(by: noon, at: 5000)
        }
        #expect(try store.read { try $0.unread(.direct(bob), by: 1, in: source) } == 2)
        #expect(try store.read { try $0.mutes(by: 1, in: source) } == [.direct(bob): .until(noon + 9000)])
    }
}
