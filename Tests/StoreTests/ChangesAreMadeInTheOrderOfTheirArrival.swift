import MeshModel
import Platform
import Testing

@testable import Store

@Test func changesAreMadeInTheOrderOfTheirArrival() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let order = Monitor<[Int]>([])
    for place in 0..<500 {
        store.enqueue(place % 7 == 0 ? .immediate : .grouped, { _ in order.withLock { $0.append(place) } })
    }
    try store.commit { _ in }
    #expect(order.withLock { $0 } == Array(0..<500))
    _ = source
}

/// The writer is held up while changes of both kinds gather: they then share one transaction, and one fsync.
@Test func changesThatWaitedTogetherShareAnFsync() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let isHeld = Monitor(true)
    store.enqueue(.grouped, { _ in isHeld.wait(until: nil) { held, _ in held ? nil : () } })
    for id in 1...20 as ClosedRange<PacketID> {
        store.enqueue(.grouped, { try $0.updateNode(NodeNumber(id), in: source, at: noon) { _ in } })
        store.enqueue(.immediate, { _ = try $0.insertMessage(.received("text \(id)", id: id), in: source) })
    }
    let before = store.health.syncedCommits
    isHeld.notify { $0 = false }
    try store.commit { _ in }
    #expect(store.health.syncedCommits - before <= 2)
    #expect(try store.read { try $0.messages(.init(source: source)).count } == 20)
}
