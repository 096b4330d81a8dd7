import MeshModel
import Testing
import Threads

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
