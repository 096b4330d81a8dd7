import MeshModel

// What was going on lately, in numbers.

extension Reader {
    /// How many messages were stored since a time in host milliseconds, inclusive.
    ///
    /// - Parameter channels: only those on one of these, -1 for direct ones; nil: all.
    public func messageCount(in source: SourceID, since: Int64, channels: [Int]? = nil) throws -> Int {
        if let channels {
            return try messageCountsByChannel(in: source, since: since)
                .reduce(0) { channels.contains($1.key) ? $0 + $1.value : $0 }
        }
        return Int(
            try connection.prepare(
                "SELECT count(*) FROM messages INDEXED BY messages_all WHERE source = ? AND created_at >= ?"
            )
            .bind(source.rawValue).bind(since).first { $0.integer() } ?? 0)
    }

    /// The same by channel index; -1 for direct ones. Channels without any are left out.
    public func messageCountsByChannel(in source: SourceID, since: Int64) throws -> [Int: Int] {
        let statement = try connection.prepare(
            "SELECT channel FROM messages INDEXED BY messages_all WHERE source = ? AND created_at >= ?"
        )
        .bind(source.rawValue).bind(since)
        // Counted here, as are packets by port: for GROUP BY SQLite would sort all that a busy time has, in megabytes of
        // memory.
        var counts: [Int: Int] = [:]
        while try statement.step() { counts[Int(statement.integer()), default: 0] += 1 }
        return counts
    }

    /// How many messages from a node, on all channels, and how many direct ones to it were stored since a time in host
    /// milliseconds, inclusive.
    public func messageCounts(
        with node: NodeNumber, in source: SourceID, since: Int64
    ) throws -> (from: Int, to: Int) {
        let from = try connection.prepare(
            "SELECT count(*) FROM messages INDEXED BY messages_from WHERE source = ? AND from_node = ? AND created_at >= ?"
        )
        .bind(source.rawValue).bind(node.rawValue).bind(since).first { $0.integer() }
        let to = try connection.prepare(
            "SELECT count(*) FROM messages INDEXED BY messages_to WHERE source = ? AND to_node = ? AND created_at >= ?"
        )
        .bind(source.rawValue).bind(node.rawValue).bind(since).first { $0.integer() }
        return (Int(from ?? 0), Int(to ?? 0))
    }

    /// Of how many nodes a person has to decide which key is right.
    public func doubtedKeyCount(in source: SourceID) throws -> Int {
        Int(
            try connection.prepare(
                composed: "SELECT count(*) FROM nodes WHERE node BETWEEN ? AND ? AND \(Node.isInDoubt)"
            )
            .bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).first { $0.integer() } ?? 0)
    }

    /// How many packets there are in the log since a time in host milliseconds, inclusive, by port. Those that were not
    /// decoded count as ``PortNumber/unknown``.
    ///
    /// - Parameters:
    ///   - readable: as in ``PacketQuery/readable``.
    ///   - own: as in ``PacketQuery/trafficOf``.
    public func packetCounts(
        in source: SourceID, since: Int64, readable: PacketQuery.Readable? = nil, trafficOf own: NodeNumber? = nil
    ) throws -> [(port: PortNumber, count: Int)] {
        // The log has no index by time: the first packet that is older ends the search.
        let older = try connection.prepare(
            "SELECT id FROM packets WHERE source = ? AND at < ? ORDER BY id DESC LIMIT 1"
        )
        .bind(source.rawValue).bind(since).first { $0.integer() }
        let statement = try connection.prepare(
            composed: "SELECT ifnull(port, 0) FROM packets NOT INDEXED" + PacketQuery.condition + " AND id > ?12")
        PacketQuery(in: source, readable: readable, trafficOf: own).bind(to: statement)
        statement.bind(older ?? .min)
        var counts: [UInt32: Int] = [:]
        while try statement.step() { counts[statement.unsigned(), default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { (port: PortNumber(rawValue: $0.key), count: $0.value) }
    }

    /// Nodes with any telemetry, by number, and whether weather was in one of the last reports of each: half of the rows
    /// are none, but what the gateway has worked out.
    ///
    /// - Parameter channels: only nodes last heard on one of these; nil for all.
    public func nodesWithTelemetry(
        in source: SourceID, channels: [Int]? = nil
    ) throws -> [(node: NodeNumber, hasWeather: Bool)] {
        let statement = try connection.prepare(
            """
            SELECT node & 4294967295, EXISTS (
                SELECT 1 FROM (SELECT kind FROM telemetry WHERE telemetry.node = nodes.node ORDER BY at DESC LIMIT 200)
                WHERE kind = 3)
            FROM nodes WHERE node BETWEEN ? AND ? AND ? >> ifnull(channel, 0) & 1
                AND EXISTS (SELECT 1 FROM telemetry WHERE telemetry.node = nodes.node)
            """)
        let mask = TelemetryQuery(source: source, channels: channels).channelMask ?? -1
        return try statement.bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).bind(mask)
            .rows { (node: NodeNumber($0.unsigned()), hasWeather: $0.flag()) }
    }
}
