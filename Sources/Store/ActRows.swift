import MeshModel

// What rules have done: each act is a line of its rule's log (RuleRows.swift), and a rule that acts for each node once keeps whom
// it has acted for. Those rows belong to the rule's name, whatever its file says later, until somebody has them forgotten.

extension Schema {
    /// - `firings.why`: why an act was skipped. `sent`: the id of its first text. `airtime`: milliseconds.
    /// - `acted_nodes.at`: host milliseconds.
    static let acts = """
        ALTER TABLE firings ADD COLUMN why TEXT;
        ALTER TABLE firings ADD COLUMN sent TEXT;
        ALTER TABLE firings ADD COLUMN airtime INTEGER;
        CREATE INDEX firings_acts ON firings (rule, fate, at) WHERE fate > 3;
        CREATE INDEX firings_sent ON firings (sent) WHERE sent IS NOT NULL;
        CREATE TABLE acted_nodes (
            rule TEXT NOT NULL, node INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (rule, node)
        ) STRICT, WITHOUT ROWID;
        """
}

/// What a rule's acts came to.
public struct ActCounts: Hashable, Sendable {
    public var sent = 0
    public var skipped = 0
    /// When it acted last, in host milliseconds.
    public var lastAt: Int64?

    public init() {}
}

extension Writer {
    /// How many skipped acts a rule's log keeps: a stranger may cause any number, and what was sent is not to go for it.
    static let skippedOfRule = 300

    func pruneSkipped(of rule: String) throws {
        try connection.prepare(
            """
            DELETE FROM firings WHERE rule = ?1 AND fate > 3 AND fate = 5
                AND id <= (SELECT id FROM firings WHERE rule = ?1 AND fate > 3 AND fate = 5 ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """
        )
        .bind(rule).bind(Self.skippedOfRule).run()
    }

    /// Whether the rule's log has a line under this key.
    public func hasFired(_ rule: String, key: String) throws -> Bool {
        try connection.prepare("SELECT EXISTS (SELECT 1 FROM firings WHERE rule = ? AND key = ?)").bind(rule).bind(key)
            .first { $0.flag() } ?? false
    }

    /// An act that was logged as sent came to nothing.
    public func skipAct(of rule: String, key: String, why: String) throws {
        try connection.prepare(
            "UPDATE firings SET fate = 5, why = ?, airtime = NULL WHERE rule = ? AND key = ? AND fate = 4"
        )
        .bind(why).bind(rule).bind(key).run()
    }

    /// Keeps that the rule has acted for a node.
    ///
    /// - Returns: false: it had before.
    public func keepActed(_ rule: String, for node: NodeNumber, at time: Int64) throws -> Bool {
        try connection.prepare("INSERT OR IGNORE INTO acted_nodes VALUES (?, ?, ?)")
            .bind(rule).bind(node.rawValue).bind(time).run()
        return connection.changes > 0
    }

    /// It came to nothing: the rule may act for the node another time.
    public func forgetActed(_ rule: String, for node: NodeNumber) throws {
        try connection.prepare("DELETE FROM acted_nodes WHERE rule = ? AND node = ?")
            .bind(rule).bind(node.rawValue).run()
    }

    /// The rule acts for each node once more.
    ///
    /// - Returns: for how many it had acted.
    public func forgetActed(_ rule: String) throws -> Int {
        try connection.prepare("DELETE FROM acted_nodes WHERE rule = ?").bind(rule).run()
        return connection.changes
    }
}

extension Reader {
    /// Whether the rule has acted for the node, as one that acts once for each.
    public func hasActed(_ rule: String, for node: NodeNumber) throws -> Bool {
        try connection.prepare("SELECT EXISTS (SELECT 1 FROM acted_nodes WHERE rule = ? AND node = ?)")
            .bind(rule).bind(node.rawValue).first { $0.flag() } ?? false
    }

    /// For how many nodes the rule has acted.
    public func actedNodes(of rule: String) throws -> Int {
        try connection.prepare("SELECT count(*) FROM acted_nodes WHERE rule = ?").bind(rule)
            .first { Int($0.integer()) } ?? 0
    }

    /// What all rules have sent since a time in host milliseconds, oldest first.
    public func sentActs(since time: Int64) throws -> [(at: Int64, airtime: Int64)] {
        try connection.prepare("SELECT at, airtime FROM firings WHERE fate > 3 AND fate = 4 AND at >= ? ORDER BY id")
            .bind(time).rows { ($0.integer(), $0.integerOrNil() ?? 0) }
    }

    /// A rule's acts that were sent, newest first.
    public func sentActs(of rule: String, limit: Int) throws -> [RuleFiring] {
        try connection.prepare(
            composed: RuleFiring.select + " WHERE rule = ? AND fate > 3 AND fate = 4 ORDER BY id DESC LIMIT ?"
        )
        .bind(rule).bind(limit).rows(RuleFiring.init)
    }

    /// The act whose first text this message is.
    public func firings(sending message: String) throws -> [RuleFiring] {
        try connection.prepare(composed: RuleFiring.select + " WHERE sent = ?").bind(message).rows(RuleFiring.init)
    }

    /// What the rule's acts since a time in host milliseconds came to, as far as its log has them.
    public func actCounts(of rule: String, since time: Int64) throws -> ActCounts {
        var counts = ActCounts()
        // One that acts once for each node does not fail by that.
        let rows = try connection.prepare(
            """
            SELECT fate, count(*), max(at) FROM firings
            WHERE rule = ? AND fate > 3 AND at >= ? AND why IS NOT 'once' GROUP BY fate
            """
        )
        .bind(rule).bind(time).rows { row in (row.integer(), Int(row.integer()), row.integerOrNil()) }
        for (fate, count, last) in rows {
            if fate == 4 { (counts.sent, counts.lastAt) = (count, last) } else { counts.skipped += count }
        }
        return counts
    }

    /// When the latest traceroute from one node to another was answered, in host milliseconds; nil: none was.
    public func lastTraced(from own: NodeNumber, to node: NodeNumber, in source: SourceID) throws -> Int64? {
        try connection.prepare(
            "SELECT max(answered_at) FROM traceroutes WHERE source = ? AND from_node = ? AND to_node = ?"
        )
        .bind(source.rawValue).bind(own.rawValue).bind(node.rawValue).first { $0.integerOrNil() } ?? nil
    }

    /// Who was heard by a radio since a time in seconds since 1970: who was asked for a traceroute never, or longest ago, first.
    public func nodesToTrace(heardSince time: Int64, in source: SourceID) throws -> [NodeNumber] {
        try connection.prepare(
            """
            SELECT number FROM nodes WHERE node >= ?1 << 32 AND node < (?1 + 1) << 32 AND last_heard > ?2
            ORDER BY last_traceroute_request NULLS FIRST, last_traceroute_request, number
            """
        )
        .bind(source.rawValue).bind(time).rows { NodeNumber($0.unsigned()) }
    }

    /// How many nodes a radio knows, how many of them were heard since a time in seconds since 1970, and how many of these
    /// without a hop. Its own counts, too.
    public func nodeCounts(heardSince time: Int64, in source: SourceID) throws -> (all: Int, heard: Int, direct: Int) {
        try connection.prepare(
            """
            SELECT count(*), count(*) FILTER (WHERE last_heard > ?2),
                count(*) FILTER (WHERE last_heard > ?2 AND hops_away = 0)
            FROM nodes WHERE node >= ?1 << 32 AND node < (?1 + 1) << 32
            """
        )
        .bind(source.rawValue).bind(time)
        .first { (Int($0.integer()), Int($0.integer()), Int($0.integer())) } ?? (0, 0, 0)
    }

    /// The names of nodes whose number ends in this byte, which is what a packet says of who relayed it.
    public func shortNames(endingIn byte: UInt32, in source: SourceID) throws -> [String?] {
        try connection.prepare(
            "SELECT short_name FROM nodes WHERE node >= ?1 << 32 AND node < (?1 + 1) << 32 AND node & 255 = ?2 LIMIT 2"
        )
        .bind(source.rawValue).bind(Int64(byte & 0xFF)).rows { $0.textOrNil() }
    }
}
