import MeshModel

// What was going on lately, in numbers.

extension Reader {
    /// How many messages were stored since a time in host milliseconds, inclusive.
    public func messageCount(in source: SourceID, since: Int64) throws -> Int {
        Int(
            try connection.prepare(
                "SELECT count(*) FROM messages INDEXED BY messages_all WHERE source = ? AND created_at >= ?"
            )
            .bind(source.rawValue).bind(since).first { $0.integer() } ?? 0)
    }

    /// How many packets there are in the log since a time in host milliseconds, inclusive, by port. Those that were not
    /// decoded count as ``PortNumber/unknown``.
    public func packetCounts(in source: SourceID, since: Int64) throws -> [(port: PortNumber, count: Int)] {
        // The log has no index by time: the first packet that is older ends the search.
        let older = try connection.prepare(
            "SELECT id FROM packets WHERE source = ? AND at < ? ORDER BY id DESC LIMIT 1"
        )
        .bind(source.rawValue).bind(since).first { $0.integer() }
        return try connection.prepare(
            """
            SELECT ifnull(port, 0), count(*) FROM packets NOT INDEXED WHERE id > ? AND source = ?
            GROUP BY 1 ORDER BY 1
            """
        )
        .bind(older ?? .min).bind(source.rawValue)
        .rows { (port: PortNumber(rawValue: $0.unsigned()), count: Int($0.integer())) }
    }

    /// Nodes that have told something of themselves, by number, and whether weather was in one of the last reports of
    /// each.
    ///
    /// - Parameter channels: only nodes last heard on one of these; nil for all.
    public func nodesWithTelemetry(
        in source: SourceID, channels: [Int]? = nil
    ) throws -> [(node: NodeNumber, hasWeather: Bool)] {
        let statement = try connection.prepare(
            """
            SELECT node & 4294967295, EXISTS (
                SELECT 1 FROM (SELECT kind FROM telemetry WHERE telemetry.node = nodes.node ORDER BY at DESC LIMIT 100)
                WHERE kind = 3)
            FROM nodes WHERE node BETWEEN ? AND ? AND ? >> ifnull(channel, 0) & 1
                AND EXISTS (SELECT 1 FROM telemetry WHERE telemetry.node = nodes.node)
            """)
        let mask = TelemetryQuery(source: source, channels: channels).channelMask ?? -1
        return try statement.bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).bind(mask)
            .rows { (node: NodeNumber($0.unsigned()), hasWeather: $0.flag()) }
    }
}
