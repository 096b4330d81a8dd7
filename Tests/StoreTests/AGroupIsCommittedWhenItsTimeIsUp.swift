import MeshModel
import Testing

@testable import Store

/// Nobody reads and nothing else comes: the deadline alone ends the group.
@Test(.timeLimit(.minutes(10))) func aGroupIsCommittedWhenItsTimeIsUp() async throws {
    let folder = Folder()
    let store = try Store(path: folder.database)
    let source = try store.commit { try $0.insert(.example) }
    let other = try secondConnection(store)
    try await store.settle(.grouped) { try $0.updateNode(alice, in: source, at: noon) { _ in } }.get()
    #expect(try other.integer("SELECT count(*) FROM nodes") == 1)
}
