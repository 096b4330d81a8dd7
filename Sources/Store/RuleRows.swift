import MeshModel

// What the rules remember: since when each has been active, which of its states last, and what it has reported.
//
// 1. An episode's row exists while its state lasts or waits to be reported. A rule's rows go with it; its log stays.
// 2. A firing has a key that identifies it: after a kill changes are read again, and several radios hear one event.

extension Schema {
    /// - `rules.settings`: as its file has them. `change`: the newest one when it was first read, at host milliseconds `at`.
    /// - `burst_`: what the rule's pace counts (``RuleRow/Burst``).
    /// - `firings.fate`: ``RuleFiring/Fate``.
    static let rules = """
        CREATE TABLE rules (
            name TEXT PRIMARY KEY, settings TEXT NOT NULL, change INTEGER NOT NULL, at INTEGER NOT NULL,
            burst_at INTEGER, burst_count INTEGER NOT NULL, burst_needs TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE episodes (
            rule TEXT NOT NULL, subject TEXT NOT NULL, uuid TEXT NOT NULL, source INTEGER NOT NULL,
            is_waiting INTEGER NOT NULL, began_at INTEGER NOT NULL, told_at INTEGER, value REAL,
            PRIMARY KEY (rule, subject)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE firings (
            id INTEGER PRIMARY KEY, rule TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, fate INTEGER NOT NULL,
            uuid TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL, source INTEGER, episode TEXT, state INTEGER,
            node INTEGER, message TEXT, conversation TEXT, needs TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX firings_key ON firings (rule, key);
        CREATE INDEX firings_rule ON firings (rule);
        """
}

/// An active rule.
public struct RuleRow: Hashable, Sendable {
    public var name: String
    /// If it changes, it is another rule.
    public var settings: String
    /// It sees only what came after this change.
    public var change: Int64
    /// When it was first read, in host milliseconds.
    public var at: Int64
    public var burst: Burst?

    /// Firings that follow one another faster than the rule's pace.
    public struct Burst: Hashable, Sendable {
        /// When one was told last, alone or with others, in host milliseconds.
        public var at: Int64
        /// How many there were, told alone or only counted.
        public var count: Int
        /// What a reader needs to see those that were only counted.
        public var needs: Set<FeedRow.Need>

        public init(at: Int64, count: Int = 0, needs: Set<FeedRow.Need> = []) {
            (self.at, self.count, self.needs) = (at, count, needs)
        }
    }

    public init(_ name: String, settings: String, change: Int64, at: Int64) {
        (self.name, self.settings, self.change, self.at) = (name, settings, change, at)
    }
}

/// A rule's state that lasts for one subject.
public struct Episode: Hashable, Sendable {
    public var rule: String
    /// Such as `node:!a1b2c3d4` or `radio:1`.
    public var subject: String
    public var uuid: String
    public var source: SourceID
    /// It holds, but could not be reported yet.
    public var isWaiting: Bool
    /// Host milliseconds.
    public var beganAt: Int64
    /// When it was last reported, in host milliseconds; nil if it is waiting, or held before the rule was read.
    public var toldAt: Int64?
    /// What was measured, or when a node was last heard in host milliseconds.
    public var value: Double?

    public init(
        _ rule: String, _ subject: String, uuid: String = randomUUID(), in source: SourceID, isWaiting: Bool = false,
        at beganAt: Int64, toldAt: Int64? = nil, value: Double? = nil
    ) {
        (self.rule, self.subject, self.uuid, self.source) = (rule, subject, uuid, source)
        (self.isWaiting, self.beganAt, self.toldAt, self.value) = (isWaiting, beganAt, toldAt, value)
    }
}

/// A line of a rule's log.
public struct RuleFiring: Hashable, Sendable {
    /// The numbers are stored.
    public enum Fate: Int, CaseIterable, Sendable {
        /// It has a row in the feed.
        case told = 1
        /// It is counted in a row of the feed (``FeedRow/countingType``).
        case counted
        /// It was older than an hour when it was found.
        case old
        /// An act that was handed to the radio (``sent``).
        case sent
        /// An act that came to nothing; ``why`` says why.
        case skipped
    }

    /// What a person asks of rules: what they have told about it, and why not more.
    public enum Subject: Sendable {
        case rule(String)
        case node(NodeNumber)
        /// By its ``Message/id``, whichever radio heard it.
        case message(String)
    }

    /// Identifies it among those of its rule.
    public var key: String
    public var fate: Fate
    /// The row in the feed, or the one that it would have.
    public var row: FeedRow
    /// Why an act was skipped, in kebab-case.
    public var why: String?
    /// ``Message/id`` of the first text of an act.
    public var sent: String?
    /// Milliseconds that an act has taken of the air, its repetitions by others not counted.
    public var airtime: Int64?

    public init(key: String, fate: Fate, row: FeedRow) { (self.key, self.fate, self.row) = (key, fate, row) }

    /// Whether it says what became of an act.
    public var isAct: Bool { fate == .sent || fate == .skipped }

    /// The key for a message: the same, whichever radio heard it.
    ///
    /// - Parameter id: ``Message/id``, which begins with the source.
    public static func key(ofMessage id: String) -> String {
        "message " + id.split(separator: "_").dropFirst().joined(separator: "_")
    }
}

extension Writer {
    /// How many rows a rule's log keeps, and for how long, in milliseconds.
    static let firingsOfRule = 1_000
    static let firingsKept: Int64 = 90 * 86_400_000

    /// Stores a rule that is new, or has fired again.
    public func store(_ rule: RuleRow) throws {
        try connection.prepare("INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?, ?, ?, ?)")
            .bind(rule.name).bind(rule.settings).bind(rule.change).bind(rule.at).bind(rule.burst?.at)
            .bind(rule.burst?.count ?? 0).bind(FeedRow.Need.text(rule.burst?.needs ?? [])).run()
    }

    /// Removes a rule that is no longer active: its open episodes end without a notification.
    public func removeRule(_ name: String) throws {
        try connection.prepare("DELETE FROM rules WHERE name = ?").bind(name).run()
        try connection.prepare("DELETE FROM episodes WHERE rule = ?").bind(name).run()
    }

    public func store(_ episode: Episode) throws {
        try connection.prepare("INSERT OR REPLACE INTO episodes VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(episode.rule).bind(episode.subject).bind(episode.uuid).bind(episode.source.rawValue)
            .bind(episode.isWaiting).bind(episode.beganAt).bind(episode.toldAt).bind(episode.value).run()
    }

    public func removeEpisode(of rule: String, _ subject: String) throws {
        try connection.prepare("DELETE FROM episodes WHERE rule = ? AND subject = ?").bind(rule).bind(subject).run()
    }

    /// Writes a firing to its rule's log, and to the feed if it is ``RuleFiring/Fate/told``. One that is there already stays as it
    /// is.
    public func store(_ firing: RuleFiring) throws {
        let row = firing.row
        let rule = row.rule ?? ""
        try connection.prepare(
            """
            INSERT OR IGNORE INTO firings (rule, key, at, fate, uuid, type, title, source, episode, state, node, message,
                conversation, needs, why, sent, airtime)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .bind(rule).bind(firing.key).bind(row.createdAt).bind(firing.fate.rawValue).bind(row.uuid).bind(row.type)
        .bind(row.title).bind(row.source?.rawValue).bind(row.episode).bind(row.state?.rawValue)
        .bind(row.node?.rawValue).bind(row.messageID).bind(row.conversation?.id)
        .bind(FeedRow.Need.text(row.needs)).bind(firing.why).bind(firing.sent).bind(firing.airtime).run()
        guard connection.changes > 0 else { return }
        if firing.fate == .told { try insert(row) }
        if firing.fate == .skipped { try pruneSkipped(of: rule) }
        try pruneFirings(of: rule, before: row.createdAt - Self.firingsKept)
    }

    private func pruneFirings(of rule: String, before time: Int64) throws {
        try connection.prepare(
            """
            DELETE FROM firings WHERE rule = ?1
                AND id <= (SELECT id FROM firings WHERE rule = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """
        )
        .bind(rule).bind(Self.firingsOfRule).run()
        // Of whichever rule: one that is gone, or hardly ever fires, does not look after its own.
        try connection.prepare(
            "DELETE FROM firings WHERE id IN (SELECT id FROM firings ORDER BY id LIMIT 4) AND at < ?"
        )
        .bind(time).run()
    }
}

extension Reader {
    /// The active rules, by name.
    public func rules() throws -> [RuleRow] {
        try connection.prepare(
            "SELECT name, settings, change, at, burst_at, burst_count, burst_needs FROM rules ORDER BY name"
        )
        .rows { row in
            var rule = RuleRow(row.text(), settings: row.text(), change: row.integer(), at: row.integer())
            let (at, count, needs) = (row.integerOrNil(), Int(row.integer()), row.text())
            rule.burst = at.map { RuleRow.Burst(at: $0, count: count, needs: FeedRow.Need.all(in: needs)) }
            return rule
        }
    }

    /// Of all rules, or of one.
    public func episodes(of rule: String? = nil) throws -> [Episode] {
        try connection.prepare(
            """
            SELECT rule, subject, uuid, source, is_waiting, began_at, told_at, value FROM episodes
            WHERE ?1 IS NULL OR rule = ?1 ORDER BY rule, subject
            """
        )
        .bind(rule).rows { row in
            Episode(
                row.text(), row.text(), uuid: row.text(), in: SourceID(rawValue: row.integer()), isWaiting: row.flag(),
                at: row.integer(), toldAt: row.integerOrNil(), value: row.doubleOrNil())
        }
    }

    /// A rule's firings, newest first.
    ///
    /// - Parameter id: only those before this one (``FeedRow/id`` of ``RuleFiring/row``, here the number in the log).
    public func firings(of rule: String, before id: Int64 = .max, limit: Int) throws -> [RuleFiring] {
        try connection.prepare(
            composed: RuleFiring.select + " WHERE rule = ? AND id < ? ORDER BY id DESC LIMIT ?"
        )
        .bind(rule).bind(id).bind(max(limit, 0)).rows(RuleFiring.init)
    }

    /// Firings about a node, newest first. Scans all rows: their number is bounded.
    public func firings(about node: NodeNumber, limit: Int) throws -> [RuleFiring] {
        try connection.prepare(composed: RuleFiring.select + " WHERE node = ? ORDER BY id DESC LIMIT ?")
            .bind(node.rawValue).bind(max(limit, 0)).rows(RuleFiring.init)
    }

    /// The rule's firing under this key; nil if there is none.
    public func firing(of rule: String, key: String) throws -> RuleFiring? {
        try connection.prepare(composed: RuleFiring.select + " WHERE rule = ? AND key = ?").bind(rule).bind(key)
            .first(RuleFiring.init)
    }

    public func hasFired(_ rule: String, key: String) throws -> Bool {
        try connection.prepare("SELECT EXISTS (SELECT 1 FROM firings WHERE rule = ? AND key = ?)").bind(rule).bind(key)
            .first { $0.flag() } ?? false
    }

    // MARK: what rules ask

    /// A node and when it was last heard.
    public struct HeardNode: Hashable, Sendable {
        public var number: NodeNumber
        public var source: SourceID
        /// Host milliseconds.
        public var at: Int64

        public init(_ number: NodeNumber, in source: SourceID, at: Int64) {
            (self.number, self.source, self.at) = (number, source, at)
        }
    }

    /// Each node that was ever heard, with the source that heard it last; without our radios.
    public func heardNodes() throws -> [HeardNode] {
        try connection.prepare(
            """
            SELECT number, source, max(last_heard) FROM nodes
            WHERE last_heard IS NOT NULL AND number NOT IN (SELECT node_number FROM sources WHERE node_number IS NOT NULL)
            GROUP BY number
            """
        )
        .rows { row in
            HeardNode(NodeNumber(row.unsigned()), in: SourceID(rawValue: row.integer()), at: row.integer() * 1000)
        }
    }

    /// Nodes of which a person has to decide which key is right.
    public func doubtedNodes() throws -> [(source: SourceID, number: NodeNumber)] {
        try connection.prepare(composed: "SELECT source, number FROM nodes WHERE \(Node.isInDoubt)").rows { row in
            (SourceID(rawValue: row.integer()), NodeNumber(row.unsigned()))
        }
    }

    /// A value that a node reported.
    public struct Measurement: Hashable, Sendable {
        public var node: NodeNumber
        /// Host milliseconds of the reception.
        public var at: Int64
        public var value: Double

        public init(of node: NodeNumber, at: Int64, value: Double) {
            (self.node, self.at, self.value) = (node, at, value)
        }
    }

    /// A row of telemetry, for the values of several series.
    public struct Report: Sendable {
        public let node: NodeNumber
        /// Host milliseconds of the reception.
        public let at: Int64
        fileprivate let metrics: String

        /// The value of a series; nil if there is none.
        public func measurement(_ name: String) -> Measurement? {
            NumberObject.value(of: name, in: metrics).map { Measurement(of: node, at: at, value: $0) }
        }
    }

    /// What a row of telemetry says; nil when there is none, or none of a series: no series has values about a person's health.
    /// Called for each packet that a rule needs.
    public func report(inRow row: Int64) throws -> Report? {
        try connection.prepare("SELECT node, at, metrics FROM telemetry WHERE id = ? AND kind <> ?")
            .bind(row).bind(Int64(Telemetry.Kind.health.rawValue))
            .first { Report(node: NodeNumber($0.unsigned()), at: $0.integer(), metrics: $0.text()) }
    }

    /// When a row of telemetry was received, in host milliseconds.
    public func telemetryTime(ofRow row: Int64) throws -> Int64? {
        try connection.prepare("SELECT at FROM telemetry WHERE id = ?").bind(row).first { $0.integer() }
    }

    /// The value that a node reported before a row of its telemetry; nil if there is none.
    public func pointBefore(
        row: Int64, at time: Int64, _ name: String, of node: NodeNumber, in source: SourceID
    ) throws -> Measurement? {
        let table = SeriesTable.telemetry
        guard SeriesTable.holding(name) == [table] else { return nil }
        let query = TelemetryQuery(source: source, node: node, name: name, before: time + 1)
        let filter = SeriesFilter(table, query, name: name)
        let rows = try connection.prepare(
            composed: "SELECT id, at, metrics FROM telemetry \(filter.text) ORDER BY \(table.order) LIMIT 4")
        filter.bind(to: rows)
        defer { rows.reset() }
        // Several may have the same time.
        while try rows.step() {
            let (id, at) = (rows.integer(), rows.integer())
            guard id < row, let value = NumberObject.value(of: name, in: rows.text()) else { continue }
            return Measurement(of: node, at: at, value: value)
        }
        return nil
    }
}

extension RuleFiring {
    static let select = """
        SELECT id, rule, key, at, fate, uuid, type, title, source, episode, state, node, message, conversation, needs,
            why, sent, airtime
        FROM firings
        """

    init(_ row: Statement) {
        let (id, rule, key, at) = (row.integer(), row.text(), row.text(), row.integer())
        let fate = Fate(rawValue: Int(row.integer())) ?? .told
        let (uuid, type, title) = (row.text(), row.text(), row.text())
        let source = row.integerOrNil().map { SourceID(rawValue: $0) }
        let episode = row.textOrNil()
        let state = row.intOrNil().flatMap(FeedRow.State.init)
        let node = row.unsignedOrNil().map { NodeNumber($0) }
        let message = row.textOrNil()
        let conversation = row.textOrNil().flatMap { Conversation(id: $0) }
        var told = FeedRow(
            uuid: uuid, at: at, in: source, type: type, title: title, body: "",
            needs: FeedRow.Need.all(in: row.text()), rule: rule, episode: episode, state: state, node: node,
            messageID: message, conversation: conversation)
        told.id = id
        self.init(key: key, fate: fate, row: told)
        (why, sent, airtime) = (row.textOrNil(), row.textOrNil(), row.integerOrNil())
    }
}
