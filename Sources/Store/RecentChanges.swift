// A reader that is woken by each commit has seen all that came before it. For such readers the last changes are in memory: to read
// them again in the log, and for each whose row it is, took longer than to look at them.

/// The changes of the last commits, without a gap. Guarded by the queue's lock.
struct RecentChanges: Sendable {
    /// How many are kept at least, once there are so many; twice as many at most. A group of the store has about 150.
    static let kept = 256

    /// Who reads them. While nobody does, none are kept.
    var readers = 0 {
        didSet { if readers == 0 { forget() } }
    }
    private(set) var changes: [StoredChange] = []

    /// - Parameter new: of one commit.
    mutating func add(_ new: [StoredChange]) {
        guard readers > 0, let first = new.first else { return }
        if let last = changes.last, last.number + 1 != first.number { forget() }
        changes += new
        if changes.count > 2 * Self.kept { changes.removeFirst(changes.count - Self.kept) }
    }

    /// More was changed than is logged row by row: who goes on reads the log, and learns there what was missed.
    mutating func forget() { changes = [] }
}

extension Store {
    /// What has changed since, as ``Reader/changes(after:kinds:limit:)``, out of memory; nil when not all of it is there. It is
    /// committed: a reader that begins now finds it. What was deleted since is still named.
    ///
    /// - Returns: `isAll` is true when nothing more was committed.
    public func recentChanges(
        after number: Int64, kinds: Set<StoredChange.Kind>, limit: Int
    ) -> (changes: [StoredChange], last: Int64, isAll: Bool)? {
        let recent = queue.withLock { $0.recent.changes }
        guard let first = recent.first?.number, let last = recent.last?.number, first - 1 <= number, number <= last
        else { return nil }
        let looked = recent[Int(number - first + 1)...].prefix(max(limit, 0))
        let end = looked.last?.number ?? number
        let wanted = kinds.bits
        return (looked.filter { wanted & $0.kind.bit != 0 }, end, end == last)
    }
}
