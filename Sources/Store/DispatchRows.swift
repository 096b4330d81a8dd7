import MeshModel

// Notifications on their way to targets, one row per notification and target.
//
// 1. A row is written in the transaction that creates the notification, and removed in the one that records what became of it:
//    after a kill in between it is sent again, under the same id.
// 2. It holds the words, not a reference to the feed, which other rows push out. A message that a person deletes disappears
//    from here at once.
// 3. The oldest row of a target may have been sent already. It stays as it is; those after it may become a summary, which
//    replaces the last of them.
// 4. Numbers are never given twice: a reader that has read up to one finds what came after it.

extension Schema {
    /// - `dispatches.at`: since when it has waited for this target, in host milliseconds. `told_at`: ``FeedRow/createdAt``.
    /// - `counts`: for a summary, one line `RULE NUMBER` per rule. `held_until`: host milliseconds before which it is not sent.
    /// - `targets.attempts`: failures since the last success. Times are host milliseconds.
    static let dispatches = """
        CREATE TABLE dispatches (
            id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, at INTEGER NOT NULL, uuid TEXT NOT NULL,
            counts TEXT, told_at INTEGER NOT NULL, source INTEGER, type TEXT NOT NULL, title TEXT NOT NULL,
            body TEXT NOT NULL, priority INTEGER, rule TEXT, episode TEXT, state INTEGER, node INTEGER, message TEXT,
            conversation TEXT, held_until INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX dispatches_target ON dispatches (target, id);
        CREATE INDEX dispatches_held ON dispatches (held_until) WHERE held_until IS NOT NULL;
        CREATE INDEX dispatches_message ON dispatches (message) WHERE message IS NOT NULL;
        CREATE TABLE targets (
            name TEXT PRIMARY KEY, attempts INTEGER NOT NULL, next_at INTEGER, succeeded_at INTEGER,
            failing_since INTEGER, error TEXT, is_told INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// - `targets.sent`: one line `AT COUNT` for each of ``TargetRow/sent``.
    static let targetAllowances = "ALTER TABLE targets ADD COLUMN sent TEXT NOT NULL DEFAULT '';"
}

/// A notification on its way to a target.
public struct Dispatch: Hashable, Sendable {
    /// Its number; 0 if it has none yet.
    public var id: Int64 = 0
    public var target: String
    /// Since when it has waited for this target, in host milliseconds.
    public var at: Int64
    /// As this target gets it. Of a summary its id and time count, and what a reader needs to see all that it replaces.
    public var row: FeedRow
    /// The notifications that a summary replaces; empty if it is not one.
    public var counts: [DispatchCount] = []
    /// When the quiet hours that hold it end, in host milliseconds; nil if it waits to be sent.
    public var heldUntil: Int64?

    public init(to target: String, at: Int64, _ row: FeedRow, heldUntil: Int64? = nil) {
        (self.target, self.at, self.row, self.heldUntil) = (target, at, row, heldUntil)
    }

    public var uuid: String { row.uuid }
    public var isSummary: Bool { !counts.isEmpty }

    /// How many notifications of which rules it contains.
    public var contents: [DispatchCount] {
        isSummary ? counts : [DispatchCount(rule: row.rule ?? "", count: 1)]
    }
}

/// How many notifications of a rule a summary replaces.
public struct DispatchCount: Hashable, Sendable {
    /// Empty if they are of no rule.
    public var rule: String
    public var count: Int

    public init(rule: String, count: Int) { (self.rule, self.count) = (rule, count) }

    /// Adds up those of the same rule, the most first.
    static func sum(_ all: some Sequence<DispatchCount>) -> [DispatchCount] {
        var counts: [String: Int] = [:]
        for one in all { counts[one.rule, default: 0] += one.count }
        return counts.map { DispatchCount(rule: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.rule) < ($0.count, $1.rule) }
    }

    fileprivate static func all(in text: String) -> [DispatchCount] {
        text.split(separator: "\n").compactMap { line in
            guard let blank = line.lastIndex(of: " "), let count = Int(line[line.index(after: blank)...]) else {
                return nil
            }
            return DispatchCount(rule: String(line[..<blank]), count: count)
        }
    }

    fileprivate static func text(_ counts: [DispatchCount]) -> String {
        counts.map { "\($0.rule) \($0.count)" }.joined(separator: "\n")
    }
}

/// How attempts to send to a target went.
public struct TargetRow: Hashable, Sendable {
    public var name: String
    /// Failed ones in a row.
    public var attempts = 0
    /// Host milliseconds before which nothing is sent.
    public var nextAt: Int64?
    public var succeededAt: Int64?
    public var failingSince: Int64?
    /// Why the last attempt failed.
    public var error: String?
    /// The feed has a row about this outage.
    public var isTold = false
    /// What it got in the last day, oldest first; empty if nobody counts.
    public var sent: [SentCount] = []

    public init(_ name: String) { self.name = name }
}

/// How many notifications a target got within a few minutes.
public struct SentCount: Hashable, Sendable {
    /// When the first of them was sent, in host milliseconds.
    public var at: Int64
    public var count: Int

    public init(at: Int64, count: Int) { (self.at, self.count) = (at, count) }

    fileprivate static func text(_ all: [SentCount]) -> String {
        all.map { "\($0.at) \($0.count)" }.joined(separator: "\n")
    }

    fileprivate static func all(in text: String) -> [SentCount] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ").map { Int64($0) }
            guard parts.count == 2, let at = parts[0], let count = parts[1], count > 0 else { return nil }
            return SentCount(at: at, count: Int(count))
        }
    }
}

extension Writer {
    /// How many rows may wait for a target, including held ones.
    public static let dispatchesOfTarget = 1_000
    /// How many of those, the newest, no summary includes.
    public static let dispatchesKept = 5

    /// Lets a notification wait for a target, unless the feed does not have it, or the target is a registration that has gone. In the transaction that writes it to the feed.
    public func insert(_ dispatch: Dispatch) throws {
        guard
            try connection.prepare("SELECT 1 FROM feed WHERE uuid = ?").bind(dispatch.uuid).first({ $0.flag() }) != nil,
            try isThere(dispatch.target)
        else { return }
        try dispatch.heldUntil == nil ? append(dispatch) : hold(dispatch)
    }

    func append(_ dispatch: Dispatch) throws {
        let row = dispatch.row
        try connection.prepare(
            """
            INSERT INTO dispatches (target, at, uuid, counts, told_at, source, type, title, body, priority, rule, episode,
                state, node, message, conversation, held_until, needs)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .bind(dispatch.target).bind(dispatch.at).bind(dispatch.uuid)
        .bind(dispatch.isSummary ? DispatchCount.text(dispatch.counts) : nil).bind(row.createdAt)
        .bind(row.source?.rawValue).bind(row.type).bind(row.title).bind(row.body).bind(row.priority?.rawValue)
        .bind(row.rule).bind(row.episode).bind(row.state?.rawValue).bind(row.node?.rawValue).bind(row.messageID)
        .bind(row.conversation?.id).bind(dispatch.heldUntil).bind(FeedRow.Need.text(row.needs)).run()
        if try Dispatch.count(of: dispatch.target, on: connection) > Self.dispatchesOfTarget {
            try foldDispatches(of: dispatch.target, sparing: nil, at: dispatch.at)
        }
    }

    /// Replaces all rows of a target except the newest by a summary.
    ///
    /// - Parameters:
    ///   - spared: rows that stay as they are, because they may have been sent already; nil: the oldest one may.
    ///   - kept: how many of the newest rows no summary includes.
    ///   - last: only rows up to this one.
    ///   - now: host milliseconds.
    /// - Returns: nil if there was nothing to sum up.
    @discardableResult
    public func foldDispatches(
        of target: String, sparing spared: Set<Int64>?, keeping kept: Int = dispatchesKept, upTo last: Int64 = .max,
        at now: Int64
    ) throws -> Dispatch? {
        let all = try Dispatch.all(of: target, after: 0, on: connection).filter { $0.id <= last }
        let spared = spared ?? Set(all.prefix(1).map(\.id))
        let folded = all.dropLast(kept).filter { !spared.contains($0.id) }
        guard folded.count > 1, let last = folded.last else { return nil }
        var summary = Dispatch(
            to: target, at: folded[0].at,
            FeedRow(at: now, in: nil, type: "summary", title: "", body: "", needs: Dispatch.needs(of: folded)))
        (summary.id, summary.counts) = (last.id, DispatchCount.sum(folded.flatMap(\.contents)))
        summary.row.body = Dispatch.linesOfSummary(of: folded)
        for row in folded.dropLast() { try removeDispatch(row.id) }
        try replace(by: summary)
        return summary
    }

    /// What has waited for a target's allowance goes: alone as it is, several as one summary. It is tried from now on, because
    /// waiting has used up none of its time.
    ///
    /// - Parameters: as for ``foldDispatches(of:sparing:keeping:upTo:at:)``.
    public func releaseDispatches(of target: String, sparing spared: Set<Int64>, upTo last: Int64, at now: Int64) throws
    {
        try foldDispatches(of: target, sparing: spared, keeping: 0, upTo: last, at: now)
        for row in try Dispatch.all(of: target, after: 0, on: connection)
        where row.id <= last && !spared.contains(row.id) {
            try connection.prepare("UPDATE dispatches SET at = ? WHERE id = ?").bind(now).bind(row.id).run()
        }
    }

    /// Turns the row with its number into the summary.
    func replace(by summary: Dispatch) throws {
        try connection.prepare(
            """
            UPDATE dispatches SET at = ?, uuid = ?, counts = ?, told_at = ?, source = NULL, type = 'summary', title = '',
                body = ?, priority = NULL, rule = NULL, episode = NULL, state = NULL, node = NULL, message = NULL,
                conversation = NULL, needs = ?
            WHERE id = ?
            """
        )
        .bind(summary.at).bind(summary.uuid).bind(DispatchCount.text(summary.counts)).bind(summary.row.createdAt)
        .bind(summary.row.body).bind(FeedRow.Need.text(summary.row.needs)).bind(summary.id).run()
    }

    /// It has arrived, or was given up.
    public func removeDispatch(_ id: Int64) throws {
        try connection.prepare("DELETE FROM dispatches WHERE id = ?").bind(id).run()
    }

    /// Gives it to another target, under the same id, after what waits there.
    ///
    /// - Parameter now: host milliseconds.
    public func moveDispatch(_ id: Int64, to target: String, at now: Int64) throws {
        guard var dispatch = try Dispatch.one(id, on: connection) else { return }
        try removeDispatch(id)
        (dispatch.target, dispatch.at) = (target, now)
        try append(dispatch)
    }

    /// A registration that has gone meanwhile is not stored.
    public func store(_ target: TargetRow) throws {
        guard try isThere(target.name) else { return }
        try connection.prepare("INSERT OR REPLACE INTO targets VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(target.name).bind(target.attempts).bind(target.nextAt).bind(target.succeededAt)
            .bind(target.failingSince).bind(target.error).bind(target.isTold).bind(SentCount.text(target.sent)).run()
    }

    /// Forgets a target, and deletes what waits for it.
    public func removeTarget(_ name: String) throws {
        try connection.prepare("DELETE FROM targets WHERE name = ?").bind(name).run()
        try connection.prepare("DELETE FROM dispatches WHERE target = ?").bind(name).run()
    }

    /// A person has deleted a message: no target is notified of it any more.
    func removeDispatches(of messageID: String) throws {
        try connection.prepare("DELETE FROM dispatches WHERE message = ?").bind(messageID).run()
        try forgetInSummaries { $0 == messageID }
    }
}

extension Dispatch {
    static let columns = """
        id, target, at, uuid, counts, told_at, source, type, title, body, priority, rule, episode, state, node, message,
        conversation, held_until, needs
        """

    init(_ row: Statement) {
        let (id, target, at, uuid) = (row.integer(), row.text(), row.integer(), row.text())
        let counts = row.textOrNil()
        let told = row.integer()
        let source = row.integerOrNil().map { SourceID(rawValue: $0) }
        var feedRow = FeedRow(
            uuid: uuid, at: told, in: source, type: row.text(), title: row.text(), body: row.text(), needs: [])
        feedRow.priority = row.intOrNil().flatMap(FeedRow.Priority.init)
        feedRow.rule = row.textOrNil()
        feedRow.episode = row.textOrNil()
        feedRow.state = row.intOrNil().flatMap(FeedRow.State.init)
        feedRow.node = row.unsignedOrNil().map { NodeNumber($0) }
        feedRow.messageID = row.textOrNil()
        feedRow.conversation = row.textOrNil().flatMap { Conversation(id: $0) }
        self.init(to: target, at: at, feedRow)
        (self.id, self.counts, heldUntil) = (id, DispatchCount.all(in: counts ?? ""), row.integerOrNil())
        self.row.needs = FeedRow.Need.all(in: row.text())
    }

    /// What a reader of all of them needs. What an older version has stored says nothing of it, so nobody is to see it.
    static func needs(of all: [Dispatch]) -> Set<FeedRow.Need> {
        if all.contains(where: { $0.row.needs.isEmpty }) { return [] }
        return all.reduce(into: []) { $0.formUnion($1.row.needs) }
    }

    static func one(_ id: Int64, on connection: DatabaseConnection) throws -> Dispatch? {
        try connection.prepare(composed: "SELECT \(columns) FROM dispatches WHERE id = ?").bind(id).first(Dispatch.init)
    }

    fileprivate static func all(
        of target: String, after id: Int64, on connection: DatabaseConnection
    ) throws -> [Dispatch] {
        try connection.prepare(
            composed: "SELECT \(columns) FROM dispatches WHERE target = ? AND id > ? AND held_until IS NULL ORDER BY id"
        )
        .bind(target).bind(id).rows(Dispatch.init)
    }

    fileprivate static func count(of target: String, on connection: DatabaseConnection) throws -> Int {
        try connection.prepare("SELECT count(*) FROM dispatches WHERE target = ?").bind(target)
            .first { Int($0.integer()) } ?? 0
    }
}

extension Reader {
    /// nil if a person has deleted its message, or it is in a summary.
    public func dispatch(_ id: Int64) throws -> Dispatch? {
        guard var dispatch = try Dispatch.one(id, on: connection) else { return nil }
        dispatch.row.link = try feedRow(uuid: dispatch.uuid)?.link
        return dispatch
    }

    /// What waits for a target, oldest first.
    public func dispatches(of target: String, after id: Int64 = 0) throws -> [Dispatch] {
        try Dispatch.all(of: target, after: id, on: connection)
    }

    /// The essentials of a row that waits.
    public struct WaitingDispatch: Hashable, Sendable {
        public var id: Int64
        public var target: String
        /// ``Dispatch/at``
        public var at: Int64
        public var uuid: String
        /// ``FeedRow/type``
        public var type: String
        public var priority: FeedRow.Priority?

        public init(
            id: Int64, target: String, at: Int64, uuid: String, type: String = "", priority: FeedRow.Priority? = nil
        ) {
            (self.id, self.target, self.at, self.uuid) = (id, target, at, uuid)
            (self.type, self.priority) = (type, priority)
        }
    }

    /// Everything that waits, for all targets, oldest first.
    ///
    /// - Parameter id: only rows after this one.
    public func waitingDispatches(after id: Int64) throws -> [WaitingDispatch] {
        try connection.prepare(
            "SELECT id, target, at, uuid, type, priority FROM dispatches WHERE id > ? AND held_until IS NULL ORDER BY id"
        )
        .bind(id).rows { row in
            WaitingDispatch(
                id: row.integer(), target: row.text(), at: row.integer(), uuid: row.text(), type: row.text(),
                priority: row.intOrNil().flatMap(FeedRow.Priority.init))
        }
    }

    /// How many there are for each target, including held ones.
    public func dispatchCounts() throws -> [String: Int] {
        let rows = try connection.prepare("SELECT target, count(*) FROM dispatches GROUP BY target").rows {
            ($0.text(), Int($0.integer()))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// How many wait to be sent to each target: those that are held do not.
    public func waitingCounts() throws -> [String: Int] {
        let rows = try connection.prepare(
            "SELECT target, count(*) FROM dispatches WHERE held_until IS NULL GROUP BY target"
        ).rows { ($0.text(), Int($0.integer())) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// The targets of which something is stored, by name.
    public func targets() throws -> [TargetRow] {
        try connection.prepare(
            "SELECT name, attempts, next_at, succeeded_at, failing_since, error, is_told, sent FROM targets ORDER BY name"
        )
        .rows { row in
            var target = TargetRow(row.text())
            target.attempts = Int(row.integer())
            target.nextAt = row.integerOrNil()
            target.succeededAt = row.integerOrNil()
            target.failingSince = row.integerOrNil()
            target.error = row.textOrNil()
            target.isTold = row.flag()
            target.sent = SentCount.all(in: row.text())
            return target
        }
    }
}
