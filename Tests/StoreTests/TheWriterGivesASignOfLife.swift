import Platform
import Testing

@testable import Store

/// What the writer was seen to do, in order.
private final class Signs: Sendable {
    private let signs = Monitor<[String]>([])

    var all: [String] { signs.withLock { $0 } }
    func add(_ sign: String) { signs.notify { $0.append(sign) } }

    /// Those before this one; nil: it has not come in a minute.
    func before(_ last: String) -> [String]? {
        signs.wait(seconds: 60) { signs in signs.firstIndex(of: last).map { Array(signs[..<$0]) } }
    }
}

@Test func theWriterGivesASignOfLife() throws {
    let folder = Folder()
    let (store, _) = try Store.withSource(folder)
    let signs = Signs()
    let commits = store.health.commits
    store.probe { signs.add("idle") }
    #expect(signs.before("idle") == [])
    // Nothing was written for it.
    #expect(store.health.commits == commits)

    // A change that does not come to an end, as in a call of a dead disk.
    let isStuck = Monitor(true)
    store.enqueue(.immediate) { _ in
        signs.add("stuck")
        while isStuck.wait(seconds: 60, { isStuck in isStuck ? nil : true }) == nil {}
    }
    #expect(signs.before("stuck") == ["idle"])
    store.probe { signs.add("alive") }
    store.enqueue(.immediate, { _ in }, done: { _ in signs.add("next") })
    #expect(signs.all == ["idle", "stuck"])
    isStuck.notify { $0 = false }
    // Before whatever else waits.
    #expect(signs.before("next") == ["idle", "stuck", "alive"])
    store.close()
}

/// The disk fails, the writer lives: the daemon goes on serving what there is.
@Test func aWriterThatFailsIsAlive() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let signs = Signs()
    store.observeHealth { [weak store] in signs.add(store?.health.failingSince == nil ? "well" : "failing") }
    try store.commit { writer in
        let pages = try writer.connection.integer("PRAGMA page_count") ?? 0
        try writer.connection.execute("PRAGMA max_page_count = \(pages)")
    }
    let text = String(repeating: "x", count: 5_000)
    for id in 1...2 as ClosedRange<UInt32> {
        #expect(throws: StoreError.self) {
            try store.commit { _ = try $0.insertMessage(.received(text, id: .init(id)), in: source) }
        }
    }
    store.probe { signs.add("alive") }
    #expect(signs.before("alive") == ["failing"])
    try store.commit { try $0.connection.execute("PRAGMA max_page_count = 1000000") }
    #expect(signs.before("well") == ["failing", "alive"])
    store.close()
}
