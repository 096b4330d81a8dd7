import MeshModel

// Which nodes hear which, as they say, link by link. A list of all is long: its places are read first, which are small, and its
// links in slices.

/// Where a link stands: at a place of a node's report.
public struct NeighborPlace: Hashable, Sendable {
    public var node: NodeNumber
    /// Below 256.
    public var place: UInt8
    public var neighbor: NodeNumber
    /// Host milliseconds of the report.
    public var at: Int64
}

extension Reader {
    /// The places of the last reports, by node number and then in the report's order.
    ///
    /// - Parameters:
    ///   - node: whose report; nil: everybody's.
    ///   - since: host milliseconds, inclusive.
    ///   - channels: only links between nodes that were last heard on one of these; one that was heard on none, or is not
    ///     known, counts as heard on 0.
    public func neighborPlaces(
        in source: SourceID, of node: NodeNumber? = nil, since: Int64 = .min, channels: [Int]?
    ) throws -> [NeighborPlace] {
        var sql = """
            SELECT n.node, n.place, n.number, r.at FROM neighbors n JOIN neighbor_reports r ON r.node = n.node
            WHERE n.node BETWEEN ? AND ? AND r.at >= ?
            """
        if let channels {
            let list = channels.map { "\($0)" }.joined(separator: ", ")
            for key in ["n.node", "((n.node >> 32) << 32 | n.number)"] {
                sql += " AND ifnull((SELECT channel FROM nodes WHERE nodes.node = \(key)), 0) IN (\(list))"
            }
        }
        return try connection.prepare(composed: sql + " ORDER BY n.node, n.place")
            .bind(source.key(node ?? NodeNumber(0))).bind(source.key(node ?? .broadcast)).bind(since)
            .rows { row in
                NeighborPlace(
                    node: NodeNumber(row.unsigned()), place: UInt8(truncatingIfNeeded: row.integer()),
                    neighbor: NodeNumber(row.unsigned()), at: row.integer())
            }
    }

    /// Every neighbour of the last reports, by node number and then in the report's order.
    public func neighborLinks(in source: SourceID) throws -> [NeighborLink] {
        try links("n.node BETWEEN ? AND ? ORDER BY n.node, n.place")
            .bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).rows(Self.link)
    }

    /// The link at a place of a node's last report; nil: there is none any more.
    public func neighborLink(_ node: NodeNumber, at place: UInt8, in source: SourceID) throws -> NeighborLink? {
        try links("n.node = ? AND n.place = ?").bind(source.key(node)).bind(place).first(Self.link)
    }

    /// What a node says of another one.
    public func neighborLink(_ node: NodeNumber, to other: NodeNumber, in source: SourceID) throws -> NeighborLink? {
        try links("n.node = ? AND n.number = ? ORDER BY n.place").bind(source.key(node)).bind(other.rawValue)
            .first(Self.link)
    }

    private func links(_ condition: String) throws -> Statement {
        try connection.prepare(
            composed: """
                SELECT n.node, n.place, n.number, n.snr, n.last_rx_time, r.at, EXISTS (
                    SELECT 1 FROM neighbors b WHERE b.node = ((n.node >> 32) << 32 | n.number)
                        AND b.number = (n.node & 4294967295))
                FROM neighbors n JOIN neighbor_reports r ON r.node = n.node WHERE \(condition)
                """)
    }

    private static func link(_ row: Statement) -> NeighborLink {
        NeighborLink(
            node: NodeNumber(row.unsigned()), place: Int(row.integer()), neighbor: NodeNumber(row.unsigned()),
            snr: row.doubleOrNil() ?? 0, lastRxTime: row.unsigned(), at: row.integer(), isBidirectional: row.flag())
    }
}
