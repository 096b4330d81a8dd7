import MeshModel
import Platform
import Testing

@testable import Store

/// The disk hangs: handing over goes on without waiting, up to the bound; what a person wrote is taken beyond it.
@Test func whenTheQueueIsFullGroupedChangesAreDropped() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let disk = Monitor((hangs: true, reached: false))
    store.enqueue(
        .grouped,
        { _ in
            disk.notify { $0.reached = true }
            disk.wait(until: nil) { disk, _ in disk.hangs ? nil : () }
        })
    disk.wait(until: nil) { disk, _ in disk.reached ? () : nil }

    let dropped = Monitor(0)
    for number in 0..<UInt32(WriteQueue.capacity + 100) {
        store.enqueue(
            .grouped, { try $0.updateNode(NodeNumber(number), in: source, at: noon) { _ in } },
            done: { if case .failure = $0 { dropped.withLock { $0 += 1 } } })
    }
    store.enqueue(.immediate, { _ = try $0.insertMessage(.received("still taken", id: 1), in: source) })
    // The one that hangs counts too.
    #expect(store.health.droppedChanges == 101)
    #expect(dropped.withLock { $0 } == 101)
    #expect(store.health.queueLength == WriteQueue.capacity + 1)

    disk.notify { $0.hangs = false }
    try store.commit { _ in }
    try store.read { reader throws in
        #expect(try reader.counts(in: source).nodes == WriteQueue.capacity - 1)
        #expect(try reader.messages(.init(source: source)).count == 1)
    }
    #expect(store.health.queueLength == 0)
}

/// While the disk fails, messages wait beyond the bound of what the mesh repeats, up to one of their own, in their order.
/// What must not wait that long, such as telling those who listen, is done at once.
@Test(.timeLimit(.minutes(5))) func messagesWaitForTheDiskUpToABound() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let disk = Monitor((isFull: true, told: 0, dropped: 0))
    store.enqueue(
        .grouped,
        { _ in if disk.withLock({ $0.isFull }) { throw StoreError.failed(code: 13, message: "", during: "") } })
    #expect(throws: StoreError.self) { try store.commit { _ in } }
    let count = UInt32(WriteQueue.messageCapacity + 10)
    for id in 1...count {
        store.enqueue(
            .received, { _ = try $0.insertMessage(.received("heard \(id)", id: id), in: source) },
            delayed: { disk.withLock { $0.told += 1 } },
            done: { if case .failure = $0 { disk.withLock { $0.dropped += 1 } } })
    }
    #expect(disk.withLock { $0.told } == count)
    #expect(store.health.cause == .full)
    // The change that fails is one of those that wait.
    #expect(disk.withLock { $0.dropped } == 11 && store.health.droppedChanges == 11)
    disk.withLock { $0.isFull = false }
    try store.commit { _ in }
    let stored = try store.read { try $0.messages(.init(source: source, limit: 20_000)) }.map(\.packetID)
    #expect(stored == (1...count - 11).reversed())
    #expect(disk.withLock { $0.told } == count)
}
