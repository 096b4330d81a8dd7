import MeshModel
import Platform
import Testing

@testable import Store

private struct Refusal: Error {}

@Test func aChangeThatThrowsIsUndoneAlone() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    await store.runGrouped { writer in
        try writer.updateNode(alice, in: source, at: noon) { $0.longName = "Alice" }
        _ = try writer.insertMessage(.received("kept", id: 1), in: source)
    }
    let failed = await store.settle(.grouped) { writer in
        // Rows in the database, rows in memory, and a row that was not there: all of it goes.
        _ = try writer.insertMessage(.received("gone", id: 2), in: source)
        try writer.updateNode(alice, in: source, at: noon + 1) { $0.longName = "Mallory" }
        try writer.updateNode(alice, in: source, at: noon + 1) { $0.longName = "Mallet" }
        try writer.updateNode(bob, in: source, at: noon + 1) { _ in }
        throw Refusal()
    }
    #expect(throws: Refusal.self) { try failed.get() }
    await store.runGrouped { try $0.updateNode(alice, in: source, at: noon + 2) { $0.rssi = -90 } }

    try store.read { reader throws in
        let node = try #require(try reader.node(alice, in: source))
        #expect(node.longName == "Alice")
        #expect(node.rssi == -90)
        #expect(try reader.node(bob, in: source) == nil)
        #expect(try reader.messages(.init(source: source)).map(\.text) == ["kept"])
    }
    #expect(store.health.failedChanges == 1)
    #expect(store.health.lastError == nil)
}

/// Changes that have waited behind each other are made together; what becomes of each does not depend on its neighbours.
@Test func amongManyThatWaitedTogetherOnlyThoseThatThrowAreUndone() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let isHeld = Monitor(true)
    store.enqueue(.grouped, { _ in isHeld.wait(until: nil) { held, _ in held ? nil : () } })
    let told = Monitor<[PacketID: [Bool]]>([:])
    let throwing: Set<PacketID> = [1, 9, 10, 64, 100]
    for id in 1...100 as ClosedRange<PacketID> {
        store.enqueue(
            .grouped,
            { writer in
                try writer.updateNode(alice, in: source, at: noon) { $0.rebootCount = ($0.rebootCount ?? 0) + 1 }
                _ = try writer.insertMessage(.received("text \(id)", id: id), in: source)
                if throwing.contains(id) {
                    try writer.updateNode(NodeNumber(5000 + id), in: source, at: noon) { _ in }
                    throw Refusal()
                }
            }, done: { result in told.withLock { $0[id, default: []].append((try? result.get()) != nil) } })
    }
    isHeld.notify { $0 = false }
    try store.commit { _ in }

    #expect(told.withLock { $0 }.count == 100)
    for (id, answers) in told.withLock({ $0 }) { #expect(answers == [!throwing.contains(id)], "\(id)") }
    try store.read { reader throws in
        #expect(try reader.node(alice, in: source)?.rebootCount == 95)
        for id in throwing { #expect(try reader.node(NodeNumber(5000 + id), in: source) == nil) }
        let stored = try reader.messages(.init(source: source, limit: 200)).compactMap(\.packetID)
        #expect(stored.sorted() == (1...100).filter { !throwing.contains($0) })
    }
    #expect(store.health.failedChanges == throwing.count)
    #expect(store.health.lastError == nil)
}

@Test func whoWaitsForAChangeGetsItsError() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    #expect(throws: Refusal.self) { try store.commit { _ in throw Refusal() } }
    #expect(throws: StoreError.self) {
        try store.commit { writer in _ = try writer.insert(.example) }
    }
    #expect(try store.commit { try $0.sources().map(\.0) } == [source])
}
