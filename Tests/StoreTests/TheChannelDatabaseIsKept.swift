import MeshModel
import Testing

@testable import Store

@Suite struct TheChannelDatabaseIsKept {
    private static let hikers = ChannelEntry(
        name: "Hikers", psk: Array(0x10..<0x20), description: "the club", enforcesName: true, sortOrder: 2,
        createdAt: noon, updatedAt: noon)
    private static let rescue = ChannelEntry(
        name: "Rescue", psk: Array(0x40..<0x60), isEnabled: false, sortOrder: 1, createdAt: noon, updatedAt: noon)

    @Test func everyFieldSurvives() throws {
        let folder = Folder()
        let (store, _) = try Store.withSource(folder)
        let (first, second) = try store.commit { writer in
            (try writer.insert(Self.hikers), try writer.insert(Self.rescue))
        }
        var expected = Self.hikers
        expected.id = first.id
        #expect(first == expected)
        #expect(try store.read { try $0.channelEntry(first.id) } == expected)
        #expect(try store.read { try $0.channelEntries() } == [second, first], "in their order")
    }

    @Test func anEntryIsChangedAndItsPacketsCounted() throws {
        let folder = Folder()
        let (store, _) = try Store.withSource(folder)
        let entry = try store.commit { try $0.insert(Self.hikers) }
        let changed = try store.commit { writer in
            try writer.updateChannelEntry(entry.id, at: noon + 1) { $0.psk = [1] }
        }
        try store.commit { writer in
            try writer.countDecrypted(2, with: entry.id, at: noon + 5)
            try writer.countDecrypted(1, with: entry.id, at: noon + 9)
        }
        #expect(changed?.psk == [1] && changed?.updatedAt == noon + 1 && changed?.createdAt == noon)
        let stored = try store.read { try $0.channelEntry(entry.id) }
        #expect(stored?.decryptedPackets == 3 && stored?.lastDecryptedAt == noon + 9)
        #expect(stored?.psk == [1] && stored?.updatedAt == noon + 1)
        #expect(try store.commit { try $0.updateChannelEntry(99, at: noon) { _ in } } == nil)
    }

    /// Messages carry a channel number that is made of the entry's.
    @Test func aNumberIsNeverUsedAgain() throws {
        let folder = Folder()
        let (store, _) = try Store.withSource(folder)
        let first = try store.commit { try $0.insert(Self.hikers) }
        #expect(try store.commit { try $0.deleteChannelEntry(first.id) })
        #expect(try store.commit { try $0.deleteChannelEntry(first.id) } == false)
        let second = try store.commit { try $0.insert(Self.rescue) }
        #expect(second.id != first.id)
        #expect(try store.read { try $0.highestChannelEntryID() } == second.id)
        #expect(try store.read { try $0.channelEntries().map(\.id) } == [second.id])
    }

    @Test func aChangeOfAnEntryIsTold() throws {
        let folder = Folder()
        let (store, _) = try Store.withSource(folder)
        let before = store.revision(.channelDatabase)
        let entry = try store.commit { try $0.insert(Self.hikers) }
        let after = store.revision(.channelDatabase)
        #expect(after > before)
        try store.commit { try $0.countDecrypted(1, with: entry.id, at: noon) }
        #expect(store.revision(.channelDatabase) > after)
    }

    @Test func whoDecryptedAMessageIsKept() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        var message = Message.received("psst", channel: ChannelEntry.channel(of: 7), id: 1)
        message.decryptedWith = 7
        let stored = message
        try store.commit { writer in
            try writer.insertMessage(stored, in: source)
            try writer.insertMessage(.received("hello", id: 2), in: source)
        }
        let messages = try store.read { try $0.messages(MessageQuery(source: source, order: .oldestFirst)) }
        #expect(messages.map(\.decryptedWith) == [7, nil])
        #expect(messages.map(\.channel) == [107, 0])
        // The same packet once more, from the radio this time: still one row.
        #expect(try store.commit { try $0.insertMessage(.received("psst", id: 1), in: source) } == false)
    }
}
