import MeshModel

// Rows of a history that another program has kept. They come in the order of time, but behind what is there already, and
// they may come a second time.

/// When and how a value was received that another program has stored. Nil: it does not say.
public struct PastReception: Hashable, Sendable {
    /// Milliseconds since 1970.
    public var at: Int64
    public var packetID: PacketID?
    public var channel: UInt32?
    /// dB.
    public var rxSNR: Double?
    public var hopStart: UInt32?
    public var hopLimit: UInt32?

    public init(at: Int64) { self.at = at }
}

/// The last rows from before a history comes in: only up to them a row can be there already.
public struct PresentRows: Sendable {
    let telemetry: Int64
    let positions: Int64
    let paxcounts: Int64
    let traceroutes: Int64
}

extension Writer {
    public func presentRows() throws -> PresentRows {
        func last(_ table: String) throws -> Int64 { try connection.integer("SELECT max(id) FROM \(table)") ?? 0 }
        return try PresentRows(
            telemetry: last("telemetry"), positions: last("positions"), paxcounts: last("paxcounts"),
            traceroutes: last("traceroutes"))
    }

    /// - Returns: false when it is there already.
    public func insert(
        past telemetry: Telemetry, from: NodeNumber, _ reception: PastReception, in source: SourceID,
        beside present: PresentRows
    ) throws -> Bool {
        let heard = Heard(reception, of: from, in: source)
        let isOfItsKind = "AND kind = \(telemetry.kind.rawValue)"
        if try isStored(heard, in: .telemetry, isOfItsKind, upTo: present.telemetry) { return false }
        try insert(telemetry, heard)
        return true
    }

    /// - Returns: false when it is there already.
    public func insert(
        past position: Position, from: NodeNumber, _ reception: PastReception, in source: SourceID,
        beside present: PresentRows
    ) throws -> Bool {
        let heard = Heard(reception, of: from, in: source)
        if try isStored(heard, in: .positions, upTo: present.positions) { return false }
        try insert(position, heard)
        return true
    }

    /// - Returns: false when it is there already.
    public func insert(
        past count: Paxcount, from: NodeNumber, _ reception: PastReception, in source: SourceID,
        beside present: PresentRows
    ) throws -> Bool {
        let heard = Heard(reception, of: from, in: source)
        if try isStored(heard, in: .paxcounts, upTo: present.paxcounts) { return false }
        try insert(count, heard)
        return true
    }

    /// Whether the rows up to one of them have this packet: by its id, which a sender does not use again so soon, else by
    /// the very time of its reception.
    private func isStored(
        _ heard: Heard, in table: SeriesTable, _ condition: String = "", upTo last: Int64
    ) throws -> Bool {
        guard last > 0 else { return false }
        let around = heard.packetID == nil ? 0 : Heard.duplicateWindow
        return try connection.prepare(
            composed: """
                SELECT EXISTS (SELECT 1 FROM \(table.name) WHERE node = ? AND at BETWEEN ? AND ? AND packet_id IS ?
                    AND id <= ? \(condition))
                """
        )
        .bind(heard.key).bind(heard.at - around).bind(heard.at + around).bind(heard.packetID).bind(last)
        .first { $0.flag() } ?? false
    }

    /// Does not look at how many the pair has: ``sortTraceroutes()`` does, in the end.
    ///
    /// - Returns: false when it is there already.
    public func insert(
        past route: RouteDiscovery?, from: NodeNumber, to: NodeNumber, packetID: PacketID?, in source: SourceID,
        at time: Int64, beside present: PresentRows
    ) throws -> Bool {
        let isKnown = try connection.prepare(
            """
            SELECT EXISTS (SELECT 1 FROM traceroutes WHERE source = ? AND from_node = ? AND to_node = ? AND at = ?
                AND id <= ?)
            """
        )
        .bind(source.rawValue).bind(from.rawValue).bind(to.rawValue).bind(time).bind(present.traceroutes)
        .first { $0.flag() }
        if isKnown == true { return false }
        try insert(route, from: from, to: to, packetID: packetID, in: source, at: time)
        return true
    }

    /// Brings routes back into the order of time, and keeps the newest ones of each pair.
    public func sortTraceroutes() throws {
        markChanged(.traceroutes)
        try connection.execute(
            """
            CREATE TEMP TABLE sorted AS SELECT * FROM (
                SELECT *, row_number() OVER (PARTITION BY source, from_node, to_node ORDER BY at DESC, id DESC) AS place
                FROM traceroutes
            ) WHERE place <= \(Self.traceroutesPerPair);
            DELETE FROM traceroutes;
            INSERT INTO traceroutes (source, from_node, to_node, packet_id, at, answered_at, answer_id, route,
                    snr_towards, route_back, snr_back)
                SELECT source, from_node, to_node, packet_id, at, answered_at, answer_id, route, snr_towards, route_back,
                    snr_back
                FROM sorted ORDER BY at, id;
            DROP TABLE sorted;
            """)
    }

    /// Whether anything was ever heard for a source.
    public func hasHistory(_ source: SourceID) throws -> Bool {
        let (first, last) = (source.key(NodeNumber(0)), source.key(.broadcast))
        return try connection.prepare(
            """
            SELECT EXISTS (SELECT 1 FROM nodes WHERE node BETWEEN ?1 AND ?2)
                OR EXISTS (SELECT 1 FROM messages WHERE source IN (?3, -?3))
                OR EXISTS (SELECT 1 FROM telemetry WHERE node BETWEEN ?1 AND ?2)
                OR EXISTS (SELECT 1 FROM positions WHERE node BETWEEN ?1 AND ?2)
            """
        )
        .bind(first).bind(last).bind(source.rawValue).first { $0.flag() } ?? false
    }

    public func channels(in source: SourceID) throws -> [Channel] { try ChannelRow.all(in: source, on: connection) }

    /// Bytes of the pages that hold something.
    public func usedBytes() throws -> Int64 { try connection.usedBytes() }
}
