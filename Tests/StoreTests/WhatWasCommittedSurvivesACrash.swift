import MeshModel
import Testing

@testable import Store

/// The files as they are while the store runs are what a killed process leaves.
@Test func whatWasCommittedSurvivesACrash() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        _ = try writer.insertMessage(.own("accepted", to: bob, id: 77), in: source)
        let packet = MeshPacket(from: alice, to: bob, id: 77, payload: .none)
        _ = try writer.insertOutbox(OutboxItem(packet: packet, createdAt: noon), in: source)
    }
    await store.runGrouped { try $0.updateNode(bob, in: source, at: noon) { _ in } }
    let copy = try folder.copy(as: "after-crash.db")

    let restarted = try Store(path: copy)
    try restarted.read { reader throws in
        #expect(try reader.messages(.init(source: source)).map(\.text) == ["accepted"])
        #expect(try reader.outbox(in: source).map(\.packetID) == [77])
        // The open group is what a crash may cost.
        #expect(try reader.node(bob, in: source) == nil)
    }
    // What the crash left out of the search index is found all the same.
    #expect(try restarted.read { try $0.searchMessages(.init(source: source, text: "accept")) }.total == 1)
}

@Test func closingCommitsTheOpenGroup() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    await store.runGrouped { try $0.updateNode(bob, in: source, at: noon) { _ in } }
    store.close()
    // The path is free again at once.
    let again = try Store(path: folder.database)
    #expect(try again.read { try $0.node(bob, in: source) } != nil)
    // And the closed one says so.
    #expect(throws: StoreError.closed) { try store.commit { _ in } }
    #expect(throws: StoreError.closed) { try store.read { _ in } }
}
