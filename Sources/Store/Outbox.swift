import MeshModel

// Own packets whose way is not at its end, in the order in which they were accepted. The table outlives restarts and is
// empty most of the time.

extension Schema {
    static let outboxColumns = """
        ALTER TABLE outbox ADD COLUMN hold INTEGER;
        ALTER TABLE outbox ADD COLUMN handed_at INTEGER;
        ALTER TABLE outbox ADD COLUMN handed_clock INTEGER;
        ALTER TABLE outbox ADD COLUMN resends INTEGER NOT NULL DEFAULT 0;
        """
}

private enum OutboxRow {
    /// - Parameter packetID: nil: those of every packet.
    static func all(
        of packetID: PacketID? = nil, in source: SourceID, on connection: DatabaseConnection
    ) throws -> [OutboxItem] {
        let statement = try connection.prepare(
            composed: """
                SELECT id, message_id, kind, state, attempts, not_before, expires_at, hold, handed_at, handed_clock, \
                resends, created_at, sender, \(PacketColumns.names) FROM outbox \
                WHERE source = ? \(packetID == nil ? "" : "AND packet_id = ?") ORDER BY id
                """
        ).bind(source.rawValue)
        if let packetID { statement.bind(packetID) }
        return try statement.rows { row in
            let id = row.integer()
            let messageID = row.textOrNil()
            let kind = row.text()
            let state = OutboxItem.State(rawValue: Int(row.integer())) ?? .waiting
            let attempts = Int(row.integer())
            let notBefore = row.integer()
            let expiresAt = row.integerOrNil()
            let hold = row.intOrNil().flatMap { OutboxItem.Hold(rawValue: $0) }
            let handedAt = row.integerOrNil()
            let handedClock = row.integerOrNil().map { UInt64(bitPattern: $0) }
            let resends = Int(row.integer())
            let createdAt = row.integer()
            let sender = row.textOrNil().flatMap { Sender($0) }
            var item = OutboxItem(
                packet: PacketColumns.read(row), messageID: messageID, kind: kind, state: state, attempts: attempts,
                notBefore: notBefore, expiresAt: expiresAt, hold: hold, handedAt: handedAt, handedClock: handedClock,
                resends: resends, createdAt: createdAt)
            item.id = id
            item.sender = sender
            return item
        }
    }
}

extension Writer {
    /// - Returns: the ``OutboxItem/id`` that it now has.
    @discardableResult
    public func insertOutbox(_ item: OutboxItem, in source: SourceID) throws -> Int64 {
        markChanged(.outbox)
        let statement = try connection.prepare(
            composed: """
                INSERT INTO outbox (source, message_id, kind, state, attempts, not_before, expires_at, hold, handed_at,
                    handed_clock, resends, created_at, sender, \(PacketColumns.names))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(PacketColumns.placeholders))
                """)
        statement.bind(source.rawValue).bind(item.messageID).bind(item.kind).bind(item.state.rawValue)
            .bind(item.attempts).bind(item.notBefore).bind(item.expiresAt).bind(item.hold?.rawValue)
            .bind(item.handedAt).bind(item.handedClock.map { Int64(bitPattern: $0) }).bind(item.resends)
            .bind(item.createdAt).bind(item.sender?.text)
        PacketColumns.bind(item.packet, to: statement)
        try statement.run()
        return connection.lastInsertedRow
    }

    /// In the order of insertion.
    public func outbox(in source: SourceID) throws -> [OutboxItem] { try OutboxRow.all(in: source, on: connection) }

    /// The items of a packet alone: hundreds of others may be waiting for a radio that is away.
    public func outbox(of packetID: PacketID, in source: SourceID) throws -> [OutboxItem] {
        try OutboxRow.all(of: packetID, in: source, on: connection)
    }

    /// Changes state, attempts, hold and times of the items of a packet; the packet itself stays.
    public func updateOutbox(
        packetID: PacketID, in source: SourceID, _ change: (inout OutboxItem) -> Void
    ) throws {
        for before in try outbox(of: packetID, in: source) {
            var item = before
            change(&item)
            guard item != before else { continue }
            markChanged(.outbox)
            try connection.prepare(
                """
                UPDATE outbox SET state = ?, attempts = ?, not_before = ?, expires_at = ?, hold = ?, handed_at = ?,
                    handed_clock = ?
                WHERE id = ?
                """
            )
            .bind(item.state.rawValue).bind(item.attempts).bind(item.notBefore).bind(item.expiresAt)
            .bind(item.hold?.rawValue).bind(item.handedAt).bind(item.handedClock.map { Int64(bitPattern: $0) })
            .bind(before.id).run()
        }
    }

    public func removeOutbox(packetID: PacketID, in source: SourceID) throws {
        try connection.prepare("DELETE FROM outbox WHERE source = ? AND packet_id = ?")
            .bind(source.rawValue).bind(packetID).run()
        if connection.changes > 0 { markChanged(.outbox) }
    }
}

extension Reader {
    /// In the order of insertion.
    public func outbox(in source: SourceID) throws -> [OutboxItem] { try OutboxRow.all(in: source, on: connection) }
}
