import MeshModel

// What has changed, in the order of the commits, under numbers that grow over restarts: a client that was away asks for all
// since the last number that it saw. The log names what has changed, and does not keep it: a message that was deleted meanwhile
// is not found. Only the newest stay: a client that was away for longer reads everything again.
//
// The changes of a commit are one row: its columns are the last of them, and `earlier` holds those before it (PackedChanges).

extension Schema {
    static let senders = """
        ALTER TABLE messages ADD COLUMN sender TEXT;
        ALTER TABLE outbox ADD COLUMN sender TEXT;
        """

    static let changeLog = """
        CREATE TABLE changes (
            number INTEGER PRIMARY KEY, source INTEGER NOT NULL, kind INTEGER NOT NULL, subject INTEGER NOT NULL
        ) STRICT;
        """

    static let packedChanges = "ALTER TABLE changes ADD COLUMN earlier BLOB;"
}

/// A change of the open transaction, which has no number yet.
struct NotedChange {
    var source: SourceID
    var what: StoredChange.What
    var origin: StoredChange.Origin
    /// What `changes` names it by: the row of a message, traceroute or happening, else the number that `what` has.
    var subject: Int64

    /// Where only the latest state matters, one change per transaction is enough.
    fileprivate var isRepeatable: Bool {
        switch what.kind {
        case .message, .delivery, .messageChanged, .messageDeleted, .traceroute, .waypoint: false
        // Each is a row of its own.
        case .position, .telemetry, .paxcount, .notification: false
        case .node, .nodeHeard, .nodeIntroduced, .nodeDeleted, .waypointDeleted, .status, .channel, .read, .happened:
            true
        }
    }
}

/// Which changes of a transaction are repeatable ones of the same subject: a hash table of places, because a Dictionary of
/// three numbers costs as much as the row that they are written in.
private struct Subjects {
    private var slots: [Int32]

    init(room: Int) {
        var size = 16
        while size < 2 * room { size *= 2 }
        slots = [Int32](repeating: -1, count: size)
    }

    /// The place of one with this subject; nil: there was none, and this is at `place` now.
    mutating func find(_ change: NotedChange, at place: Int, _ isSame: (Int) -> Bool) -> Int? {
        let mixed = UInt64(bitPattern: change.subject &* 31 &+ change.source.rawValue) &* 0x9E37_79B9_7F4A_7C15
        var slot = Int(truncatingIfNeeded: mixed >> 40) & (slots.count - 1)
        while slots[slot] >= 0 {
            if isSame(Int(slots[slot])) { return Int(slots[slot]) }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = Int32(place)
        return nil
    }
}

extension Writer {
    /// Changes of a run that stay, and at most as many of the runs before.
    static let keptChanges: Int64 = 20_000
    /// Changes beyond them that are left for the next time.
    private static let prunedAtOnce: Int64 = 500
    /// How far the numbers of a run leap ahead of those of the run before.
    static let leap: Range<Int64> = 1 << 32..<1 << 40

    /// Gives the changes of the transaction their numbers. The last thing before its commit.
    ///
    /// A database can go back: a power cut takes the last groups, a restoration the last days. So each run counts from a
    /// number of its own, drawn far ahead: no number that was used before ever means another change.
    func numberChanges(_ noted: [NotedChange]) throws -> [StoredChange] {
        let before = try newestChange()
        var (changes, subjects): ([StoredChange], [Int64]) = ([], [])
        changes.reserveCapacity(noted.count)
        subjects.reserveCapacity(noted.count)
        var known = Subjects(room: noted.count)
        for change in noted {
            if change.isRepeatable {
                let place = known.find(change, at: changes.count) { place in
                    subjects[place] == change.subject && changes[place].source == change.source
                        && changes[place].kind == change.what.kind
                }
                if let place {
                    // What was also heard live is news.
                    if change.origin == .live { changes[place].origin = .live }
                    continue
                }
            }
            changes.append(
                StoredChange(
                    number: before + Int64(changes.count) + 1, source: change.source, what: change.what,
                    origin: change.origin, messageRow: change.what.kind.messageRow(change.subject)))
            subjects.append(change.subject)
        }
        try write(changes, subjects)
        let newest = before + Int64(changes.count)
        lastChange = newest
        // Within a run the numbers are without a gap: nothing has to be counted.
        if newest / Self.prunedAtOnce > before / Self.prunedAtOnce, newest - (firstChange ?? 0) > Self.keptChanges {
            try connection.prepare("DELETE FROM changes WHERE number <= ?").bind(newest - Self.keptChanges).run()
        }
        return changes
    }

    /// One row a commit, or a few.
    private func write(_ changes: [StoredChange], _ subjects: [Int64]) throws {
        var earlier = PackedChanges()
        for index in changes.indices {
            let (source, code) = (changes[index].source, changes[index].kind.code(changes[index].origin))
            if index < changes.count - 1, !earlier.isFull {
                earlier.append(.init(source: source, code: code, subject: subjects[index]))
                continue
            }
            try connection.prepare(
                "INSERT INTO changes (number, source, kind, subject, earlier) VALUES (?, ?, ?, ?, ?)"
            )
            .bind(changes[index].number).bind(source.rawValue).bind(code).bind(subjects[index])
            .bind(earlier.bytes.isEmpty ? nil : earlier.bytes).run()
            earlier = PackedChanges()
        }
    }

    /// The number behind which this run goes on; 0 in a database without changes.
    private func newestChange() throws -> Int64 {
        if let lastChange { return lastChange }
        let newest = try connection.integer("SELECT max(number) FROM changes") ?? 0
        if let firstChange { return max(newest, firstChange) }
        let first = newest > 0 ? newest + .random(in: Self.leap) : 0
        firstChange = first
        try forgetOldChanges()
        return max(newest, first)
    }

    /// What runs before have left beside those of this one.
    private func forgetOldChanges() throws {
        var left = Self.keptChanges
        let rows = try connection.prepare("SELECT number, earlier FROM changes ORDER BY number DESC")
        defer { rows.reset() }
        while try rows.step() {
            let number = rows.integer()
            left -= 1 + PackedChanges.count(in: rows.bytes())
            guard left <= 0 else { continue }
            rows.reset()
            try connection.prepare("DELETE FROM changes WHERE number < ?").bind(number).run()
            return
        }
    }
}

extension Writer {
    /// More has changed than is logged row by row: every reader learns that it has missed an unknown number of changes
    /// (``Reader/forgottenChanges(after:)``).
    func forgetChanges() throws {
        firstChange = try Self.forgetChanges(behind: newestChange(), on: connection)
        lastChange = firstChange
        hasForgottenChanges = true
    }

    /// - Parameter newest: the number of the newest change, or any greater one.
    /// - Returns: the number behind which it goes on.
    @discardableResult
    static func forgetChanges(behind newest: Int64 = 0, on connection: DatabaseConnection) throws -> Int64 {
        let first = newest + .random(in: leap)
        try connection.execute("DELETE FROM changes")
        // This row keeps the number. Readers skip it: `StoredChange.Kind` has no 0.
        try connection.prepare("INSERT INTO changes (number, source, kind, subject) VALUES (?, 0, 0, 0)")
            .bind(first).run()
        return first
    }
}

// What is gone has no row any more to say on which channel it was, and a read mark has no row number: their subjects are
// put together of 32 bits for a number, 12 for a channel, and what is left for a token.

extension Int64 {
    /// - Parameters:
    ///   - channel: 0 to 7, or one of the gateway's own; nil: none. One beyond the 12 bits is as good as none.
    ///   - token: ``Token/id``, below 2^19.
    static func packed(_ number: UInt32, channel: Int?, token: Int64 = 0) -> Int64 {
        let place = channel.map { (0..<4095).contains($0) ? Int64($0) + 1 : 0 } ?? 0
        return token << 44 | place << 32 | Int64(number)
    }

    fileprivate var packedNumber: UInt32 { UInt32(truncatingIfNeeded: self) }

    fileprivate var packedChannel: Int? {
        let place = Int(self >> 32 & 0xFFF)
        return place == 0 ? nil : place - 1
    }
}

extension StoredChange.Kind {
    /// ``StoredChange/messageRow`` of a change that is logged with this subject.
    fileprivate func messageRow(_ subject: Int64) -> Int64? {
        switch self {
        case .message, .delivery, .messageChanged, .messageDeleted: subject
        default: nil
        }
    }
}

extension Reader {
    /// The number of the newest change; 0: there was none.
    public func newestChange() throws -> Int64 { try connection.integer("SELECT max(number) FROM changes") ?? 0 }

    /// The number of the oldest change that is kept; nil: there was none.
    func oldestChange() throws -> Int64? {
        try connection.prepare("SELECT number, earlier FROM changes ORDER BY number LIMIT 1").first { row in
            row.integer() - PackedChanges.count(in: row.bytes())
        }
    }

    /// What has changed since, oldest first, without what is no longer there.
    ///
    /// - Parameters:
    ///   - number: of the last change that is known already.
    ///   - limit: how many changes are looked at.
    /// - Returns: `last` is the number to go on with. `isComplete` is false when changes after `number` are no longer kept.
    public func changes(
        after number: Int64, kinds: Set<StoredChange.Kind>, limit: Int = 500
    ) throws -> (changes: [StoredChange], last: Int64, isComplete: Bool) {
        let oldest = try oldestChange() ?? 0
        let (found, last) = try loggedChanges(after: number, kinds, limit: limit)
        let changes = try found.compactMap { logged -> StoredChange? in
            guard let what = try what(logged.kind, logged.subject, in: logged.source) else { return nil }
            return StoredChange(
                number: logged.number, source: logged.source, what: what, origin: logged.origin,
                messageRow: logged.kind.messageRow(logged.subject))
        }
        return (changes, last, number + 1 >= oldest)
    }

    private struct LoggedChange {
        let number: Int64
        let source: SourceID
        let kind: StoredChange.Kind
        let origin: StoredChange.Origin
        let subject: Int64
    }

    private func loggedChanges(
        after number: Int64, _ kinds: Set<StoredChange.Kind>, limit: Int
    ) throws -> (found: [LoggedChange], last: Int64) {
        var (found, last, looked) = ([LoggedChange](), number, 0)
        let rows = try connection.prepare(
            "SELECT number, source, kind, subject, earlier FROM changes WHERE number > ? ORDER BY number LIMIT ?"
        )
        .bind(number).bind(max(limit, 0))
        defer { rows.reset() }
        while looked < limit, try rows.step() {
            let end = rows.integer()
            let ofRow = PackedChanges.Change(
                source: SourceID(rawValue: rows.integer()), code: rows.integer(), subject: rows.integer())
            let all = PackedChanges.read(rows.bytes()) + [ofRow]
            let first = end - Int64(all.count) + 1
            for (place, change) in all.enumerated() where first + Int64(place) > number && looked < limit {
                looked += 1
                last = first + Int64(place)
                guard let (kind, origin) = StoredChange.Kind.read(change.code), kinds.contains(kind) else { continue }
                found.append(
                    LoggedChange(
                        number: last, source: change.source, kind: kind, origin: origin, subject: change.subject))
            }
        }
        return (found, last)
    }

    private func what(
        _ kind: StoredChange.Kind, _ subject: Int64, in source: SourceID
    ) throws -> StoredChange.What? {
        switch kind {
        case .message, .delivery:
            guard let message = try message(row: subject, in: source) else { return nil }
            if kind == .message { return .message(id: message.id, at: message.createdAt) }
            return message.delivery.map { .delivery(id: message.id, $0) }
        case .messageChanged: return try message(row: subject, in: source).map { .messageChanged(id: $0.id) }
        case .messageDeleted: return try message(row: subject, in: source, isDeleted: true).map { .messageDeleted($0) }
        case .node: return .node(NodeNumber(UInt32(truncatingIfNeeded: subject)))
        case .nodeHeard: return .nodeHeard(NodeNumber(UInt32(truncatingIfNeeded: subject)))
        case .nodeIntroduced: return .nodeIntroduced(NodeNumber(UInt32(truncatingIfNeeded: subject)))
        case .happened: return .happened(row: subject)
        case .notification: return .notification(row: subject)
        case .nodeDeleted:
            return .nodeDeleted(NodeNumber(subject.packedNumber), channel: subject.packedChannel)
        case .position: return try heard("positions", subject, in: source).map { .position($0, row: subject) }
        case .telemetry: return try heard("telemetry", subject, in: source).map { .telemetry($0, row: subject) }
        case .paxcount: return try heard("paxcounts", subject, in: source).map { .paxcount($0, row: subject) }
        case .waypointDeleted: return .waypointDeleted(subject.packedNumber, channel: subject.packedChannel)
        case .read:
            let conversation = Conversation(
                channel: subject.packedChannel ?? -1, node: NodeNumber(subject.packedNumber))
            return .read(conversation, by: subject >> 44)
        case .status: return .status(NodeNumber(UInt32(truncatingIfNeeded: subject)))
        case .traceroute: return .traceroute(subject)
        case .waypoint: return .waypoint(UInt32(truncatingIfNeeded: subject))
        case .channel: return .channel(Int(subject))
        }
    }

    private func message(row: Int64, in source: SourceID, isDeleted: Bool = false) throws -> Message? {
        try MessageRow.one(row, in: source, isDeleted: isDeleted, on: connection)
    }

    /// Whose row it is; nil when it is gone.
    private func heard(_ table: String, _ row: Int64, in source: SourceID) throws -> NodeNumber? {
        try connection.prepare(composed: "SELECT node FROM \(table) WHERE id = ? AND node >> 32 = ?")
            .bind(row).bind(source.rawValue).first { NodeNumber(UInt32(truncatingIfNeeded: $0.integer())) }
    }
}
