import MeshModel

extension Writer {
    /// Adds a packet to the log. Secrets in its payload must have been blanked before.
    ///
    /// - Parameter entry: the entry of the channel database that decrypted it.
    public func logPacket(
        _ packet: MeshPacket, direction: PacketDirection, decryptedWith entry: Int64? = nil, in source: SourceID,
        at now: Int64
    ) throws {
        touch(.packets)
        let statement = try connection.prepare(
            composed: """
                INSERT INTO packets (source, at, direction, decrypted_with, \(PacketColumns.names))
                VALUES (?, ?, ?, ?, \(PacketColumns.placeholders))
                """)
        statement.bind(source.rawValue).bind(now).bind(direction.rawValue).bind(entry)
        PacketColumns.bind(packet, to: statement)
        try statement.run()
    }
}

extension Reader {
    /// The packet log, newest first.
    ///
    /// - Parameters:
    ///   - since: host milliseconds, inclusive.
    ///   - port: only decoded packets with this port number.
    public func packets(
        in source: SourceID, from: NodeNumber? = nil, to: NodeNumber? = nil, port: PortNumber? = nil,
        since: Int64? = nil, limit: Int = 100, offset: Int = 0
    ) throws -> [LoggedPacket] {
        var sql = "SELECT id, at, direction, decrypted_with, \(PacketColumns.names) FROM packets WHERE source = ?"
        if from != nil { sql += " AND from_node = ?" }
        if to != nil { sql += " AND to_node = ?" }
        if port != nil { sql += " AND port = ?" }
        if since != nil { sql += " AND at >= ?" }
        let statement = try connection.prepare(composed: sql + " ORDER BY id DESC LIMIT ? OFFSET ?")
        statement.bind(source.rawValue)
        if let from { statement.bind(from.rawValue) }
        if let to { statement.bind(to.rawValue) }
        if let port { statement.bind(port.rawValue) }
        if let since { statement.bind(since) }
        return try statement.bind(max(limit, 0)).bind(max(offset, 0)).rows { LoggedPacket($0) }
    }
}

extension LoggedPacket {
    /// From the columns `id, at, direction, decrypted_with` and those of ``PacketColumns``.
    init(_ row: Statement) {
        self.init(
            id: row.integer(), at: row.integer(), direction: PacketDirection(rawValue: Int(row.integer())) ?? .rx,
            decryptedWith: row.integerOrNil(), packet: PacketColumns.read(row))
    }
}
