import Foundation
import MeshModel
import Synchronization
import Testing

@testable import Store

/// Whoever was away asks for what has changed since the last number that he saw, over a restart too.
@Suite struct WhatChangedIsFoundByItsNumber {
    private func message(_ id: PacketID, at time: Int64) -> Message {
        Message(
            id: "", from: NodeNumber(1), to: .broadcast, text: "text \(id)", channel: 0, packetID: id, timestamp: time,
            createdAt: time, updatedAt: time)
    }

    private let all = Set(StoredChange.Kind.allCases)

    @Test func overARestart() throws {
        let folder = Folder()
        let store = try Store(path: folder.database)
        let told = Mutex<[StoredChange]>([])
        store.observe { changes in told.withLock { $0 += changes } }
        let source = try store.commit { try $0.insert(Source(uuid: "u", name: "n", isEnabled: true, createdAt: 1)) }
        try store.commit { writer in
            try writer.insertMessage(message(7, at: 100), in: source)
            // Twice in one commit, and its present state counts.
            for name in ["A", "B"] { try writer.updateNode(NodeNumber(1), in: source, at: 100) { $0.longName = name } }
            try writer.insertPosition(
                Position(latitudeI: 1, longitudeI: 2), from: NodeNumber(1), packet: nil, in: source, at: 100)
        }
        let first = told.withLock { $0 }
        #expect(
            first.map(\.what) == [
                .message(id: "u_1_7", at: 100), .node(NodeNumber(1)), .position(NodeNumber(1), row: 1),
            ])
        #expect(first.map(\.number) == [1, 2, 3] && first.allSatisfy { $0.source == source })
        store.close()

        let again = try Store(path: folder.database)
        defer { again.close() }
        again.observe { _ in }
        try again.commit { writer in
            try writer.insertMessage(message(8, at: 200), in: source)
            try writer.updateChannels([Channel(index: 3, role: .secondary, psk: [1])], in: source, at: 200)
        }
        let since = try again.read { try $0.changes(after: 1, kinds: all) }
        #expect(
            since.changes.map(\.what) == [
                .node(NodeNumber(1)), .position(NodeNumber(1), row: 1), .message(id: "u_1_8", at: 200),
                .channel(3),
            ])
        // A run begins far behind the one before.
        #expect(since.last > Writer.leap.lowerBound && since.isComplete)
        #expect(try again.read { try $0.newestChange() } == since.last)
        #expect(try again.read { try $0.forgottenChanges(after: 1) } == 0)
        let messages = try again.read { try $0.changes(after: 0, kinds: [.message], limit: 3) }
        #expect(messages.changes.map(\.number) == [1] && messages.last == 3)
        #expect(try again.read { try $0.changes(after: since.last, kinds: all) }.changes.isEmpty)
    }

    /// A power cut takes the last groups, a restoration the last days: numbers of what is lost are given to nothing else.
    @Test func notUnderTheNumbersOfWhatWasLost() throws {
        let folder = Folder()
        func run(_ ids: ClosedRange<PacketID>) throws -> Int64 {
            let store = try Store(path: folder.database)
            defer { store.close() }
            store.observe { _ in }
            let source = try store.commit { writer in
                try writer.sources().first?.id
                    ?? writer.insert(Source(uuid: "u", name: "n", isEnabled: true, createdAt: 1))
            }
            for id in ids { try store.commit { _ = try $0.insertMessage(message(id, at: 100), in: source) } }
            return try store.read { try $0.newestChange() }
        }
        let kept = try run(1...3)
        let copy = try #require(FileManager.default.contents(atPath: folder.database))
        let lost = try run(4...9)
        try copy.write(to: URL(fileURLWithPath: folder.database))
        _ = try run(10...30)
        let store = try Store(path: folder.database)
        defer { store.close() }
        #expect(try store.read { try $0.forgottenChanges(after: lost) } == nil)
        #expect(try store.read { try $0.forgottenChanges(after: kept) } == 0)
        #expect(try store.read { try $0.changes(after: kept, kinds: all) }.changes.count == 21)
    }

    /// What a change that failed had noted is never told, and takes no number.
    @Test func notWhatWasUndone() throws {
        struct Refused: Error {}
        let folder = Folder()
        let store = try Store(path: folder.database)
        defer { store.close() }
        store.observe { _ in }
        let source = try store.commit { try $0.insert(Source(uuid: "u", name: "n", isEnabled: true, createdAt: 1)) }
        #expect(throws: Refused.self) {
            try store.commit { writer in
                try writer.insertMessage(message(7, at: 100), in: source)
                throw Refused()
            }
        }
        try store.commit { _ = try $0.insertMessage(message(8, at: 100), in: source) }
        let found = try store.read { try $0.changes(after: 0, kinds: all) }.changes
        #expect(found.map(\.number) == [1] && found.first?.what == .message(id: "u_1_8", at: 100))
    }

    /// Only the newest are kept; whoever comes with an older number is told that there was more.
    @Test func onlyTheNewestAreKept() throws {
        let folder = Folder.inMemory()
        let store = try Store(path: folder.database)
        defer { store.close() }
        store.observe { _ in }
        let source = try store.commit { try $0.insert(Source(uuid: "u", name: "n", isEnabled: true, createdAt: 1)) }
        let count = Writer.keptChanges + 1_000
        try store.commit { writer in
            for id in 1...PacketID(count) { try writer.insertMessage(message(id, at: 100), in: source) }
        }
        #expect(try store.read { try $0.newestChange() } == count)
        #expect(try !store.read { try $0.changes(after: 1, kinds: all, limit: 1) }.isComplete)
        #expect(try store.read { try $0.changes(after: 1_000, kinds: all, limit: 1) }.isComplete)
        let kept = try store.read { try $0.changes(after: 0, kinds: all, limit: .max) }.changes.count
        // Rows go as a whole.
        #expect((Int(Writer.keptChanges)..<Int(Writer.keptChanges) + 300).contains(kept))
        #expect(try store.read { try $0.connection.integer("SELECT max(length(earlier)) FROM changes") } ?? 0 <= 900)
    }
}
