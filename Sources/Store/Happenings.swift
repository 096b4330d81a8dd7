import MeshModel

// What happened to a link, to a node's key, or to the gateway itself, as rows: streams find it after a restart, and it can be
// asked later when a radio was connected.
//
// 1. A row is rare, and costs a page in a group that is written anyway. What flaps (a loose plug, a storm of notices) must not
//    fill the disk: beyond 60 rows an hour and source, what happens to one subject shares a row with a count and the latest
//    state, which is written each time.
// 2. A link is live if its newest row says so, unless the gateway has started since. That row is never pruned.

extension Schema {
    /// - `at`: host milliseconds; in a row that counts, the last time.
    /// - `since`: when it began, in a row that counts or of a full disk; for a clock that was set, what it showed before.
    /// - `source`: 0 for the gateway itself.
    /// - `sequence`: its number among the gateway's conditions, for streams that continue there.
    static let happened = """
        CREATE TABLE happened (
            id INTEGER PRIMARY KEY, at INTEGER NOT NULL, since INTEGER, source INTEGER NOT NULL, kind INTEGER NOT NULL,
            sequence INTEGER, node INTEGER, count INTEGER, name TEXT, text TEXT
        ) STRICT;
        """

    /// Who decided it (``Sender/text``); null if nobody here did.
    static let happeningSenders = "ALTER TABLE happened ADD COLUMN sender TEXT;"
}

/// A row of what happened.
public struct Happening: Hashable, Sendable {
    /// The radio is away, or has started, because it was told to restart: no news for anybody.
    public static let restarting = "restarting"

    /// The numbers are stored.
    public enum Kind: Int, CaseIterable, Sendable {
        /// ``Happening/name`` is the new state of the link to a radio, or ``Happening/restarting``.
        case link = 1
        /// ``Happening/name`` is what began.
        case problem
        /// ``Happening/name`` is over.
        case solved
        /// The radio has restarted; ``Happening/name`` is ``Happening/restarting`` if it was told to.
        case restart
        /// The radio's own words for its user, or ours about its number.
        case notice
        /// Something was found out about a node's key.
        case key
        /// The gateway's service has started, which ends every link before it.
        case started
        case stopped
        /// The host's clock was set: from ``Happening/since`` to ``Happening/at``.
        case clockSet
        /// The disk could not be written, and can be again: from ``Happening/since`` to ``Happening/at``.
        case disk
        /// A node has changed its name; ``Happening/text`` has both.
        case renamed
    }

    /// The row's number; 0 if it has none yet.
    public var id: Int64 = 0
    /// Host milliseconds.
    public var at: Int64
    public var since: Int64?
    public var source: SourceID
    public var kind: Kind
    public var sequence: UInt64?
    public var node: NodeNumber?
    /// How often it happened since ``since``; nil for once.
    public var count: Int?
    /// In kebab-case, for programs.
    public var name: String?
    /// For people.
    public var text: String?
    /// Who decided it; nil if nobody here did.
    public var sender: Sender?

    /// - Parameter source: nil for the gateway itself.
    public init(
        _ kind: Kind, at: Int64, since: Int64? = nil, source: SourceID? = nil, sequence: UInt64? = nil,
        node: NodeNumber? = nil, name: String? = nil, text: String? = nil, by sender: Sender? = nil
    ) {
        (self.kind, self.at, self.since, self.source) = (kind, at, since, source ?? .gateway)
        (self.sequence, self.node, self.name, self.text, self.sender) = (sequence, node, name, text, sender)
    }

    /// Shares a row if it happens too often: a link's states, a problem's beginnings and ends, or a kind.
    fileprivate var subject: String {
        switch kind {
        case .problem, .solved: "problem \(name ?? "")"
        case .link: "link"
        case .restart: "restart"
        case .notice: "notice"
        case .key: "key"
        case .started: "started"
        case .stopped: "stopped"
        case .clockSet: "clockSet"
        case .disk: "disk"
        case .renamed: "renamed"
        }
    }
}

extension SourceID {
    /// The source of what happens to the gateway itself.
    public static let gateway = SourceID(rawValue: 0)
}

/// The rows of a source in an hour of the host's clock.
struct HappeningCount {
    /// Hours since 1970.
    let hour: Int64
    var rows = 0
    /// Rows that count, by their subject.
    var counting: [String: Int64] = [:]
}

extension Writer {
    /// How many rows a source gets in an hour before further ones are counted.
    static let happeningsAnHour = 60
    /// How many of the newest rows are searched: those of an hour are among them.
    fileprivate static let newestHappenings = 4_096

    /// Stores what happened as a row, or counts it in one.
    public func insert(_ happening: Happening) throws {
        markChanged(.happened)
        var count = try happeningCount(of: happening.source, at: happening.at)
        var row = happening
        if count.rows >= Self.happeningsAnHour {
            let known = try count.counting[happening.subject].flatMap { try self.happening(row: $0) }
            row.count = (known?.count ?? 0) + 1
            row.since = known?.since ?? happening.at
            row.id = try known.map { try newestPlace(of: $0) } ?? 0
        } else {
            count.rows += 1
        }
        let id = try write(row)
        if row.count != nil { count.counting[happening.subject] = id }
        happeningCounts?[happening.source] = count
        note(.happened(row: id), of: id, in: happening.source)
    }

    /// Where to continue a row that counts. If a link's row or a start came after it, it is deleted, to be written after those.
    ///
    /// - Returns: the row to write it in; 0 for a new one.
    private func newestPlace(of known: Happening) throws -> Int64 {
        let isPassed =
            try connection.prepare("SELECT EXISTS (SELECT 1 FROM happened WHERE id > ? AND kind IN (1, 7))")
            .bind(known.id).first { $0.flag() } ?? false
        guard isPassed else { return known.id }
        try connection.prepare("DELETE FROM happened WHERE id = ?").bind(known.id).run()
        return 0
    }

    /// - Returns: the row's number, a new one if it had none.
    private func write(_ row: Happening) throws -> Int64 {
        try connection.prepare(
            """
            INSERT OR REPLACE INTO happened (id, at, since, source, kind, sequence, node, count, name, text, sender)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .bind(row.id == 0 ? nil : row.id).bind(row.at).bind(row.since).bind(row.source.rawValue).bind(row.kind.rawValue)
        .bind(row.sequence)
        .bind(row.node?.rawValue).bind(row.count).bind(row.name).bind(row.text).bind(row.sender?.text).run()
        return connection.lastInsertedRow
    }

    private func happeningCount(of source: SourceID, at now: Int64) throws -> HappeningCount {
        let hour = now / 3_600_000
        if let known = happeningCounts?[source], known.hour == hour { return known }
        var count = HappeningCount(hour: hour)
        let rows = try connection.prepare(
            composed: "SELECT \(Happening.columns) FROM happened"
                + " WHERE id > (SELECT max(id) FROM happened) - ? AND source = ? AND at / 3600000 = ?"
        )
        .bind(Self.newestHappenings).bind(source.rawValue).bind(hour).rows(Happening.init)
        for row in rows.compactMap(\.self) {
            if row.count == nil { count.rows += 1 } else { count.counting[row.subject] = row.id }
        }
        happeningCounts = happeningCounts ?? [:]
        return count
    }

    private func happening(row: Int64) throws -> Happening? { try Happening.one(row, on: connection) }
}

extension Happening {
    fileprivate static let columns = "id, at, since, source, kind, sequence, node, count, name, text, sender"

    /// nil if this version does not know the kind.
    fileprivate init?(_ row: Statement) {
        let (id, at, since) = (row.integer(), row.integer(), row.integerOrNil())
        let source = SourceID(rawValue: row.integer())
        guard let kind = Kind(rawValue: Int(row.integer())) else { return nil }
        self.init(kind, at: at, since: since, source: source)
        self.id = id
        sequence = row.integerOrNil().map { UInt64(clamping: $0) }
        node = row.unsignedOrNil().map { NodeNumber($0) }
        count = row.intOrNil()
        name = row.textOrNil()
        text = row.textOrNil()
        sender = row.textOrNil().flatMap { Sender($0) }
    }

    fileprivate static func one(_ row: Int64, on connection: DatabaseConnection) throws -> Happening? {
        try connection.prepare(composed: "SELECT \(columns) FROM happened WHERE id = ?").bind(row)
            .first(Happening.init) ?? nil
    }

    /// An SQL condition: the row says that a link is live, and nothing has ended it since.
    static let isLive = """
        (kind = 1 AND name = 'live' AND id > ifnull((SELECT max(id) FROM happened WHERE kind = 7), 0)
            AND NOT EXISTS (SELECT 1 FROM happened h WHERE h.kind = 1 AND h.source = happened.source AND h.id > happened.id))
        """
}

extension Reader {
    /// nil if it has become too old, or continues to count under another number.
    public func happening(row: Int64) throws -> Happening? { try Happening.one(row, on: connection) }

    /// What happened, oldest first.
    ///
    /// - Parameter row: the last one that the caller has.
    public func happenings(after row: Int64 = 0, limit: Int = 100) throws -> [Happening] {
        try connection.prepare(
            composed: "SELECT \(Happening.columns) FROM happened WHERE id > ? ORDER BY id LIMIT ?"
        )
        .bind(row).bind(max(limit, 0)).rows(Happening.init).compactMap(\.self)
    }

    /// What happened, newest first.
    ///
    /// - Parameter row: only what came before it.
    public func happenings(before row: Int64, limit: Int) throws -> [Happening] {
        try connection.prepare(
            composed: "SELECT \(Happening.columns) FROM happened WHERE id < ? ORDER BY id DESC LIMIT ?"
        )
        .bind(row).bind(max(limit, 0)).rows(Happening.init).compactMap(\.self)
    }

    /// What happened to a source, and to the gateway itself meanwhile, newest first.
    public func happenings(in rows: ClosedRange<Int64>, of source: SourceID, limit: Int) throws -> [Happening] {
        try connection.prepare(
            composed: "SELECT \(Happening.columns) FROM happened"
                + " WHERE id BETWEEN ? AND ? AND source IN (?, 0) ORDER BY id DESC LIMIT ?"
        )
        .bind(rows.lowerBound).bind(rows.upperBound).bind(source.rawValue).bind(max(limit, 0))
        .rows(Happening.init).compactMap(\.self)
    }

    /// Findings and decisions about a node's key, newest first; searches only the newest rows.
    public func keyHistory(of node: NodeNumber, in source: SourceID, limit: Int = 20) throws -> [Happening] {
        try connection.prepare(
            composed: "SELECT \(Happening.columns) FROM happened"
                + " WHERE id > (SELECT max(id) FROM happened) - ? AND kind = ? AND source = ? AND node = ?"
                + " ORDER BY id DESC LIMIT ?"
        )
        .bind(Writer.newestHappenings).bind(Happening.Kind.key.rawValue).bind(source.rawValue).bind(node.rawValue)
        .bind(max(limit, 0)).rows(Happening.init).compactMap(\.self)
    }

    /// The rows that began the links that are live.
    public func liveLinks() throws -> [Happening] {
        try connection.prepare(composed: "SELECT \(Happening.columns) FROM happened WHERE \(Happening.isLive)")
            .rows(Happening.init).compactMap(\.self)
    }

    /// The number of the newest row; 0 if there is none.
    public func newestHappening() throws -> Int64 { try connection.integer("SELECT max(id) FROM happened") ?? 0 }

    /// Rows with a number among the gateway's conditions, oldest first.
    ///
    /// - Parameters:
    ///   - sequence: of the last one that the caller has.
    ///   - end: only those before it.
    public func conditions(after sequence: UInt64, before end: UInt64, limit: Int) throws -> [Happening] {
        try connection.prepare(
            composed: "SELECT \(Happening.columns) FROM happened"
                + " WHERE id > (SELECT max(id) FROM happened) - ? AND sequence > ? AND sequence < ?"
                + " ORDER BY sequence LIMIT ?"
        )
        .bind(Writer.newestHappenings).bind(Int64(clamping: sequence)).bind(Int64(clamping: end)).bind(max(limit, 0))
        .rows(Happening.init)
        .compactMap(\.self)
    }

    /// The greatest number among the gateway's conditions that has a row; 0 if there is none.
    public func newestCondition() throws -> UInt64 {
        UInt64(clamping: try connection.integer("SELECT max(sequence) FROM happened") ?? 0)
    }
}
