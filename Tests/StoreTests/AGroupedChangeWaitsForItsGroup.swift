import MeshModel
import Testing

@testable import Store

@Test func aGroupedChangeWaitsForItsGroup() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let other = try secondConnection(store)
    let before = store.health
    for number in 1...10 as ClosedRange<UInt32> {
        await store.runGrouped { try $0.updateNode(NodeNumber(number), in: source, at: noon) { _ in } }
    }
    #expect(try other.integer("SELECT count(*) FROM nodes") == 0)
    #expect(store.health.commits == before.commits)

    // What a person wrote ends the group: both are there, and only one of the two waited for the disk.
    try store.commit { _ = try $0.insertMessage(.received("now", id: 1), in: source) }
    #expect(try other.integer("SELECT count(*) FROM nodes") == 10)
    #expect(store.health.commits == before.commits + 2)
    #expect(store.health.syncedCommits == before.syncedCommits + 1)
}
