import MeshModel
import Platform

// Deleting what Retention no longer keeps.
//
// 1. A person's message must not wait behind the deletion of a month. So it is done in slices, each a transaction of its
//    own, between which everything else goes on; a slice ends by the clock, because nobody knows how slow the disk is.
// 2. Nobody wakes up for it: what was written tells the writer that the database has become too large, and a reception
//    tells it once an hour that time has passed.
// 3. Clocks leap: a Raspberry Pi starts in the past, a broken one years ahead. A row is old only by its own time, and
//    only when the clock has gone steadily for a day.

/// What is left to delete.
struct Pruning {
    enum Step: Hashable {
        /// Rows from before a time. A row whose time is later than a day from `now` was stored by a clock that was wrong;
        /// it is passed over, and keeps nothing behind it alive.
        case old(AgingTable, before: Int64, now: Int64)
        /// Packets of a source beyond ``Retention/packetRows``.
        case crowdedPackets
        /// Nodes that were never heard, and not named since.
        case unheardNodes(before: Int64)
        /// What a clock has stored that was ahead (ReceiptOrder).
        case future(now: Int64)
        /// Nothing is deleted: the points are counted that have come (CountedRows).
        case count(SeriesTable)
        /// What a conversation over a broker has left.
        case removedConversation(SourceID)
        /// What a conversation over a broker, or all of them, keep too many of.
        case crowdedTexts
        /// The oldest rows, while the database is too large.
        case oversize(AgingTable, share: Int64)

        var isOversize: Bool { if case .oversize = self { true } else { false } }
    }

    private(set) var steps: [Step] = []
    /// The row that the first step has come to.
    var cursor: Int64?
    /// Packets by source.
    var counts: [Int64: Int] = [:]

    var isForSize: Bool { steps.contains { $0.isOversize } }

    mutating func add(_ more: [Step]) { steps += more.filter { !steps.contains($0) } }

    mutating func endStep() {
        steps.removeFirst()
        cursor = nil
        counts = [:]
    }

    /// It is small enough.
    mutating func endSize() {
        steps.removeAll { $0.isOversize }
        cursor = nil
    }
}

extension Writer {
    /// Nanoseconds after which a slice takes no further batch. With the batch and the commit it is to stay below twenty
    /// milliseconds.
    static let sliceTime: UInt64 = 8_000_000
    /// Batches that a slice takes in any case: on a busy host the time can be over before the first one is done, and
    /// deleting must stay ahead of what comes in.
    private static let leastBatches = 4

    /// What is too old goes, from now on, in slices. For every hour or so.
    ///
    /// - Parameter now: host milliseconds of a reception.
    public func expire(at now: Int64) throws {
        try noteMessageCounts()
        try expireTexts(at: now)
        try forgetRemovedConversations()
        defer { startPruning(SeriesTable.allCases.map { .count($0) }) }
        guard try hasGoneSteadily(to: now) else { return }
        var steps = AgingTable.allCases.compactMap { table in
            table.age(in: retention).map { Pruning.Step.old(table, before: now - $0, now: now) }
        }
        steps.append(.crowdedPackets)
        if let age = retention.telemetry { steps.append(.unheardNodes(before: now - age)) }
        steps.append(.future(now: now))
        startPruning(steps)
    }

    /// Whether the clock has been without a leap for a day: a leap forwards would make everything old at once. A gateway
    /// that was off for some days waits a day as well.
    private func hasGoneSteadily(to now: Int64) throws -> Bool {
        let known = try connection.prepare("SELECT seen, steady_since FROM host_clock")
            .first { (seen: $0.integer(), since: $0.integer()) }
        let goesOn = known.map { (-3_600_000...86_400_000).contains(now - $0.seen) } ?? false
        let since = goesOn ? known!.since : now
        try connection.prepare("INSERT OR REPLACE INTO host_clock VALUES (1, ?, ?)").bind(now).bind(since).run()
        return now - since >= 86_400_000
    }

    /// To be told before each commit.
    func noteSize() throws {
        guard let size = retention.size, pruning?.isForSize != true else { return }
        let used = try connection.usedBytes()
        guard used > Retention.upperMark(size) else { return sizeAfterPruning = 0 }
        // When there was nothing left to delete, not before it has grown.
        guard used > sizeAfterPruning + size / 64 else { return }
        startPruning(
            AgingTable.allCases.map { .oversize($0, share: $0.share(of: size)) }
                + AgingTable.allCases.map { .oversize($0, share: 1) })
    }

    func startPruning(_ steps: [Pruning.Step]) {
        var all = pruning ?? Pruning()
        all.add(steps)
        pruning = all
    }

    /// One slice of what is to be deleted. When nothing is left, ``pruning`` is nil.
    ///
    /// - Parameter clock: monotonic nanoseconds.
    /// - Returns: how many rows.
    func prune(_ clock: () -> UInt64 = MonotonicClock.nanoseconds) throws -> Int {
        guard var left = pruning else { return 0 }
        let end = clock() + Self.sliceTime
        var (deleted, batches) = (0, 0)
        repeat {
            guard let step = left.steps.first else { break }
            deleted += try runBatch(step, &left)
            batches += 1
        } while clock() < end || batches < Self.leastBatches
        pruning = left.steps.isEmpty ? nil : left
        return deleted
    }

    /// One batch.
    private func runBatch(_ step: Pruning.Step, _ left: inout Pruning) throws -> Int {
        switch step {
        case .old(let table, let before, let now): try deleteOld(table, before: before, now: now, &left)
        case .crowdedPackets: try deleteCrowdedPackets(&left)
        case .unheardNodes(let before): try deleteUnheardNodes(before: before, &left)
        case .future(let now): try bringBack(to: now, &left)
        case .count(let table): try count(table, &left)
        case .removedConversation(let source): try runStep(&left) { try forgetBatch(ofRemoved: source) }
        case .crowdedTexts: try runStep(&left) { try forgetCrowdedTexts() }
        case .oversize(let table, let share): try deleteOldest(table, share: share, &left)
        }
    }

    /// A step that is over when a batch of it finds nothing.
    private func runStep(_ left: inout Pruning, _ batch: () throws -> Int) throws -> Int {
        let deleted = try batch()
        if deleted == 0 { left.endStep() }
        return deleted
    }

    private func count(_ table: SeriesTable, _ left: inout Pruning) throws -> Int {
        if try !countRows(of: table) { left.endStep() }
        return 0
    }

    /// Deletes nothing: first the feed and the messages, then the nodes, among which the cursor is.
    private func bringBack(to now: Int64, _ left: inout Pruning) throws -> Int {
        guard let node = left.cursor else {
            try bringBackFeed(to: now)
            if try !bringBackMessages(to: now, batch: AgingTable.messages.batch) { left.cursor = -1 }
            return 0
        }
        left.cursor = try bringBackNodes(to: now, after: node)
        if left.cursor == nil { left.endStep() }
        return 0
    }

    private func deleteOld(
        _ table: AgingTable, before: Int64, now: Int64, _ left: inout Pruning
    ) throws -> Int {
        let rows = try connection.prepare(
            composed: "SELECT id, \(table.time) FROM \(table.name) WHERE id > ? AND \(table.mayGo) ORDER BY id LIMIT ?"
        )
        .bind(left.cursor ?? -1).bind(table.batch).rows { (id: $0.integer(), at: $0.integer()) }
        // In the order of time: behind the first one that is young nothing is old.
        let young = rows.firstIndex { $0.at >= before && $0.at <= now + 86_400_000 }
        let old = rows[..<(young ?? rows.count)].filter { $0.at < before }
        left.cursor = rows.last?.id
        if young != nil || rows.count < table.batch { left.endStep() }
        return try delete(old.map(\.id), of: table)
    }

    private func deleteOldest(_ table: AgingTable, share: Int64, _ left: inout Pruning) throws -> Int {
        let used = try connection.usedBytes()
        if let size = retention.size, used <= Retention.lowerMark(size) {
            left.endSize()
            return 0
        }
        let rows = try connection.prepare(
            composed: """
                SELECT id FROM \(table.name) WHERE id <= (SELECT max(id) FROM \(table.name)) - ? AND \(table.mayGo)
                ORDER BY id LIMIT ?
                """
        )
        .bind(share).bind(table.batch).rows { $0.integer() }
        if rows.count < table.batch { left.endStep() }
        if !left.isForSize { sizeAfterPruning = used }
        return try delete(rows, of: table)
    }

    /// From the newest to the oldest, counting.
    private func deleteCrowdedPackets(_ left: inout Pruning) throws -> Int {
        let batch = 64
        let rows = try connection.prepare("SELECT id, source FROM packets WHERE id < ? ORDER BY id DESC LIMIT ?")
            .bind(left.cursor ?? .max).bind(batch).rows { (id: $0.integer(), source: $0.integer()) }
        let crowded = rows.filter { row in
            left.counts[row.source, default: 0] += 1
            return left.counts[row.source]! > Retention.packetRows
        }
        left.cursor = rows.last?.id
        if rows.count < batch { left.endStep() }
        return try delete(crowded.map(\.id), of: .packets)
    }

    private func delete(_ rows: [Int64], of table: AgingTable) throws -> Int {
        guard !rows.isEmpty else { return 0 }
        if let topic = table.topic { markChanged(topic) }
        if table == .messages { return try removeMessages(rows) }
        let statement = try connection.prepare(composed: "DELETE FROM \(table.name) WHERE id = ?")
        for row in rows { try statement.reset().bind(row).run() }
        return rows.count
    }
}

extension Schema {
    /// `seen` is the time of the last look at the clock, `steady_since` that of its last leap, in host milliseconds.
    static let hostClock = """
        CREATE TABLE host_clock (
            id INTEGER PRIMARY KEY CHECK (id = 1), seen INTEGER NOT NULL, steady_since INTEGER NOT NULL
        ) STRICT;
        """
}
