import MeshModel
import Platform
import Testing

@testable import Store

/// A full disk, as SQLite sees it: the file may not grow (SQLITE_FULL).
@Test(.timeLimit(.minutes(10))) func aFullDiskDelaysChangesAndLosesNone() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let text = String(repeating: "x", count: 5_000)
    let fill: @Sendable (Writer) throws -> Void = { writer in
        let pages = try writer.connection.integer("PRAGMA page_count") ?? 0
        try writer.connection.execute("PRAGMA max_page_count = \(pages)")
    }
    try store.commit(fill)
    #expect(throws: StoreError.self) {
        try store.commit { _ = try $0.insertMessage(.received(text, id: 1), in: source) }
    }
    let failing = store.health
    #expect(failing.failingSince != nil)
    #expect(failing.lastError?.contains("full") == true)

    // Nobody waits for these: they stay in the queue until there is space.
    let disk = Monitor((isFull: true, stored: 0))
    for id in 2...3 as ClosedRange<PacketID> {
        store.enqueue(
            id == 2 ? .immediate : .grouped,
            { writer in
                if !disk.withLock({ $0.isFull }) {
                    try writer.connection.execute("PRAGMA max_page_count = 1000000")
                }
                _ = try writer.insertMessage(.received(text + "\(id)", id: id), in: source)
            },
            done: { if case .success = $0 { disk.notify { $0.stored += 1 } } })
    }
    // Who asks meanwhile is told at once, and reads what there is.
    #expect(throws: StoreError.self) {
        try store.commit { _ = try $0.insertMessage(.received(text, id: 4), in: source) }
    }
    #expect(try store.read { try $0.messages(.init(source: source)) }.isEmpty)

    disk.notify { $0.isFull = false }
    let end = MonotonicClock.nanoseconds() + 40_000_000_000
    #expect(disk.wait(until: end) { disk, _ in disk.stored >= 1 ? true : nil } == true)
    // Ends the group that the other one is in.
    try store.commit { _ in }
    #expect(disk.withLock { $0.stored } == 2)
    #expect(store.health.failingSince == nil)
    #expect(try store.read { try $0.messages(.init(source: source)) }.map(\.packetID) == [3, 2])
}
