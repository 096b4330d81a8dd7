import MeshModel

// Deleting a node together with everything that it has said and that was said to it, except for its messages
// (MessageDeletion) and for one thing: its pinned key.
//
// 1. A node can have a million rows. So each function deletes a batch, for a transaction of its own; the node's own row
//    goes last, so that what was interrupted can be done again.
// 2. The key stays in `node_keys`, without a node. Were it forgotten, the first node heard under that number with a key
//    of his own would get the texts that are meant for the node.
// 3. The packet log and the routes have no index by node: they are looked through, a batch of row numbers at a time.

/// How much of a node was deleted.
public struct DeletedNode: Hashable, Sendable {
    public var messages = 0
    /// Requests for routes and answers, of which the node is an end.
    public var traceroutes = 0
    /// Points of telemetry, positions included.
    public var points = 0

    public init() {}
}

/// A table of reports in which a node has rows of its own.
public enum ReportTable: CaseIterable, Sendable {
    case telemetry, positions, paxcounts, statuses

    var name: String { series?.name ?? "node_statuses" }

    var series: SeriesTable? {
        switch self {
        case .telemetry: .telemetry
        case .positions: .positions
        case .paxcounts: .paxcounts
        case .statuses: nil
        }
    }

    fileprivate var topic: Topic {
        switch self {
        case .telemetry: .telemetry
        case .positions: .positions
        case .paxcounts: .paxcounts
        case .statuses: .nodeStatuses
        }
    }

    /// An expression: how many points a row holds.
    fileprivate var points: String {
        series.map { "iif(\($0.condition(nil)), \($0.count(of: nil)), 0)" } ?? "0"
    }
}

/// A table in which rows name two nodes.
public enum LoggedTable: CaseIterable, Sendable {
    case packets, traceroutes

    fileprivate var name: String { self == .packets ? "packets" : "traceroutes" }
    fileprivate var topic: Topic { self == .packets ? .packets : .traceroutes }
}

extension Writer {
    /// Counts points that were stored since the last count: one that is deleted uncounted would be missing from the
    /// number of all points (CountedRows). A batch at a time.
    ///
    /// - Returns: false when all are counted.
    public func countPoints(of table: ReportTable) throws -> Bool {
        guard let series = table.series else { return false }
        return try countRows(of: series)
    }

    /// Deletes reports of a node.
    ///
    /// - Returns: at most `limit` rows, and the points in them; no rows: there are none left.
    public func deleteReports(
        of node: NodeNumber, from table: ReportTable, in source: SourceID, limit: Int
    ) throws -> (rows: Int, points: Int) {
        let rows = try connection.prepare(
            composed: """
                SELECT id, \(table.points) FROM \(table.name) INDEXED BY \(table.name)_node WHERE node = ? LIMIT ?
                """
        )
        .bind(source.key(node)).bind(limit).rows { (id: $0.integer(), points: Int($0.integer())) }
        guard let last = rows.map(\.id).max() else { return (0, 0) }
        markChanged(table.topic)
        let statement = try connection.prepare(composed: "DELETE FROM \(table.name) WHERE id = ?")
        for row in rows { try statement.reset().bind(row.id).run() }
        if let series = table.series, try last >= series.countedRows(connection)?.row ?? 0 {
            // Its number is used again: what was counted up to there says nothing any more.
            try series.forgetCount(on: connection)
        }
        return (rows.count, rows.reduce(0) { $0 + $1.points })
    }

    /// Deletes rows in which a node is sender or recipient, looking at the next so many of the table.
    ///
    /// - Parameter row: the last one that was looked at; 0 begins.
    /// - Returns: how many are gone, and the last one that was looked at; nil: there are no more.
    public func deleteLogged(
        _ table: LoggedTable, with node: NodeNumber, in source: SourceID, after row: Int64, batch: Int
    ) throws -> (deleted: Int, last: Int64?) {
        let rows = try connection.prepare(
            composed: """
                SELECT id, source = ?1 AND (from_node = ?2 OR to_node = ?2) FROM \(table.name)
                WHERE id > ?3 ORDER BY id LIMIT ?4
                """
        )
        .bind(source.rawValue).bind(node.rawValue).bind(row).bind(batch).rows { (id: $0.integer(), isIts: $0.flag()) }
        let its = rows.filter(\.isIts)
        if !its.isEmpty { markChanged(table.topic) }
        let statement = try connection.prepare(composed: "DELETE FROM \(table.name) WHERE id = ?")
        for row in its { try statement.reset().bind(row.id).run() }
        return (its.count, rows.count < batch ? nil : rows.last?.id)
    }

    /// Deletes a node's row with its marks, the list of its neighbours, its waypoints, and how far anybody has read the
    /// direct messages with it. Its pinned key stays, and is the key of the node that is next heard under its number.
    ///
    /// - Returns: false when it was just heard, and the row is still to be written: to be tried again, in another
    ///   transaction.
    public func deleteNode(_ number: NodeNumber, in source: SourceID) throws -> Bool {
        let key = source.key(number)
        guard !nodes.isDirty(key) else { return false }
        for (statement, topic) in [
            ("DELETE FROM neighbor_reports WHERE node = ?", Topic.neighbors),
            ("DELETE FROM neighbors WHERE node = ?", .neighbors),
        ] {
            try connection.prepare(composed: statement).bind(key).run()
            if connection.changes > 0 { markChanged(topic) }
        }
        let waypoints = try connection.prepare("SELECT id FROM waypoints WHERE source = ? AND from_node = ?")
            .bind(source.rawValue).bind(number.rawValue).rows { $0.unsigned() }
        for id in waypoints { try deleteWaypoint(id: id, in: source) }
        for (statement, topic) in [
            ("DELETE FROM read_marks WHERE source = ? AND node = ?", Topic.readMarks),
            ("DELETE FROM conversation_mutes WHERE source = ? AND node = ?", .readMarks),
        ] {
            try connection.prepare(composed: statement).bind(source.rawValue).bind(number.rawValue).run()
            if connection.changes > 0 { markChanged(topic) }
        }
        try deleteNode(key)
        return true
    }

    /// The key under which a node was known that has no row any more.
    func keptKey(of key: Int64) throws -> PublicKey? {
        if let keptKeys { return keptKeys[key] }
        let rows = try connection.prepare(
            """
            SELECT source << 32 | number, public_key FROM node_keys k
            WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE node = k.source << 32 | k.number)
            """
        ).rows { (node: $0.integer(), key: $0.bytesOrNil().flatMap { PublicKey($0) }) }
        var kept: [Int64: PublicKey] = [:]
        for row in rows { kept[row.node] = row.key }
        keptKeys = kept
        return kept[key]
    }
}
