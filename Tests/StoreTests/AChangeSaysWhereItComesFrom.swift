import MeshModel
import Platform
import Synchronization
import Testing

@testable import Store

/// Why something is told stands with each change, and is read back from the log as it was told.
@Suite struct AChangeSaysWhereItComesFrom {
    private let folder = Folder.inMemory()
    private let all = Set(StoredChange.Kind.allCases)

    @Test func theLogSaysWhatWasTold() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        let told = Mutex<[StoredChange]>([])
        store.observe { changes in told.withLock { $0 += changes } }
        try store.commit(as: .live) { writer in
            for (place, origin) in StoredChange.Origin.allCases.enumerated() {
                let number = NodeNumber(UInt32(100 + place))
                try writer.change(as: origin) {
                    try writer.updateNode(number, in: source, at: noon) { $0.lastHeard = noon / 1000 }
                }
            }
            try writer.insertMessage(.received("a", id: 1), in: source)
            try writer.insertMessage(.own("b", id: 2), in: source)
        }
        let changes = told.withLock { $0 }
        let nodes = changes.filter { $0.kind == .node }
        #expect(nodes.map(\.origin) == StoredChange.Origin.allCases)
        // Only what is live was heard for the first time.
        #expect(changes.filter { $0.kind == .nodeHeard }.map(\.what) == [.nodeHeard(NodeNumber(100))])
        #expect(changes.filter { $0.kind == .message }.map(\.origin) == [.live, .ours])
        #expect(try store.read { try $0.changes(after: 0, kinds: all) }.changes == changes)
    }

    /// A listed node and a live packet share a savepoint: each has its own origin, and of one node the live one counts.
    @Test func withinOneSavepoint() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        store.observe { _ in }
        struct Refused: Error {}
        // The writer holds the first change while the three are enqueued, and so takes them together.
        let step = Monitor(0)
        store.enqueue { _ in
            step.notify { $0 = 1 }
            _ = step.wait(until: nil) { step, _ in step == 2 ? true : nil }
        }
        _ = step.wait(until: nil) { step, _ in step == 1 ? true : nil }
        store.enqueue { writer in
            try writer.change(as: .listed) {
                for node in [alice, bob] {
                    try writer.updateNode(node, in: source, at: noon) { $0.longName = "x" }
                }
            }
        }
        store.enqueue { writer in
            try writer.change(as: .replayed) { throw Refused() }
        }
        store.enqueue { writer in
            step.notify { $0 = 3 }
            try writer.updateNode(bob, in: source, at: noon) { $0.lastHeard = noon / 1000 }
            try writer.insertMessage(.received("a", id: 1), in: source)
        }
        step.notify { $0 = 2 }
        // An urgent change in the queue with them would give each a savepoint of its own.
        _ = step.wait(until: nil) { step, _ in step == 3 ? true : nil }
        try store.commit { _ in }
        let changes = try store.read { try $0.changes(after: 0, kinds: all) }.changes
        #expect(changes.map(\.what.kind) == [.node, .node, .nodeHeard, .message])
        #expect(changes.map(\.origin) == [.listed, .live, .live, .live])
    }

    @Test func aRowIsReadFromAnyChangeInIt() throws {
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        store.observe { _ in }
        let count = 1_000
        try store.commit { writer in
            for id in 1...PacketID(count) { try writer.insertMessage(.received("a", id: id), in: source) }
        }
        #expect(try store.read { try $0.connection.integer("SELECT count(*) FROM changes") } ?? 0 < 10)
        #expect(try store.read { try $0.connection.integer("SELECT max(length(earlier)) FROM changes") } ?? 0 <= 900)
        var seen: [Int64] = []
        while true {
            let after = seen.last ?? 0
            let next = try store.read { try $0.changes(after: after, kinds: all, limit: 7) }
            #expect(next.isComplete)
            #expect(try store.read { try $0.forgottenChanges(after: after) } == 0)
            if next.changes.isEmpty { break }
            #expect(next.last == next.changes.last?.number)
            seen += next.changes.map(\.number)
        }
        #expect(seen == Array(1...Int64(count)))
        #expect(try store.read { try $0.forgottenChanges(after: Int64(count) + 1) } == nil)
    }

    @Test func whatIsPackedIsUnpacked() {
        var packed = PackedChanges()
        let values: [Int64] = [0, 1, 127, 128, 300, 1 << 32, .max, -1, .min]
        let changes = values.map { PackedChanges.Change(source: SourceID(rawValue: $0), code: $0, subject: $0) }
        for change in changes { packed.append(change) }
        #expect(PackedChanges.read(packed.bytes) == changes)
        #expect(PackedChanges.count(in: packed.bytes) == changes.count)
        // What is cut or damaged ends, and claims no more than is counted.
        for end in packed.bytes.indices {
            let cut = Array(packed.bytes[..<end])
            #expect(PackedChanges.read(cut).count == PackedChanges.count(in: cut))
        }
        #expect(PackedChanges.read([UInt8](repeating: 0xFF, count: 900)).isEmpty)
    }
}
