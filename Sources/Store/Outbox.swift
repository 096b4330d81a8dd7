import MeshModel

// Own packets that have still to be given to the radio, in the order in which they were accepted. The table outlives
// restarts and is empty most of the time.

private enum OutboxRow {
    static func all(in source: SourceID, on connection: Connection) throws -> [OutboxItem] {
        let statement = try connection.prepare(
            composed: """
                SELECT id, message_id, kind, state, attempts, not_before, expires_at, created_at, \
                \(PacketColumns.names) FROM outbox WHERE source = ? ORDER BY id
                """)
        return try statement.bind(source.rawValue).rows { row in
            let id = row.integer()
            let messageID = row.textOrNil()
            let kind = row.text()
            let state = OutboxItem.State(rawValue: Int(row.integer())) ?? .waiting
            let attempts = Int(row.integer())
            let notBefore = row.integer()
            let expiresAt = row.integerOrNil()
            let createdAt = row.integer()
            var item = OutboxItem(
                packet: PacketColumns.read(row), messageID: messageID, kind: kind, state: state, attempts: attempts,
                notBefore: notBefore, expiresAt: expiresAt, createdAt: createdAt)
            item.id = id
            return item
        }
    }
}

extension Writer {
    /// - Returns: the ``OutboxItem/id`` that it now has.
    @discardableResult
    public func insertOutbox(_ item: OutboxItem, in source: SourceID) throws -> Int64 {
        touch(.outbox)
        let statement = try connection.prepare(
            composed: """
                INSERT INTO outbox (source, message_id, kind, state, attempts, not_before, expires_at, created_at,
                    \(PacketColumns.names))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, \(PacketColumns.placeholders))
                """)
        statement.bind(source.rawValue).bind(item.messageID).bind(item.kind).bind(item.state.rawValue)
            .bind(item.attempts).bind(item.notBefore).bind(item.expiresAt).bind(item.createdAt)
        PacketColumns.bind(item.packet, to: statement)
        try statement.run()
        return connection.lastInsertedRow
    }

    /// In the order of insertion.
    public func outbox(in source: SourceID) throws -> [OutboxItem] { try OutboxRow.all(in: source, on: connection) }

    /// Changes state, attempts and times of the items of a packet; the packet itself stays.
    public func updateOutbox(
        packetID: PacketID, in source: SourceID, _ change: (inout OutboxItem) -> Void
    ) throws {
        for before in try outbox(in: source) where before.packetID == packetID {
            var item = before
            change(&item)
            guard item != before else { continue }
            touch(.outbox)
            try connection.prepare(
                "UPDATE outbox SET state = ?, attempts = ?, not_before = ?, expires_at = ? WHERE id = ?"
            )
            .bind(item.state.rawValue).bind(item.attempts).bind(item.notBefore).bind(item.expiresAt)
            .bind(before.id).run()
        }
    }

    public func removeOutbox(packetID: PacketID, in source: SourceID) throws {
        try connection.prepare("DELETE FROM outbox WHERE source = ? AND packet_id = ?")
            .bind(source.rawValue).bind(packetID).run()
        if connection.changes > 0 { touch(.outbox) }
    }
}

extension Reader {
    /// In the order of insertion.
    public func outbox(in source: SourceID) throws -> [OutboxItem] { try OutboxRow.all(in: source, on: connection) }
}
