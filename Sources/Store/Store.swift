import CSQLite
import Glibc
import MeshModel
import Platform
import Synchronization

/// Everything that the gateway remembers, in one SQLite file.
///
/// One thread writes, behind a bounded queue; every caller of ``read(_:)`` has a read-only connection of its own.
public final class Store: Sendable {
    /// How soon a change is on disk.
    public enum Urgency: Sendable {
        /// What the mesh repeats: committed after at most five seconds, with at most 64 changes, before the next
        /// immediate change, or when a reader comes. A power cut can lose the last ones.
        case grouped
        /// What a person wrote: on disk before anybody is told.
        case immediate
        /// The same for what a person wrote elsewhere on the mesh. While the disk fails, so much waits at most.
        case received
    }

    /// Nanoseconds that a group stays open in use.
    static let groupInterval: UInt64 = 5_000_000_000
    /// Changes in a group.
    static let groupSize = 64
    /// Nanoseconds between two groups that are committed because a reader came.
    static let flushInterval: UInt64 = 250_000_000
    /// Nanoseconds that readers wait for a group, all together: the disk can be slow, and what was committed before is no lie.
    static let flushPatience: UInt64 = 250_000_000
    /// Pages in the log from which on it is moved into the database file.
    static let logPages = 2_000

    let queue = Monitor(WriteQueue())
    private let writerThread: Mutex<Thread?>
    private let readers: ReaderPool

    /// The database file, symbolic links resolved.
    public let path: String
    private let kept: Mutex<Retention>

    /// Host milliseconds up to which an earlier run is known to have lasted, by its clock; 0: there was none.
    public let lastRunAt: Int64

    /// What is deleted by the way. Another one counts from the next change on.
    public var retention: Retention {
        get { kept.withLock { $0 } }
        set {
            let isOld = kept.withLock { kept in
                defer { kept = newValue }
                return kept == newValue
            }
            // Of a full queue only what is grouped is dropped.
            if !isOld { enqueue(.immediate) { $0.retention = newValue } }
        }
    }

    /// Opens the database, makes it when it is missing (and its folder, when only that one is), brings it to the present
    /// format, and starts the writer.
    ///
    /// - Parameters:
    ///   - retention: what is deleted by the way.
    ///   - program: the version that opens it, which the file remembers with a new format.
    ///   - observer: who is told while an older file is brought to the present format, and may end that.
    ///   - awaitsDisk: when the disk is full, read-only or broken, a database of the present format is served as it is, and
    ///     opened for writing as soon as that goes (``Health/failingSince`` until then).
    /// - Throws: a ``StoreError`` whose description is a sentence for people.
    public convenience init(
        path: String, retention: Retention = .unlimited, program: String? = nil,
        observer: (any UpgradeObserver)? = nil, awaitsDisk: Bool = false
    ) throws(StoreError) {
        try self.init(
            path: path, retention: retention, program: program, observer: observer, awaitsDisk: awaitsDisk,
            groupInterval: Self.groupInterval)
    }

    /// - Parameters:
    ///   - groupInterval: nanoseconds that a group stays open.
    ///   - logPages: as ``logPages``.
    init(
        path: String, retention: Retention = .unlimited, program: String? = nil,
        observer: (any UpgradeObserver)? = nil, awaitsDisk: Bool = false, groupInterval: UInt64,
        logPages: Int = logPages
    ) throws(StoreError) {
        let start = try Start(path, program, observer, awaitsDisk: awaitsDisk)
        self.path = start.file.path
        readers = start.readers
        if let problem = start.problem { queue.giveBack([], because: problem) }
        // Only a hint.
        lastRunAt = (try? readers.read { try Self.lastTime($0.connection) }) ?? 0
        kept = Mutex(retention)
        // A client that comes back after a restart must not find the numbers of before under other content. Drawn, and not
        // made of the time, which can be the same once more when the host's clock was set back.
        let revision = UInt64.random(in: 0..<1 << 62)
        queue.withLock { queue in
            queue.revisions = queue.revisions.map { _ in revision }
            queue.version = revision >> 10
        }
        let awaited = AwaitedDisk(queue: queue) { [readers] () throws(StoreError) in
            try readers.replace { () throws(StoreError) in try OpenDatabase(start.file, program, isTried: true) }
        }
        writerThread = Mutex(nil)
        let thread = Thread { [queue, counts = readers.counts] in
            guard let database = start.database ?? awaited.wait() else { return }
            WriterThread(
                database.connection, database.file, queue: queue, groupInterval: groupInterval, logPages: logPages,
                retention, counts
            ).run()
        }
        writerThread.withLock { $0 = thread }
    }

    deinit { close() }

    private static func lastTime(_ connection: DatabaseConnection) throws -> Int64 {
        try connection.prepare(
            """
            SELECT max(ifnull((SELECT seen FROM host_clock), 0), ifnull((SELECT max(created_at) FROM tokens), 0),
                ifnull((SELECT max(last_used_at) FROM tokens), 0),
                ifnull((SELECT created_at FROM messages ORDER BY id DESC LIMIT 1), 0))
            """
        ).first { $0.integer() } ?? 0
    }

    /// Commits everything and ends the writer. What is enqueued afterwards fails with ``StoreError/closed``.
    public func close() {
        let thread = writerThread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return }
        // Before the writer, whose connection is then the last and moves the log into the file.
        readers.close()
        queue.notify { $0.close() }
        thread.join()
    }

    // MARK: Changes

    /// Hands over a change. Never waits for the disk. Changes are made in the order in which they are handed over.
    ///
    /// A change that throws is undone alone. When the disk fails, changes are run again, so that a change must not count
    /// on being run once. When the queue is full, a grouped change is dropped (``Health/droppedChanges``).
    ///
    /// - Parameters:
    ///   - delayed: called at most once, on any thread, when the change has to wait until the disk is well, or is dropped:
    ///     for what must not wait that long.
    ///   - done: called once, on the writer thread: when the change is committed (and on disk, if it is immediate), or
    ///     failed. Must not wait for the store.
    public func enqueue(
        _ urgency: Urgency = .grouped, _ change: @escaping @Sendable (Writer) throws -> Void,
        delayed: (@Sendable () -> Void)? = nil, done: (@Sendable (Result<Void, any Error>) -> Void)? = nil
    ) {
        add(Job(urgency: urgency, change: change, delayed: delayed, done: done))
    }

    private func add(_ job: Job) {
        enum Fate { case taken, delayed, dropped, closed }
        var observer: (@Sendable () -> Void)?
        let fate: Fate = queue.notify { queue in
            if queue.isClosing { return .closed }
            let isFailing = queue.health.failingSince != nil
            var queued = job
            if isFailing { queued.delayed = nil }
            guard !queue.add(queued) else { return isFailing ? .delayed : .taken }
            if queue.health.droppedChanges == 1 { observer = queue.healthObserver }
            return .dropped
        }
        switch fate {
        case .taken: break
        case .delayed: job.delayed?()
        case .dropped:
            observer?()
            job.delayed?()
            job.done?(.failure(Dropped()))
        case .closed: job.done?(.failure(StoreError.closed))
        }
    }

    /// The queue was full.
    struct Dropped: Error, CustomStringConvertible {
        let description = "too many changes are waiting for the disk"
    }

    /// Makes an immediate change and waits until it is on disk.
    ///
    /// - Parameter origin: somebody here waits for it, and has asked for it as a rule.
    /// - Throws: what the change throws, or the ``StoreError`` of a failing disk.
    @discardableResult
    public func commit<T: Sendable>(
        as origin: StoredChange.Origin = .ours, _ change: @escaping @Sendable (Writer) throws -> T
    ) throws -> T {
        precondition(
            writerThread.withLock { $0?.isCurrent } != true, "a change waits for another change: neither would end")
        let outcome = Monitor<(value: T?, end: Result<Void, any Error>?)>((nil, nil))
        add(
            Job(
                urgency: .immediate, isAwaited: true,
                change: { writer in
                    let value = try writer.change(as: origin) { try change(writer) }
                    outcome.withLock { $0.value = value }
                },
                done: { result in outcome.notify { $0.end = result } }))
        let (value, end) = outcome.wait(until: nil) { state, _ in
            state.end.map { (state.value, $0) }
        }!
        try end.get()
        return value!
    }

    // MARK: How the writer is doing

    /// Asks the writer thread for a sign of life. Nothing is written for it, and a failing disk does not keep it from
    /// answering: only a call that does not return.
    ///
    /// - Parameter answer: called on the writer thread when it has come to an end with what it does; not at all when the
    ///   store is closed first.
    public func probe(_ answer: @escaping @Sendable () -> Void) { queue.notify { $0.add(probe: answer) } }

    /// - Parameter observer: called on the writer thread when writing has begun to fail, or is well again
    ///   (``Health/failingSince``), and on any thread when a change was dropped first. Must return at once.
    public func observeHealth(_ observer: @escaping @Sendable () -> Void) {
        queue.withLock { $0.healthObserver = observer }
    }

    // MARK: Reading

    /// Reads one consistent state of the database, the latest: an open group of changes is committed before.
    ///
    /// That happens at most four times a second; in between, grouped changes may be missing. Immediate ones never are.
    ///
    /// - Parameters:
    ///   - nanoseconds: that it may take. A caller asking for what lies behind millions of rows on a slow card holds a thread
    ///     that others wait for.
    ///   - isWanted: false: nobody waits for it any more, and it ends.
    /// - Throws: ``StoreError/tookTooLong`` after that time, and when it is not wanted; what the body throws.
    public func read<T>(
        within nanoseconds: UInt64 = patience, while isWanted: () -> Bool = { true }, _ body: (Reader) throws -> T
    ) throws -> T {
        waitForGroup()
        return try withoutActuallyEscaping(isWanted) { isWanted in
            try readers.read(within: nanoseconds, while: isWanted, body)
        }
    }

    /// Nanoseconds: thirty seconds, after which most clients have gone.
    public static let patience: UInt64 = 30_000_000_000

    /// The same of what is committed already, some seconds ago it may be: it waits for no change, and for no disk that
    /// hangs over one. Also for those who are told of each commit, and would have a group committed with every packet.
    public func readCommitted<T>(within nanoseconds: UInt64 = patience, _ body: (Reader) throws -> T) throws -> T {
        try readers.read(within: nanoseconds, body)
    }

    /// A room begins to read what is committed, again and again, until it says that it has ended: a connection is kept for it,
    /// and what the last commits have changed (``recentChanges(after:kinds:limit:)``).
    public func beginStandingReads() {
        readers.changeStanding(by: 1)
        queue.withLock { $0.recent.readers += 1 }
    }

    public func endStandingReads() {
        readers.changeStanding(by: -1)
        queue.withLock { $0.recent.readers -= 1 }
    }

    private func waitForGroup() { settle(within: Self.flushPatience) }

    /// What ``read(_:)`` does first, for those who must not wait so long: has the open group committed.
    ///
    /// - Parameters:
    ///   - nanoseconds: that it may take, counted from when the first one began to wait for that group.
    ///   - always: however often that is asked for.
    /// - Returns: false: a reader would have to wait longer.
    @discardableResult
    public func settle(within nanoseconds: UInt64, always: Bool = false) -> Bool {
        let now = MonotonicClock.nanoseconds()
        guard queue.withLock({ $0.enqueued > $0.settled }), writerThread.withLock({ $0?.isCurrent }) == false,
            let (target, since) = queue.notify({ $0.target(at: now, always: always) })
        else { return true }
        let isSettled = queue.wait(until: since + min(nanoseconds, Self.flushPatience)) { queue, _ in
            queue.settled >= target || queue.isClosed || queue.health.failingSince != nil ? true : nil
        }
        return isSettled ?? (MonotonicClock.nanoseconds() >= since + Self.flushPatience)
    }

    /// Reports were deleted that were not the oldest ones: they are counted again, and nodes that move are looked for again.
    public func forgetCounts() { readers.forgetCounts() }

    /// A number that grows with each commit that changed a topic, and differs between runs. As fresh as ``read(_:)``.
    ///
    /// Ask for it before reading: data may then be newer than its number, never older.
    public func revision(_ topic: Topic) -> UInt64 {
        waitForGroup()
        return queue.withLock { $0.revisions[topic.rawValue] }
    }

    /// A number that differs whenever anything that is stored has changed, between runs too; below 2^53, where JavaScript's
    /// integers end. Takes a lock only: what waits for its group counts when that is committed.
    public var version: UInt64 { queue.withLock { $0.version } }

    /// The same of what is committed, without a look at what waits for its group: enough for what is committed before
    /// anybody is told.
    public func committedRevision(_ topic: Topic) -> UInt64 { queue.withLock { $0.revisions[topic.rawValue] } }

    public var health: Health {
        var health = queue.withLock { queue in
            var health = queue.health
            health.queueLength = queue.length
            return health
        }
        health.size = Self.size(of: path) + Self.size(of: path + "-wal")
        return health
    }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
