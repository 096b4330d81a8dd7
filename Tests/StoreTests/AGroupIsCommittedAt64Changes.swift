import MeshModel
import Testing

@testable import Store

@Test func aGroupIsCommittedAt64Changes() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let other = try secondConnection(store)
    let before = store.health
    for number in 1...63 as ClosedRange<UInt32> {
        await store.runGrouped { try $0.updateNode(NodeNumber(number), in: source, at: noon) { _ in } }
    }
    #expect(try other.integer("SELECT count(*) FROM nodes") == 0)
    let last = await store.settle(.grouped) { try $0.updateNode(NodeNumber(64), in: source, at: noon) { _ in } }
    try last.get()
    #expect(try other.integer("SELECT count(*) FROM nodes") == 64)
    #expect(store.health.commits == before.commits + 1)
    #expect(store.health.syncedCommits == before.syncedCommits)
}
