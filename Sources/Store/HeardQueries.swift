import MeshModel

// Lists of what was heard, newest first. Without a node the rows come in the order in which they were stored.

extension Reader {
    /// - Parameters:
    ///   - node: nil for all nodes of the source.
    ///   - kind: nil for all kinds.
    ///   - since: host milliseconds, inclusive.
    ///   - before: host milliseconds, exclusive.
    public func telemetry(
        of node: NodeNumber? = nil, kind: Telemetry.Kind? = nil, in source: SourceID, since: Int64? = nil,
        before: Int64? = nil, limit: Int = 1000, offset: Int = 0
    ) throws -> [Record<Telemetry>] {
        let table = HeardTable("telemetry", Telemetry.columns)
        let condition = kind.map { " AND kind = \($0.rawValue)" } ?? " AND kind <> \(Derivation.kind)"
        let statement = try table.select(
            on: connection, of: node, in: source, since: since, before: before, limit: limit, offset: offset,
            condition)
        return try statement.rows { row in Heard.read(row, Telemetry.read) }
    }

    /// Parameters as in ``telemetry(of:kind:in:since:before:limit:offset:)``.
    public func positions(
        of node: NodeNumber? = nil, in source: SourceID, since: Int64? = nil, before: Int64? = nil,
        limit: Int = 1000, offset: Int = 0
    ) throws -> [Record<Position>] {
        let table = HeardTable("positions", Position.columns)
        let statement = try table.select(
            on: connection, of: node, in: source, since: since, before: before, limit: limit, offset: offset)
        return try statement.rows { row in Heard.read(row, Position.read) }
    }

    /// Parameters as in ``telemetry(of:kind:in:since:before:limit:offset:)``.
    public func paxcounts(
        of node: NodeNumber? = nil, in source: SourceID, since: Int64? = nil, before: Int64? = nil,
        limit: Int = 1000, offset: Int = 0
    ) throws -> [Record<Paxcount>] {
        let statement = try HeardTable("paxcounts", Paxcount.columns).select(
            on: connection, of: node, in: source, since: since, before: before, limit: limit, offset: offset)
        return try statement.rows { row in Heard.read(row, Paxcount.read) }
    }

    /// Parameters as in ``telemetry(of:kind:in:since:before:limit:offset:)``.
    public func nodeStatuses(
        of node: NodeNumber? = nil, in source: SourceID, since: Int64? = nil, before: Int64? = nil,
        limit: Int = 1000, offset: Int = 0
    ) throws -> [Record<String>] {
        let statement = try HeardTable("node_statuses", "text").select(
            on: connection, of: node, in: source, since: since, before: before, limit: limit, offset: offset)
        return try statement.rows { row in Heard.read(row) { $0.text() } }
    }
}

extension Telemetry {
    /// In the order of ``read(_:)``.
    static let columns = "kind, time, metrics, text"

    static func read(_ row: Statement) -> Telemetry {
        var telemetry = readAll(row)
        telemetry.values.removeLast(Derivation.count(of: telemetry.values))
        return telemetry
    }

    /// With what was worked out from its packet.
    static func readAll(_ row: Statement) -> Telemetry {
        let kind = Kind(rawValue: row.unsigned()) ?? .device
        let time = row.unsignedOrNil()
        let values = Derivation.values(row.text())
        return Telemetry(time: time, kind: kind, values: values, text: row.textOrNil())
    }
}

extension Position {
    /// In the order of ``read(_:)``.
    static let columns = """
        latitude_i, longitude_i, altitude, time, precision_bits, ground_speed, ground_track, sats_in_view, rare
        """

    static func read(_ row: Statement) -> Position {
        var position = Position(
            latitudeI: row.signedOrNil(), longitudeI: row.signedOrNil(), altitude: row.signedOrNil(),
            time: row.unsignedOrNil())
        position.precisionBits = row.unsignedOrNil()
        position.groundSpeed = row.unsignedOrNil()
        position.groundTrack = row.unsignedOrNil()
        position.satsInView = row.unsignedOrNil()
        for field in NumberObject.fields(row.text()) { position.setRareField(field.name, field.value) }
        return position
    }
}

extension Paxcount {
    /// In the order of ``read(_:)``.
    static let columns = "wifi, ble, uptime"

    static func read(_ row: Statement) -> Paxcount {
        Paxcount(wifi: row.unsigned(), ble: row.unsigned(), uptime: row.unsigned())
    }
}

/// One of the tables that begin with the columns of ``Heard``.
private struct HeardTable {
    private let name: String
    private let columns: String

    init(_ name: String, _ columns: String) {
        self.name = name
        self.columns = columns
    }

    func select(
        on connection: DatabaseConnection, of node: NodeNumber?, in source: SourceID, since: Int64?, before: Int64?,
        limit: Int, offset: Int, _ condition: String = ""
    ) throws -> Statement {
        var sql = "SELECT id, \(Heard.columns), \(columns) FROM \(name)"
        sql += node == nil ? " NOT INDEXED WHERE node BETWEEN ? AND ?" : " WHERE node = ?"
        if since != nil { sql += " AND at >= ?" }
        if before != nil { sql += " AND at < ?" }
        sql += condition + (node == nil ? " ORDER BY id DESC" : " ORDER BY at DESC, id DESC") + " LIMIT ? OFFSET ?"
        let statement = try connection.prepare(composed: sql)
        if let node {
            statement.bind(source.key(node))
        } else {
            statement.bind(source.key(NodeNumber(0))).bind(source.key(.broadcast))
        }
        if let since { statement.bind(since) }
        if let before { statement.bind(before) }
        return statement.bind(max(limit, 0)).bind(max(offset, 0))
    }
}
