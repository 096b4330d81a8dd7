import Glibc
import MeshModel
import Synchronization
import Threads

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
    }

    /// Nanoseconds that a group stays open in use.
    static let groupInterval: UInt64 = 5_000_000_000
    /// Changes in a group.
    static let groupSize = 64
    /// Nanoseconds between two groups that are committed because a reader came.
    static let flushInterval: UInt64 = 250_000_000
    /// Nanoseconds that a reader waits for a group: the disk can be slow, and what was committed before is no lie.
    static let flushPatience: UInt64 = 250_000_000
    /// Pages in the log from which on it is moved into the database file.
    static let logPages = 2_000

    let queue = Monitor(WriteQueue())
    private let writerThread: Mutex<Thread?>
    private let readers: ReaderPool

    /// The database file, symbolic links resolved.
    public let path: String
    private let kept: Mutex<Retention>

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
    /// - Parameter retention: what is deleted by the way.
    /// - Throws: a ``StoreError`` whose description is a sentence for people.
    public convenience init(path: String, retention: Retention = .unlimited) throws(StoreError) {
        try self.init(path: path, retention: retention, groupInterval: Self.groupInterval)
    }

    /// - Parameters:
    ///   - groupInterval: nanoseconds that a group stays open.
    ///   - logPages: as ``logPages``.
    init(
        path: String, retention: Retention = .unlimited, groupInterval: UInt64, logPages: Int = logPages
    ) throws(StoreError) {
        let file = try DatabaseFile(path: path)
        let connection = try file.open()
        do throws(StoreError) {
            try Self.prepare(connection, path: file.path)
        } catch {
            throw error.named(file.path)
        }
        // Nobody else can write any more: readers find the log as it is now.
        readers = ReaderPool(path: file.path, access: .readOnly)
        // A client that comes back after a restart must not find the numbers of before under other content.
        let start = UInt64(Clock.milliseconds()) << 20
        queue.withLock { $0.revisions = $0.revisions.map { _ in start } }
        let worker = WriterThread(
            connection, file, queue: queue, groupInterval: groupInterval, logPages: logPages, retention)
        writerThread = Mutex(Thread { worker.run() })
        self.path = file.path
        kept = Mutex(retention)
    }

    deinit { close() }

    private static func prepare(_ connection: Connection, path: String) throws(StoreError) {
        let version = try Migration.check(connection, path: path)
        // The page size can only be chosen for an empty file. Small pages, because a packet changes a few rows in as many
        // places: 1 kB pages write about a third of what 4 kB pages do.
        if version == 0 { try connection.execute("PRAGMA page_size = 1024") }
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA journal_size_limit = 4194304;
            PRAGMA cache_size = -1024;
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = FAST;
            PRAGMA foreign_keys = OFF;
            """)
        try Migration.run(connection, path: path)
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
    /// - Parameter done: called once, on the writer thread: when the change is committed (and on disk, if it is
    ///   immediate), or failed. Must not wait for the store.
    public func enqueue(
        _ urgency: Urgency = .grouped, _ change: @escaping @Sendable (Writer) throws -> Void,
        done: (@Sendable (Result<Void, any Error>) -> Void)? = nil
    ) {
        add(Job(urgency: urgency, change: change, done: done))
    }

    private func add(_ job: Job) {
        enum Fate { case taken, dropped, closed }
        let fate: Fate = queue.notify { queue in
            if queue.isClosing { return .closed }
            return queue.add(job) ? .taken : .dropped
        }
        switch fate {
        case .taken: break
        case .dropped: job.done?(.failure(Dropped()))
        case .closed: job.done?(.failure(StoreError.closed))
        }
    }

    /// The queue was full.
    struct Dropped: Error, CustomStringConvertible {
        let description = "too many changes are waiting for the disk"
    }

    /// Makes an immediate change and waits until it is on disk.
    ///
    /// - Throws: what the change throws, or the ``StoreError`` of a failing disk.
    @discardableResult
    public func commit<T: Sendable>(_ change: @escaping @Sendable (Writer) throws -> T) throws -> T {
        precondition(
            writerThread.withLock { $0?.isCurrent } != true, "a change waits for another change: neither would end")
        let outcome = Monitor<(value: T?, end: Result<Void, any Error>?)>((nil, nil))
        add(
            Job(
                urgency: .immediate, isAwaited: true,
                change: { writer in
                    let value = try change(writer)
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
    ///   (``Health/failingSince``). Must return at once.
    public func observeHealth(_ observer: @escaping @Sendable () -> Void) {
        queue.withLock { $0.healthObserver = observer }
    }

    // MARK: Reading

    /// Reads one consistent state of the database, the latest: an open group of changes is committed before.
    ///
    /// That happens at most four times a second; in between, grouped changes may be missing. Immediate ones never are.
    public func read<T>(_ body: (Reader) throws -> T) throws -> T {
        waitForGroup()
        return try readers.read(body)
    }

    private func waitForGroup() {
        let now = monotonicNanoseconds()
        guard queue.withLock({ $0.enqueued > $0.settled }), writerThread.withLock({ $0?.isCurrent }) == false,
            let target = queue.notify({ $0.target(at: now) })
        else { return }
        _ = queue.wait(until: now + Self.flushPatience) { queue, _ in
            queue.settled >= target || queue.isClosed || queue.health.failingSince != nil ? true : nil
        }
    }

    /// A number that grows with each commit that touched a topic, and differs between runs. As fresh as ``read(_:)``.
    ///
    /// Ask for it before reading: data may then be newer than its number, never older.
    public func revision(_ topic: Topic) -> UInt64 {
        waitForGroup()
        return queue.withLock { $0.revisions[topic.rawValue] }
    }

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
