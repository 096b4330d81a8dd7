import MeshModel
import Platform
import Testing

@testable import Store

@Test func aStormOfReadersCommitsAtMostFourTimesASecond() async throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let before = store.health.commits
    let start = MonotonicClock.nanoseconds()
    // Fewer than a group's 64 changes: only readers can end the group.
    for round in 1...60 as ClosedRange<Int64> {
        await store.runGrouped { try $0.updateNode(alice, in: source, at: noon + round) { $0.rssi = Int(round) } }
        for _ in 0..<20 { _ = try store.read { try $0.node(alice, in: source) } }
    }
    let quarters = Int((MonotonicClock.nanoseconds() - start) / Store.flushInterval)
    let commits = store.health.commits - before
    #expect(commits >= 1)
    #expect(commits <= quarters + 1)
}
