import MeshModel
import Testing

@testable import Store

@Test func anImmediateChangeIsVisibleToAnotherProgramWhenItReturns() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let other = try secondConnection(store)
    let before = store.health
    for id in 1...5 as ClosedRange<PacketID> {
        try store.commit { _ = try $0.insertMessage(.received("hello \(id)", id: id), in: source) }
        #expect(try other.integer("SELECT count(*) FROM messages") == Int64(id))
    }
    // One transaction each, and each waited for the disk.
    #expect(store.health.commits == before.commits + 5)
    #expect(store.health.syncedCommits == before.syncedCommits + 5)
}
