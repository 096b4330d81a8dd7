import MeshModel

extension Reader {
    /// A page of points, newest first. Points of one packet keep the order of the schema. Of a node, packets are in the
    /// order of their times; of a whole source, in the order in which they were stored. That differs when the host's
    /// clock was set back, and for values that the radio heard while the gateway was away.
    ///
    /// - Parameter offset: how many points to pass over. They are counted, not read.
    public func telemetryPoints(_ query: TelemetryQuery, limit: Int, offset: Int = 0) throws -> [TelemetryPoint] {
        var pages = try seriesPages.pages(of: query, on: connection)
        let offset = max(offset, 0)
        let start = pages?.end(before: offset)
        let streams = try SeriesTable.holding(query.name).map {
            try SeriesStream($0, query, from: start?.rows[Int($0.rawValue)], on: connection)
        }
        defer { streams.forEach { $0.close() } }
        // Behind the last point, tables would be looked through to their ends for nothing.
        let limit = min(limit, pages?.total.map { $0 - offset } ?? limit)
        var skipped = offset - (start?.offset ?? 0) + (start?.skipped ?? 0)
        var points: [TelemetryPoint] = []
        while points.count < limit, let stream = SeriesStream.newest(of: streams) {
            if skipped < stream.count {
                let rest = stream.points().dropFirst(skipped)
                let taken = rest.prefix(limit - points.count)
                points += taken
                skipped += taken.count
                if taken.count < rest.count { break }
            }
            skipped -= stream.count
            try stream.advance()
        }
        if pages != nil, skipped == 0 || !streams.allSatisfy(\.isAtEnd) {
            var rows = SeriesTable.allCases.map { _ in 0 as Int64 }
            for stream in streams where !stream.isAtEnd { rows[Int(stream.table.rawValue)] = stream.row }
            pages?.add(KnownPages.End(offset: offset + points.count, rows: rows, skipped: skipped))
            if let pages { seriesPages.keep(pages, of: query) }
        }
        return points
    }

    /// Hands over every point, newest first as in pages.
    public func eachTelemetryPoint(_ query: TelemetryQuery, _ body: (TelemetryPoint) throws -> Void) throws {
        let streams = try SeriesTable.holding(query.name).map { try SeriesStream($0, query, on: connection) }
        defer { streams.forEach { $0.close() } }
        while let stream = SeriesStream.newest(of: streams) {
            for point in stream.points() { try body(point) }
            try stream.advance()
        }
    }

    /// A node's positions with coordinates.
    ///
    /// - Parameters:
    ///   - query: its name is not used.
    ///   - offset: how many of the newest to pass over.
    /// - Returns: oldest first.
    public func positionHistory(_ query: TelemetryQuery, limit: Int, offset: Int = 0) throws -> [Record<Position>] {
        let table = SeriesTable.positions
        let filter = SeriesFilter(table, query, name: nil)
        let statement = try connection.prepare(
            composed: """
                SELECT id, \(Heard.columns), \(table.columns) FROM positions \(filter.text)
                ORDER BY \(table.order) LIMIT ? OFFSET ?
                """)
        filter.bind(to: statement)
        return try statement.bind(max(limit, 0)).bind(max(offset, 0)).rows { Heard.read($0, Position.read) }.reversed()
    }
}

/// The rows of one table that hold points of a query, newest first.
private final class SeriesStream {
    let table: SeriesTable
    private let name: String?
    private let statement: Statement
    /// Host milliseconds; rows before them are passed over.
    private let since: Int64
    /// Rows one after the other that were too old.
    private var oldOnes = 0
    private(set) var isAtEnd = false
    /// Of the row.
    private(set) var row: Int64 = 0
    /// What the order of the tables goes by: host milliseconds of the reception, of a whole source those of the storing.
    private(set) var time: Int64 = 0
    private(set) var count = 0

    /// So many rows one after the other that are too old end the search of a whole source. Fewer may be values that the
    /// radio heard while the gateway was away and handed over later: of each node that it knows, the last of each kind.
    private static let mostOldOnes = 4096

    /// - Parameter row: of a whole source, the first row to be read; nil: the newest.
    init(
        _ table: SeriesTable, _ query: TelemetryQuery, from row: Int64? = nil, on connection: DatabaseConnection
    ) throws {
        self.table = table
        name = query.name
        var query = query
        if query.node == nil {
            // There is no index by time: rows that are too old end the search instead.
            since = query.since ?? .min
            query.since = nil
        } else {
            since = .min
        }
        let filter = SeriesFilter(table, query, name: query.name, upTo: row)
        statement = try connection.prepare(
            composed: """
                SELECT at, \(query.node == nil ? table.storedAt : "at"), \(table.count(of: query.name)), id, id, \(Heard.columns), \(table.columns)
                FROM \(table.name) \(filter.text) ORDER BY \(query.node == nil ? "id DESC" : table.order)
                """)
        filter.bind(to: statement)
        try advance()
    }

    func advance() throws {
        var at: Int64
        repeat {
            guard try statement.step() else { return isAtEnd = true }
            at = statement.integer()
            // Rows from before the host knew the time lie among the others.
            if at < since, at >= PlausibleTime.earliestMilliseconds { oldOnes += 1 }
            if oldOnes == Self.mostOldOnes { return isAtEnd = true }
        } while at < since
        oldOnes = 0
        time = statement.integer()
        count = Int(statement.integer())
        row = statement.integer()
    }

    /// Of the row. May be read once.
    func points() -> [TelemetryPoint] {
        let points = table.points(statement)
        guard let name else { return points }
        return points.filter { $0.name == name }
    }

    func close() { statement.reset() }

    static func newest(of streams: [SeriesStream]) -> SeriesStream? {
        var newest: SeriesStream?
        for stream in streams where !stream.isAtEnd && stream.time > newest?.time ?? .min { newest = stream }
        return newest
    }
}

/// The WHERE of a query, and the values for it.
struct SeriesFilter {
    let text: String
    private let values: [Int64]

    /// - Parameters:
    ///   - after: rows with greater numbers only: a table is then read from there, whatever indexes it has.
    ///   - upTo: rows with these numbers or smaller ones.
    init(
        _ table: SeriesTable, _ query: TelemetryQuery, name: String?, after row: Int64? = nil, upTo last: Int64? = nil
    ) {
        var text: String
        var values: [Int64] = []
        if let node = query.node {
            text = row == nil ? "INDEXED BY \(table.name)_node" : "NOT INDEXED"
            text += " WHERE node = ?"
            values.append(query.source.key(node))
        } else {
            text = "NOT INDEXED WHERE node BETWEEN ? AND ?"
            values += [query.source.key(NodeNumber(0)), query.source.key(.broadcast)]
        }
        text += " AND " + table.condition(name)
        if let row {
            text += " AND id > ?"
            values.append(row)
        }
        if let last {
            text += " AND id <= ?"
            values.append(last)
        }
        if let since = query.since {
            text += " AND at >= ?"
            values.append(since)
        }
        if let before = query.before {
            text += " AND at < ?"
            values.append(before)
        }
        if let mask = query.channelMask {
            // A token that may see a node may see what it measures, but for what came on a channel of the gateway's own keys.
            let isSeen = query.seesGatewayChannels
            if table == .positions {
                text += " AND \(Self.isVisible("ifnull(channel, 0)", gateway: isSeen))"
                values.append(mask)
            } else if !isSeen {
                text += " AND ifnull(channel, 0) < \(ChannelEntry.channelOffset)"
            }
            if query.node == nil {
                let channel = "ifnull((SELECT channel FROM nodes WHERE nodes.node = \(table.name).node), 0)"
                text += " AND \(Self.isVisible(channel, gateway: isSeen))"
                values.append(mask)
            }
        }
        (self.text, self.values) = (text, values)
    }

    /// Whether a bit of the mask that is bound to it, or the gateway's own key, shows a channel.
    private static func isVisible(_ channel: String, gateway isSeen: Bool) -> String {
        "CASE WHEN \(channel) >= \(ChannelEntry.channelOffset) THEN \(isSeen ? 1 : 0) ELSE ? >> \(channel) & 1 END"
    }

    func bind(to statement: Statement) {
        for value in values { statement.bind(value) }
    }
}
