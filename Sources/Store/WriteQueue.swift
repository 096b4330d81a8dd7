import MeshModel
import Platform

/// One change that waits to be made. It may be run more than once: when the disk fails under its transaction, it is
/// run again.
struct Job: Sendable {
    var urgency: Store.Urgency
    /// A caller waits for it: when the disk fails, it fails at once, and is not tried again.
    var isAwaited = false
    var change: @Sendable (Writer) throws -> Void
    /// Called once when it is known that the change has to wait for the disk, or is dropped.
    var delayed: (@Sendable () -> Void)?
    var done: (@Sendable (Result<Void, any Error>) -> Void)?
}

/// What the writer thread and its callers share. Guarded by a ``Monitor``.
struct WriteQueue: Sendable {
    /// Beyond so many waiting changes, grouped ones are dropped.
    static let capacity = 8_192
    /// Beyond so many, received messages, too: hours of a busy mesh, and some megabytes.
    static let messageCapacity = 16_384

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
    /// As ``Store/version``.
    var version: UInt64 = 0
    var health = Health()
    /// Called when writing has begun to fail, when it is well again, and when a change was dropped first.
    var healthObserver: (@Sendable () -> Void)?
    /// The changes of the last commits.
    var recent = RecentChanges()
    /// Called by a writer that is not stuck.
    private var probes: [@Sendable () -> Void] = []
    /// Called with what a commit has changed.
    var observer: (@Sendable ([StoredChange]) -> Void)?
    /// Called with the topics that a commit has changed.
    var topicObserver: (@Sendable (Topic.Several) -> Void)?

    /// False: dropped.
    mutating func add(_ job: Job) -> Bool {
        let bound: Int
        switch job.urgency {
        case .grouped: bound = Self.capacity
        case .received: bound = Self.messageCapacity
        case .immediate: bound = .max
        }
        guard jobs.count + inWork < bound else {
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

    mutating func note(_ error: any Error) {
        health.lastError = "\(error)"
        health.lastErrorAt = WallClock.milliseconds()
        health.cause = Health.Cause(error)
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

    /// What a reader has to wait for to see every change made so far, and since when somebody waits for that; nil when there is
    /// nothing, or when it was asked for too often.
    ///
    /// - Parameter always: however often it is asked for.
    mutating func target(at now: UInt64, always: Bool = false) -> (changes: UInt64, since: UInt64)? {
        guard enqueued > settled, !isClosed, health.failingSince == nil else { return nil }
        if let lastFlush, isFlushWanted, !always || wanted == enqueued { return (wanted, lastFlush) }
        // Another reader may have asked since, by a later time.
        if let lastFlush, !always, now < lastFlush + Store.flushInterval { return nil }
        lastFlush = now
        wanted = enqueued
        return (wanted, now)
    }

    /// How long the disk could not be written, and why, becomes a row of `happened`, unless nothing observes changes: a command
    /// that uses the store for a moment leaves no such row.
    mutating func noteDiskIsWell() {
        guard observer != nil, let since = health.failingSince else { return }
        let happening = Happening(
            .disk, at: WallClock.milliseconds(), since: since, name: Problem.Kind.diskFailing.rawValue,
            text: health.lastError)
        _ = add(Job(urgency: .grouped) { try $0.insert(happening) })
    }

    var length: Int { jobs.count + inWork }
}

extension Monitor<WriteQueue> {
    /// The disk or the database failed: tells those who wait, and keeps the other changes for another try.
    ///
    /// - Parameter lost: changes that are over, although nobody has been told.
    func giveBack(_ unfinished: [Job], lost: Int = 0, because error: any Error) {
        let kept = unfinished.filter { !$0.isAwaited }.map { job in
            var job = job
            job.delayed = nil
            return job
        }
        notify { queue in
            queue.giveBack(kept)
            queue.settle(lost + unfinished.count - kept.count)
            queue.note(error)
        }
        setFailing(true)
        for job in unfinished {
            if job.isAwaited { job.done?(.failure(error)) } else { job.delayed?() }
        }
    }

    func setFailing(_ isFailing: Bool) {
        let observer = notify { queue -> (@Sendable () -> Void)? in
            guard isFailing != (queue.health.failingSince != nil) else { return nil }
            if !isFailing { queue.noteDiskIsWell() }
            queue.health.failingSince = isFailing ? WallClock.milliseconds() : nil
            return queue.healthObserver
        }
        observer?()
    }
}
