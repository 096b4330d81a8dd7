/// One change that waits to be made. It may be run more than once: when the disk fails under its transaction, it is
/// run again.
struct Job: Sendable {
    var urgency: Store.Urgency
    /// Somebody waits for it and is told of a failing disk at once, instead of it being tried again.
    var isAwaited = false
    var change: @Sendable (Writer) throws -> Void
    var done: (@Sendable (Result<Void, any Error>) -> Void)?
}

/// What the writer thread and its callers share. Guarded by a ``Monitor``.
struct WriteQueue: Sendable {
    /// Beyond so many waiting changes, grouped ones are dropped.
    static let capacity = 8_192

    /// In order of arrival.
    private(set) var jobs: [Job] = []
    /// Taken by the writer, and not committed yet.
    private(set) var inWork = 0
    private var hasAwaited = false

    /// Changes ever taken in, and how many of them are through: committed, or given up. They get through in order.
    private(set) var enqueued: UInt64 = 0
    private(set) var settled: UInt64 = 0
    /// A reader wants everything up to here committed.
    private(set) var wanted: UInt64 = 0
    private var lastFlush: UInt64?

    private(set) var isClosing = false
    var isClosed = false
    var revisions = [UInt64](repeating: 0, count: Topic.allCases.count)
    var health = Health()
    /// Who is told that writing has begun to fail, or is well again.
    var healthObserver: (@Sendable () -> Void)?
    /// Who wants to know that the writer is not stuck.
    private var probes: [@Sendable () -> Void] = []
    /// Who is told what commits bring.
    var observer: (@Sendable ([StoredChange]) -> Void)?

    /// False: dropped.
    mutating func add(_ job: Job) -> Bool {
        if job.urgency == .grouped, jobs.count + inWork >= Self.capacity {
            health.droppedChanges += 1
            return false
        }
        jobs.append(job)
        if job.isAwaited { hasAwaited = true }
        enqueued += 1
        return true
    }

    mutating func takeAll() -> [Job] {
        defer { jobs = [] }
        inWork += jobs.count
        hasAwaited = false
        return jobs
    }

    /// Back to the front: they are to be tried again.
    mutating func giveBack(_ unfinished: [Job]) {
        inWork -= unfinished.count
        jobs.insert(contentsOf: unfinished, at: 0)
    }

    mutating func settle(_ count: Int) {
        inWork -= count
        settled += UInt64(count)
    }

    mutating func close() { isClosing = true }

    mutating func add(probe: @escaping @Sendable () -> Void) { probes.append(probe) }

    /// Nil: there is none.
    mutating func takeProbes() -> [@Sendable () -> Void]? {
        guard !probes.isEmpty else { return nil }
        defer { probes = [] }
        return probes
    }

    /// Waiting changes are worth a try although the last one failed.
    var isUrgent: Bool { hasAwaited || isClosing }

    var isFlushWanted: Bool { wanted > settled }

    /// What a reader has to wait for to see every change made so far; nil when there is nothing, or when it was asked
    /// for too often.
    mutating func target(at now: UInt64) -> UInt64? {
        guard enqueued > settled, !isClosed, health.failingSince == nil else { return nil }
        if isFlushWanted { return wanted }
        if let lastFlush, now - lastFlush < Store.flushInterval { return nil }
        lastFlush = now
        wanted = enqueued
        return wanted
    }

    var length: Int { jobs.count + inWork }
}

/// How the store is doing.
public struct Health: Hashable, Sendable {
    /// Host milliseconds since when nothing can be written; nil when all is well.
    public internal(set) var failingSince: Int64?
    /// The last failure of the disk or the database, and when, in host milliseconds.
    public internal(set) var lastError: String?
    public internal(set) var lastErrorAt: Int64?
    /// Changes that were refused by themselves, such as a name that is taken.
    public internal(set) var failedChanges = 0
    /// Grouped changes that found the queue full.
    public internal(set) var droppedChanges = 0
    /// Changes that are not committed yet.
    public internal(set) var queueLength = 0
    public internal(set) var commits = 0
    /// Of these, the ones that waited for the disk.
    public internal(set) var syncedCommits = 0
    /// Pages that commits have written to the log, of 1,024 bytes each.
    public internal(set) var pagesWritten = 0
    public internal(set) var checkpoints = 0
    /// Rows that ``Retention`` has given up since the start.
    public internal(set) var prunedRows = 0
    /// Bytes on disk, the log included.
    public internal(set) var size: Int64 = 0
}
