import MeshModel
import Testing

@testable import Store

/// A take-over, an import and a clock that is set right change more than is told row by row: who has followed until then
/// has missed nobody knows what, and goes on from there.
@Suite struct WhatIsNotToldRowByRowIsMissed {
    private let folder = Folder()

    /// One run of the gateway, in which so many messages come; the number of its last change.
    @discardableResult
    private func run(
        _ ids: ClosedRange<PacketID>, path: String? = nil, _ look: (Store) throws -> Void = { _ in }
    ) throws -> Int64 {
        let store = try Store(path: path ?? folder.database)
        defer { store.close() }
        store.observe { _ in }
        let source = try store.commit { try $0.sources().first?.id ?? $0.insert(.example) }
        try look(store)
        for id in ids {
            try store.commit { _ = try $0.insertMessage(.received("text \(id)", id: id, at: noon), in: source) }
        }
        return try store.read { try $0.newestChange() }
    }

    /// Who comes back with a number of before is told so, and whoever was told goes on behind it.
    private func expectMissed(_ known: Int64, path: String? = nil) throws {
        var newest: Int64 = 0
        try run(50...60, path: path) { store in
            #expect(try store.read { try $0.forgottenChanges(after: known) } == nil)
            #expect(try store.read { try $0.forgottenChanges(after: 0) } == nil)
            newest = try store.read { try $0.newestChange() }
        }
        let store = try Store(path: path ?? folder.database)
        defer { store.close() }
        #expect(try store.read { try $0.forgottenChanges(after: known) } == nil)
        #expect(try store.read { try $0.forgottenChanges(after: newest) } == 0)
        let since = try store.read { try $0.changes(after: newest, kinds: Set(StoredChange.Kind.allCases)) }
        #expect(since.changes.count == 11 && since.isComplete)
    }

    @Test func aTakeOver() throws {
        let known = try run(1...3)
        try BulkChange.run(path: folder.database, program: "0") { _ in }
        try expectMissed(known)
    }

    @Test func whatIsOnlyTriedChangesNothing() throws {
        let known = try run(1...3)
        try BulkChange.run(path: folder.database, program: "0", isKept: false) { _ in }
        try run(4...5) { store in
            let forgotten = try store.read { try $0.forgottenChanges(after: known) }
            #expect(forgotten == 0)
        }
    }

    /// The numbers of the database whose place it takes begin low, as those of any new one.
    @Test func anImport() throws {
        let known = try run(1...3)
        let path = folder.database + "-imported"
        let file = try UnfinishedFile(for: path, replaces: false)
        _ = try DatabaseImport(into: file, program: "0").finish()
        try file.publish()
        try expectMissed(known, path: path)
    }

    @Test func aClockThatIsSetRight() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        store.observe { _ in }
        try store.commit { _ = try $0.insertMessage(.received("in 1970", id: 1, at: 40_000), in: source) }
        let known = try store.read { try $0.newestChange() }
        // Between two times of which either may be right nothing is changed.
        try store.commit { try $0.clockWasSet(by: hour, at: noon) }
        #expect(try store.read { try $0.forgottenChanges(after: known) } == 0)
        try store.commit { try $0.clockWasSet(by: noon, at: hour) }
        #expect(try store.read { try $0.forgottenChanges(after: known) } == nil)
        let newest = try store.read { try $0.newestChange() }
        try store.commit { _ = try $0.insertMessage(.received("later", id: 2, at: noon), in: source) }
        #expect(try store.read { try $0.forgottenChanges(after: newest) } == 0)
        #expect(try store.read { try $0.changes(after: newest, kinds: [.message]) }.changes.count == 1)
    }
}
