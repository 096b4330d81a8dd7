import MeshModel

// A device that has another number, which firmware 2.8 makes of its key, has two pasts here. They become one when a person
// says that they are one.
//
// 1. Every table that names a node is named here; a test looks through all columns of the database for what was left.
// 2. Where both numbers have a row that there can be one of, the newer one stays. Of nodes it also takes what only the other
//    one knows.
// 3. The log keeps packets that nobody could read as they came: their sender's number is a part of what they are encrypted
//    with.

/// How many rows of a table another number was written into.
public struct MergedRows: Hashable, Sendable {
    public var table: String
    public var rows: Int
}

extension Writer {
    /// Everything of one node becomes the other's. Both have a row.
    ///
    /// - Parameter step: called before each table with its name; what it throws ends the change.
    public func mergeNode(
        _ old: NodeNumber, into new: NodeNumber, in source: SourceID, at now: Int64,
        step: (String) throws -> Void = { _ in }
    ) throws -> [MergedRows] {
        precondition(old != new)
        try writeDirtyNodes()
        let merge = NodeMerge(old: old, new: new, source: source, connection: connection)
        var report: [MergedRows] = []
        for (table, run) in merge.steps(at: now) {
            try step(table)
            let rows = try run()
            if rows > 0 { report.append(MergedRows(table: table, rows: rows)) }
        }
        nodes.removeAll()
        keptKeys = nil
        for topic in Topic.allCases { markChanged(topic) }
        return report
    }
}

private struct NodeMerge {
    let old: NodeNumber
    let new: NodeNumber
    let source: SourceID
    let connection: DatabaseConnection

    // Numbers, for statements that are put together.
    private var O: UInt32 { old.rawValue }
    private var N: UInt32 { new.rawValue }
    private var S: Int64 { source.rawValue }
    private var oldKey: Int64 { source.key(old) }
    private var newKey: Int64 { source.key(new) }

    func steps(at now: Int64) -> [(table: String, run: () throws -> Int)] {
        [
            ("messages", messages), ("outbox", { try packets(in: "outbox") }),
            ("packets", { try packets(in: "packets") }),
            ("telemetry", { try series("telemetry") }), ("positions", { try series("positions") }),
            ("paxcounts", { try series("paxcounts") }), ("node_statuses", { try series("node_statuses") }),
            ("traceroutes", traceroutes), ("neighbor_reports", neighborReports), ("neighbors", neighbors),
            ("waypoints", { try rename(["from_node", "locked_to"], in: "waypoints", where: "source = \(S)") }),
            ("read_marks", { try marks("read_marks", greater: "up_to") }),
            ("conversation_mutes", { try marks("conversation_mutes", greater: "muted_until") }),
            ("nodes", { try nodes(at: now) }), ("node_keys", nodeKeys), ("sources", sources),
        ]
    }

    @discardableResult
    private func change(_ sql: String) throws -> Int {
        try connection.prepare(composed: sql).run()
        return connection.changes
    }

    private func rename(_ columns: [String], in table: String, where condition: String) throws -> Int {
        try columns.reduce(0) { count, column in
            try count + change("UPDATE \(table) SET \(column) = \(N) WHERE \(condition) AND \(column) = \(O)")
        }
    }

    /// Two numbers can have used one packet id: the message becomes a later one of it.
    private func messages() throws -> Int {
        let isHere = "source IN (\(S), -\(S))"
        let clashes = try connection.prepare(
            composed: """
                SELECT id, packet_id FROM messages o WHERE \(isHere) AND from_node = \(O) AND EXISTS (
                    SELECT 1 FROM messages n WHERE n.source = o.source AND n.packet_id = o.packet_id
                        AND n.from_node = \(N) AND n.occurrence = o.occurrence)
                """
        ).rows { (row: $0.integer(), packet: $0.unsigned()) }
        for clash in clashes {
            try change(
                """
                UPDATE messages SET occurrence = 1 + max(1, (SELECT max(occurrence) FROM messages WHERE \(isHere)
                    AND packet_id = \(clash.packet) AND from_node IN (\(O), \(N)))) WHERE id = \(clash.row)
                """)
        }
        return try rename(["from_node", "to_node", "ack_from"], in: "messages", where: isHere)
    }

    private func packets(in table: String) throws -> Int {
        try rename(
            ["from_node", "to_node", "dest", "source_node"], in: table, where: "source = \(S) AND encrypted IS NULL")
    }

    @discardableResult
    private func series(_ table: String) throws -> Int {
        try change("UPDATE \(table) SET node = \(newKey) WHERE node = \(oldKey)")
    }

    private func traceroutes() throws -> Int {
        var count = try rename(["from_node", "to_node"], in: "traceroutes", where: "source = \(S)")
        for column in ["route", "route_back"] {
            count += try change(
                """
                UPDATE traceroutes SET \(column) = (
                    SELECT json_group_array(iif(value = \(O), \(N), value)) FROM json_each(traceroutes.\(column)))
                WHERE source = \(S) AND EXISTS (
                    SELECT 1 FROM json_each(traceroutes.\(column)) WHERE value = \(O))
                """)
        }
        return count
    }

    /// A node's report is its newest; the list belongs to it.
    private func neighborReports() throws -> Int {
        let ages = try connection.prepare(
            composed: """
                SELECT node, at FROM neighbor_reports WHERE node IN (\(oldKey), \(newKey)) ORDER BY at, node = \(newKey)
                """
        ).rows { $0.integer() }
        if ages.count == 2 {
            for table in ["neighbor_reports", "neighbors"] {
                try change("DELETE FROM \(table) WHERE node = \(ages[0])")
            }
        }
        let count = try series("neighbor_reports")
        try series("neighbors")
        return try count
            + rename(
                ["last_sent_by"], in: "neighbor_reports",
                where: "node BETWEEN \(source.key(NodeNumber(0))) AND \(source.key(.broadcast))")
    }

    /// In others' lists.
    private func neighbors() throws -> Int {
        let isHere = "node BETWEEN \(source.key(NodeNumber(0))) AND \(source.key(.broadcast))"
        for (one, other, sign) in [(O, N, ">="), (N, O, ">")] {
            try change(
                """
                DELETE FROM neighbors WHERE \(isHere) AND number = \(one) AND EXISTS (
                    SELECT 1 FROM neighbors b WHERE b.node = neighbors.node AND b.number = \(other)
                        AND b.last_rx_time \(sign) neighbors.last_rx_time)
                """)
        }
        return try rename(["number"], in: "neighbors", where: isHere)
    }

    /// What each token has of the conversation with the node.
    ///
    /// - Parameter column: of two marks the one that is greater there counts; null is for good.
    private func marks(_ table: String, greater column: String) throws -> Int {
        let (its, theirs) = ("ifnull(\(table).\(column), \(Int64.max))", "ifnull(b.\(column), \(Int64.max))")
        for (one, other, sign) in [(O, N, ">="), (N, O, ">")] {
            try change(
                """
                DELETE FROM \(table) WHERE source = \(S) AND node = \(one) AND EXISTS (
                    SELECT 1 FROM \(table) b WHERE b.token = \(table).token AND b.source = \(S)
                        AND b.channel = \(table).channel AND b.node = \(other) AND \(theirs) \(sign) \(its))
                """)
        }
        return try rename(["node"], in: table, where: "source = \(S)")
    }

    /// The row that was heard last, under the new number.
    private func nodes(at now: Int64) throws -> Int {
        let heard = try connection.prepare(
            composed: """
                SELECT node FROM nodes WHERE node IN (\(oldKey), \(newKey))
                ORDER BY ifnull(last_heard, 0), node = \(newKey)
                """
        ).rows { $0.integer() }
        guard heard.count == 2 else { return 0 }
        let (older, newer) = (heard[0], heard[1])
        let about = ["successor", "predecessor", "same_key_since"]
        let unknown = try connection.prepare(
            composed: "SELECT name FROM pragma_table_info('nodes') WHERE NOT pk AND NOT \"notnull\""
        ).rows { $0.text() }.filter { !about.contains($0) }
        let taken = unknown.map { "\($0) = coalesce(n.\($0), o.\($0))" }
        let either = ["is_favorite", "is_ignored", "is_muted"].map { "\($0) = max(n.\($0), o.\($0))" }
        try change(
            """
            UPDATE nodes AS n SET \((taken + either).joined(separator: ", ")),
                is_key_manually_verified = max(
                    n.is_key_manually_verified, o.is_key_manually_verified AND n.public_key IS o.public_key),
                created_at = min(n.created_at, o.created_at), updated_at = \(now), is_key_duplicate = 0,
                \(about.map { "\($0) = NULL" }.joined(separator: ", "))
            FROM nodes AS o WHERE n.node = \(newer) AND o.node = \(older)
            """)
        try change("DELETE FROM nodes WHERE node = \(older)")
        if newer != newKey { try series("nodes") }
        let isHere = "node BETWEEN \(source.key(NodeNumber(0))) AND \(source.key(.broadcast))"
        let others = try rename(["successor", "predecessor"], in: "nodes", where: isHere)
        try change("UPDATE node_counts SET nodes = nodes - 1 WHERE source = \(S)")
        return 1 + others
    }

    /// Who has which key is as the rows say.
    private func nodeKeys() throws -> Int {
        let count = try change("DELETE FROM node_keys WHERE source = \(S) AND number IN (\(O), \(N))")
        try change(
            """
            INSERT INTO node_keys (source, public_key, number) SELECT \(S), public_key, \(N) FROM nodes
            WHERE node = \(newKey) AND public_key IS NOT NULL AND public_key != zeroblob(32)
            """)
        return count
    }

    /// The radio itself, while it is away.
    private func sources() throws -> Int { try rename(["node_number"], in: "sources", where: "id = \(S)") }
}
