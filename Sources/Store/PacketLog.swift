import MeshModel

// The packet log has no index but its id, so that a packet costs the pages of its own row and no others. Whatever is
// asked for is looked for among all its rows: their number is bounded (``Retention/packetRows``).

extension Writer {
    /// Adds a packet to the log. Secrets in its payload must have been blanked before.
    ///
    /// - Parameter entry: the entry of the channel database that decrypted it.
    public func logPacket(
        _ packet: MeshPacket, direction: PacketDirection, decryptedWith entry: Int64? = nil, in source: SourceID,
        at now: Int64
    ) throws {
        markChanged(.packets)
        // Spelled out, which a composed one is not: with every packet it would be put together again, to be looked up.
        let statement = try connection.prepare(
            """
            INSERT INTO packets (source, at, direction, decrypted_with, from_node, to_node, packet_id, channel, port,
                payload, encrypted, rx_time, rx_snr, rx_rssi, hop_limit, hop_start, want_ack, priority, via_mqtt,
                public_key, pki_encrypted, next_hop, relay_node, transport, xeddsa_signed, delayed, want_response, dest,
                source_node, request_id, reply_id, emoji, bitfield, xeddsa_signature)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(source.rawValue).bind(now).bind(direction.rawValue).bind(entry)
        PacketColumns.bind(packet, to: statement)
        try statement.run()
    }
}

extension Reader {
    /// A page of the packet log, newest first.
    public func packets(_ query: PacketQuery) throws -> [LoggedPacket] {
        let statement = try connection.prepare(
            composed: LoggedPacket.select + PacketQuery.condition + " ORDER BY id DESC LIMIT ? OFFSET ?")
        query.bind(to: statement)
        return try statement.bind(max(query.limit, 0)).bind(max(query.offset, 0)).rows(LoggedPacket.init)
    }

    /// How many packets match, whatever the limit and the offset.
    public func packetCount(_ query: PacketQuery) throws -> Int {
        let statement = try connection.prepare(composed: "SELECT count(*) FROM packets" + PacketQuery.condition)
        query.bind(to: statement)
        return try statement.first { Int($0.integer()) } ?? 0
    }

    /// A logged packet, if it matches.
    public func packet(id: Int64, _ query: PacketQuery) throws -> LoggedPacket? {
        let statement = try connection.prepare(
            composed: LoggedPacket.select + PacketQuery.condition + " AND id = ?")
        query.bind(to: statement)
        return try statement.bind(id).first(LoggedPacket.init)
    }

    /// The newest packet of the log with this id.
    public func packet(packetID: PacketID, in source: SourceID) throws -> LoggedPacket? {
        try connection.prepare(
            composed: LoggedPacket.select + " WHERE source = ? AND packet_id = ? ORDER BY id DESC LIMIT 1"
        )
        .bind(source.rawValue).bind(packetID).first(LoggedPacket.init)
    }

    /// What was received about an own packet: answers, acknowledgements and refusals. Oldest first, a hundred at most.
    public func answers(to packetID: PacketID, in source: SourceID) throws -> [LoggedPacket] {
        try connection.prepare(
            composed: LoggedPacket.select
                + " WHERE source = ? AND request_id = ? AND direction = 0 ORDER BY id LIMIT 100"
        )
        .bind(source.rawValue).bind(packetID).rows(LoggedPacket.init)
    }

    /// The nodes that were received without a relay, by number. What they say to us alone to keep the mesh going
    /// (acknowledgements, settings) does not count, as in the packet log that clients see.
    ///
    /// - Parameters:
    ///   - since: host milliseconds, inclusive.
    ///   - own: our own number: a node that is heard under it is another one.
    public func directNeighbors(in source: SourceID, since: Int64, own: NodeNumber?) throws -> [DirectNeighbor] {
        try connection.prepare(
            composed: "SELECT from_node, avg(rx_rssi), count(*), max(at)" + Self.receivedDirectly
                + " AND \(LoggedPacket.isTraffic("?3")) GROUP BY from_node ORDER BY from_node"
        )
        .bind(source.rawValue).bind(since).bind(own?.rawValue).rows { row in
            DirectNeighbor(
                number: NodeNumber(row.unsigned()), averageRSSI: row.doubleOrNil() ?? 0,
                packets: Int(row.integer()), lastHeard: row.integer())
        }
    }
}

extension Reader {
    /// Zero hops: what is left of them is what the sender began with. A packet without a hop start tells that only when
    /// it has a bitfield (``MeshPacket/hopsAway``).
    private static let receivedDirectly = """
         FROM packets WHERE source = ?1 AND at >= ?2 AND direction = 0 AND rx_rssi IS NOT NULL AND NOT via_mqtt
            AND hop_start = hop_limit AND (hop_start > 0 OR bitfield IS NOT NULL)
            AND from_node BETWEEN 4 AND 4294967294 AND from_node IS NOT ?3
        """

    /// Hands over every packet that was received without a relay, one at a time: its sender, host milliseconds, and dB.
    ///
    /// Parameters as in ``directNeighbors(in:since:own:)``.
    public func eachDirectReception(
        in source: SourceID, since: Int64, own: NodeNumber?, _ body: (NodeNumber, Int64, Double) -> Void
    ) throws {
        let statement = try connection.prepare(composed: "SELECT from_node, at, rx_snr" + Self.receivedDirectly)
            .bind(source.rawValue).bind(since).bind(own?.rawValue)
        defer { statement.reset() }
        while try statement.step() {
            body(NodeNumber(statement.unsigned()), statement.integer(), statement.doubleOrNil() ?? 0)
        }
    }
}

extension LoggedPacket {
    /// A condition that leaves out what MeshMonitor does not log (Contract 3.10): routing and administration from or to
    /// the own node, which a radio exchanges with its host all the time; and what the radio tells its host alone, from
    /// itself, with no hop to go. A sent packet has no hop start either, because the radio fills it in.
    ///
    /// - Parameter own: the parameter with our own number; with NULL nothing is left out.
    static func isTraffic(_ own: StaticString) -> String {
        """
        (ifnull(port, 0) NOT IN (5, 6) OR (from_node IS NOT \(own) AND to_node IS NOT \(own)))
            AND (from_node IS NOT \(own) OR transport <> 0 OR hop_start <> 0 OR direction <> 0)
        """
    }

    static let select = "SELECT id, at, direction, decrypted_with, \(PacketColumns.names) FROM packets"

    init(_ row: Statement) {
        self.init(
            id: row.integer(), at: row.integer(), direction: PacketDirection(rawValue: Int(row.integer())) ?? .rx,
            decryptedWith: row.integerOrNil(), packet: PacketColumns.read(row))
    }
}

extension PacketQuery {
    /// One text for every combination of filters: there is no index to choose, and a statement is kept for each text.
    /// The ports are those whose payload becomes a message or a waypoint, and store-and-forward, which repeats some.
    static let condition = """
         WHERE source = ?1 AND (?2 IS NULL OR from_node = ?2) AND (?3 IS NULL OR to_node = ?3)
            AND (?4 IS NULL OR ifnull(port, 0) = ?4) AND (?5 IS NULL OR channel = ?5)
            AND (?6 IS NULL OR (port IS NULL) = ?6) AND (?7 IS NULL OR at >= ?7)
            AND (?8 IS NULL OR port IS NULL OR CASE
                WHEN decrypted_with IS NOT NULL THEN ?10
                WHEN to_node <> 4294967295 AND (pki_encrypted OR port IN (1, 7, 8, 10, 11, 65, 66)) THEN ?9
                ELSE channel < 8 AND (?8 >> channel) & 1 END)
            AND \(LoggedPacket.isTraffic("?11"))
        """

    func bind(to statement: Statement) {
        statement.bind(source.rawValue).bind(from?.rawValue).bind(to?.rawValue).bind(port?.rawValue).bind(channel)
            .bind(isDecoded.map { !$0 }).bind(since)
        statement.bind(readable.map { $0.channels.reduce(0) { $0 | 1 << Int64($1) } as Int64 })
            .bind(readable?.directMessages).bind(readable?.channelDatabase).bind(trafficOf?.rawValue)
    }
}
