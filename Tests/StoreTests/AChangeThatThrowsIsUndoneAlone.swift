import MeshModel
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

@Test func whoWaitsForAChangeGetsItsError() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    #expect(throws: Refusal.self) { try store.commit { _ in throw Refusal() } }
    #expect(throws: StoreError.self) {
        try store.commit { writer in _ = try writer.insert(.example) }
    }
    #expect(try store.commit { try $0.sources().map(\.0) } == [source])
}
