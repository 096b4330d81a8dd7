// The one thread that writes.
//
// 1. The link thread hands over a change and goes on: it never waits for the disk. So there is a queue, and it is
//    bounded.
// 2. What a person wrote must survive a power cut from the moment that anybody is told (synchronous=FULL). What the mesh
//    repeats must not cost an fsync a packet, nor a page write a packet where one will do for many
//    (synchronous=NORMAL, in groups).
// 3. Readers have connections of their own and see what is committed. An open group is committed for them, but not for
//    each of a storm of them.
// 4. SQLite does not change `synchronous` inside a transaction. An urgent change therefore first commits the open group;
//    changes that wait in the queue before it go into its own transaction, in order.
// 5. The disk can be full for a day. Then the changes wait and are run again; only who waits for an answer gets an
//    error. When the queue is full too, grouped changes are lost and counted.
// 6. A disk that failed is well again when it has confirmed a commit that wrote something: not when a transaction was
//    empty, and not when one was only handed to the kernel.
// 7. What is deleted in bulk goes in slices, in turn with everything else (Pruning.swift).
//
//     queue -> [savepoint, change…, release]… -> dirty nodes -> COMMIT -> revisions, waiting readers, done callbacks

import Platform

/// `@unchecked Sendable`: everything but the queue, which has its own lock, is touched by the writer thread alone.
final class WriterThread: @unchecked Sendable {
    let queue: Monitor<WriteQueue>
    private let connection: DatabaseConnection
    private let file: DatabaseFile
    private let groupInterval: UInt64
    /// As ``Store/logPages``.
    private let logPages: Int
    private let writer: Writer
    private let checkpoints: Checkpoints

    /// Jobs that ran in the open transaction, for the case that it must be run again.
    private var ran: [Job] = []
    /// Jobs of the open transaction, the ones that failed by themselves included.
    private var count = 0
    private var isOpen = false
    private var isSynchronousFull = true
    /// Monotonic nanoseconds: when the open group must be committed, the search index brought up to date, and a failed
    /// transaction tried again.
    private var groupDeadline: UInt64?
    private var indexDeadline: UInt64?
    private var retryAt: UInt64?
    private var retryDelay: UInt64 = 0
    /// The last try before the end has failed.
    private var hasGivenUp = false
    private var lastLogPages = 0
    private var checkpointAt: Int

    /// Changes in one savepoint.
    private static let together = 16

    /// Nanoseconds. Somebody may be looking at the status while he frees space: it should not lag behind by much.
    static let firstRetryDelay: UInt64 = 1_000_000_000
    static let lastRetryDelay: UInt64 = 5_000_000_000

    init(
        _ connection: DatabaseConnection, _ file: DatabaseFile, queue: Monitor<WriteQueue>, groupInterval: UInt64,
        logPages: Int, _ retention: Retention, _ counts: MessageCounts
    ) {
        self.groupInterval = groupInterval
        self.logPages = logPages
        checkpointAt = logPages
        self.connection = connection
        self.file = file
        self.queue = queue
        writer = Writer(connection, retention)
        writer.messageCounts = counts
        checkpoints = Checkpoints(of: file, queue)
        // What a crash has left unindexed.
        writer.hasUnindexedMessages = true
        try? writer.forgetRemovedConversations()
        indexDeadline = MonotonicClock.nanoseconds() + groupInterval
    }

    private enum Task {
        case answer([@Sendable () -> Void])
        case jobs([Job])
        case commit
        case prune
        case close
    }

    func run() {
        connection.followLog()
        while true {
            switch nextTask() {
            case .answer(let probes): for probe in probes { probe() }
            case .jobs(let jobs): process(jobs)
            case .commit: commitGroup()
            case .prune: pruneAlone()
            case .close:
                finish()
                return
            }
        }
    }

    private func nextTask() -> Task {
        let isFailing = isFailing
        let hasGroup = isOpen
        let isPruning = !isFailing && writer.pruning != nil
        let hasGivenUp = hasGivenUp
        let deadline = [groupDeadline, indexDeadline, retryAt].compactMap { $0 }.min()
        return queue.wait(until: deadline) { queue, isLate in
            if let probes = queue.takeProbes() { return .answer(probes) }
            if !queue.jobs.isEmpty, !hasGivenUp, !isFailing || isLate || queue.isUrgent {
                return .jobs(queue.takeAll())
            }
            if queue.isClosing { return .close }
            if hasGroup, queue.isFlushWanted { return .commit }
            if isPruning { return .prune }
            return isLate ? .commit : nil
        }!
    }

    // MARK: Transactions

    private func process(_ jobs: [Job]) {
        var rest = jobs[...]
        while !rest.isEmpty {
            let window = rest.prefix(Store.groupSize)
            do {
                if let last = window.lastIndex(where: { isFailing || $0.urgency != .grouped }) {
                    if isOpen { try commit() }
                    try begin(isSynchronous: true)
                    while rest.startIndex <= last { try run(rest.removeFirst()) }
                    try commit()
                } else {
                    if !isOpen { try begin(isSynchronous: false) }
                    while !rest.isEmpty, count < Store.groupSize, rest.first?.urgency == .grouped {
                        let bound = min(Self.together, Store.groupSize - count)
                        let next = rest.prefix(bound).prefix { $0.urgency == .grouped }
                        rest = rest.dropFirst(next.count)
                        try run(next)
                    }
                    if count >= Store.groupSize { try commit() }
                }
                if writer.pruning != nil { try prune() }
                succeeded()
            } catch {
                failed(error, rest)
                return
            }
        }
    }

    /// The last transaction failed.
    private var isFailing: Bool { retryAt != nil }

    private func begin(isSynchronous: Bool) throws {
        guard file.isInPlace else { throw StoreError.displaced(path: file.path) }
        if isSynchronousFull != isSynchronous {
            try connection.execute("PRAGMA synchronous = \(isSynchronous ? "FULL" : "NORMAL")")
            isSynchronousFull = isSynchronous
        }
        try connection.prepare("BEGIN IMMEDIATE").run()
        isOpen = true
        // What it is does not matter: it is written although it is the same.
        if isFailing { try connection.execute("PRAGMA user_version = \(Migration.supported)") }
        if !isSynchronous { groupDeadline = MonotonicClock.nanoseconds() + groupInterval }
    }

    /// Changes that have waited behind each other share a savepoint, which costs half as much as a row. When one of them fails
    /// by itself, all are undone and run again, each in one of its own.
    private func run(_ jobs: ArraySlice<Job>) throws {
        if jobs.count > 1 {
            ran += jobs
            count += jobs.count
            do {
                return try writer.run { writer in
                    for job in jobs { try job.change(writer) }
                }
            } catch {
                if isOfStorage(error) { throw error }
                ran.removeLast(jobs.count)
                count -= jobs.count
            }
        }
        for job in jobs { try run(job) }
    }

    private func isOfStorage(_ error: any Error) -> Bool {
        connection.isAutocommit || (error as? StoreError)?.concernsStorage == true
    }

    private func run(_ job: Job) throws {
        ran.append(job)
        count += 1
        do {
            try writer.run(job.change)
        } catch {
            if isOfStorage(error) { throw error }
            // Its own fault: nothing of it remains, and it is not run again.
            ran.removeLast()
            queue.withLock { $0.health.failedChanges += 1 }
            job.done?(.failure(error))
        }
    }

    /// - Parameter indexes: new messages are taken into the search index, unless the transaction is an urgent one.
    private func commit(indexes: Bool = true) throws {
        try writer.flush()
        if indexes, !isSynchronousFull { try index() }
        try writer.noteSize()
        let isObserved = !writer.changesToReport.isEmpty && queue.withLock { $0.observer != nil }
        let changesToReport = isObserved ? try writer.numberChanges(writer.changesToReport) : []
        try connection.prepare("COMMIT").run()
        let (changedTopics, hasForgotten) = (writer.changedTopics, writer.hasForgottenChanges)
        let (jobs, count) = (ran, count)
        let pages = pagesOfLastCommit()
        transactionEnded(isCommitted: true)
        noteUnindexedMessages()
        // Those who are told find the disk well.
        if isSynchronousFull { succeeded() }
        // Revisions first: who has been told must not be shown the state of before.
        let (observer, topicObserver) = queue.notify { queue in
            for topic in Topic.allCases where changedTopics.contains(topic) { queue.revisions[topic.rawValue] += 1 }
            queue.version += changedTopics.isEmpty ? 0 : 1
            queue.settle(count)
            if hasForgotten { queue.recent.forget() }
            queue.recent.add(changesToReport)
            queue.health.commits += 1
            queue.health.syncedCommits += isSynchronousFull ? 1 : 0
            queue.health.pagesWritten += pages
            return (queue.observer, queue.topicObserver)
        }
        if !changesToReport.isEmpty { observer?(changesToReport) }
        if !changedTopics.isEmpty { topicObserver?(changedTopics) }
        for job in jobs { job.done?(.success(())) }
        moveLogIfDue()
    }

    /// The search index is a convenience: when it is damaged, everything else goes on without it.
    private func index() throws {
        guard writer.hasUnindexedMessages else { return }
        try connection.prepare("SAVEPOINT search").run()
        do {
            try writer.indexMessages()
        } catch let error as StoreError where !error.isShortOfSpace && !connection.isAutocommit {
            try connection.prepare("ROLLBACK TO search").run()
            writer.isIndexDamaged = true
            note(error)
        }
        try connection.prepare("RELEASE search").run()
    }

    private func transactionEnded(isCommitted: Bool) {
        ran.removeAll(keepingCapacity: true)
        count = 0
        isOpen = false
        groupDeadline = nil
        writer.transactionEnded(isCommitted: isCommitted)
    }

    private func noteUnindexedMessages() {
        guard writer.hasUnindexedMessages else { return indexDeadline = nil }
        // A batch that filled up has more behind it.
        let delay = isSynchronousFull ? groupInterval : 0
        if indexDeadline == nil || !isSynchronousFull { indexDeadline = MonotonicClock.nanoseconds() + delay }
    }

    /// The deadline has come, or a reader: commits the open group, or only brings the search index up to date.
    private func commitGroup() {
        do {
            if !isOpen { try begin(isSynchronous: isFailing) }
            try commit()
            succeeded()
        } catch {
            failed(error, [])
        }
    }

    private func pruneAlone() {
        do {
            try prune()
            succeeded()
        } catch {
            failed(error, [])
        }
    }

    /// One slice, in a transaction of its own.
    private func prune() throws {
        do {
            if isOpen { try commit() }
            try begin(isSynchronous: false)
            var deleted = 0
            try writer.run { writer in deleted = try writer.change(as: .corrected) { try writer.prune() } }
            try commit(indexes: false)
            queue.withLock { $0.health.prunedRows += deleted }
        } catch {
            // The next commit or reception starts it again.
            writer.pruning = nil
            throw error
        }
    }

    // MARK: Failure

    /// The disk or the database failed. Rolls back, tells those who wait, and keeps the others for another try.
    private func failed(_ error: any Error, _ rest: ArraySlice<Job>) {
        if !connection.isAutocommit { try? connection.prepare("ROLLBACK").run() }
        let lost = count - ran.count
        let unfinished = ran + rest
        transactionEnded(isCommitted: false)
        retryDelay = min(max(retryDelay * 2, Self.firstRetryDelay), Self.lastRetryDelay)
        retryAt = MonotonicClock.nanoseconds() + retryDelay
        indexDeadline = nil
        writer.hasUnindexedMessages = !writer.isIndexDamaged
        hasGivenUp = queue.withLock { $0.isClosing }
        queue.giveBack(unfinished, lost: lost, because: error)
    }

    private func note(_ error: any Error) { queue.withLock { $0.note(error) } }

    private func succeeded() {
        guard retryAt != nil else { return }
        retryAt = nil
        retryDelay = 0
        queue.setFailing(false)
    }

    // MARK: The log

    private func pagesOfLastCommit() -> Int {
        let pages = connection.logPages
        defer { lastLogPages = pages }
        guard pages < lastLogPages else { return pages - lastLogPages }
        // After a checkpoint the log starts again from its beginning.
        checkpointAt = logPages
        return pages
    }

    /// After everybody has been told, and seldom.
    private func moveLogIfDue() {
        guard connection.logPages >= checkpointAt else { return }
        // A reader that holds the log keeps it from starting again: then it grows.
        checkpointAt = connection.logPages + logPages / 4
        // So does a commit in the meantime. Somebody who writes without a pause, as an import does, would leave it behind.
        let isLeftBehind = connection.logPages >= 2 * logPages
        if isLeftBehind { checkpoints.wait() }
        checkpoints.begin()
        if isLeftBehind { checkpoints.wait() }
    }

    // MARK: The end

    private func finish() {
        if isOpen || writer.hasUnindexedMessages { commitGroup() }
        checkpoints.wait()
        let left = queue.notify { queue in
            queue.isClosed = true
            return queue.takeAll()
        }
        for job in left { job.done?(.failure(StoreError.closed)) }
        if file.isInPlace { connection.close() } else { connection.abandon() }
        file.unlock()
    }
}
