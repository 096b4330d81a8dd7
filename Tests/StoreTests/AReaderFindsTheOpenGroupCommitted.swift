import MeshModel
import Testing

@testable import Store

@Test func aReaderFindsTheOpenGroupCommitted() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    await store.runGrouped { try $0.updateNode(alice, in: source, at: noon) { $0.longName = "Alice" } }
    #expect(try store.read { try $0.node(alice, in: source)?.longName } == "Alice")
}

@Test func aRevisionIsAsFreshAsARead() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let nodes = store.revision(.nodes), tokens = store.revision(.tokens)
    try store.commit { try $0.updateNode(alice, in: source, at: noon) { _ in } }
    #expect(store.revision(.nodes) > nodes)
    let after = store.revision(.nodes)
    // Grouped, and committed because somebody asks.
    await store.runGrouped { try $0.updateNode(alice, in: source, at: noon + 1) { $0.snr = 5 } }
    #expect(store.revision(.nodes) > after)
    #expect(store.revision(.tokens) == tokens)
}

@Test func aChangeThatChangesNothingKeepsTheRevision() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { try $0.updateNode(alice, in: source, at: noon) { $0.snr = 5 } }
    let revision = store.revision(.nodes)
    try store.commit { try $0.updateNode(alice, in: source, at: noon + 1) { $0.snr = 5 } }
    #expect(store.revision(.nodes) == revision)
    #expect(try store.read { try $0.node(alice, in: source)?.updatedAt } == noon)
}

@Test func revisionsOfTwoRunsDiffer() throws {
    let folder = Folder()
    let first = try Store(path: folder.database)
    let old = Topic.allCases.map { first.revision($0) }
    first.close()
    let second = try Store(path: folder.database)
    for (topic, old) in zip(Topic.allCases, old) { #expect(second.revision(topic) != old) }
}
