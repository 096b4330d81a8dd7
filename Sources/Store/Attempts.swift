import MeshModel

// A message keeps the packet id under which it was accepted. When it has to go out again as something new (the radio
// dropped it, or a person asks for it), the packet gets another id, because nodes ignore an id that they have seen. All
// of them stay: an acknowledgement, a reply or a question by any of them means the message.

extension Schema {
    static let attempts = """
        ALTER TABLE messages ADD COLUMN cause INTEGER;
        ALTER TABLE messages ADD COLUMN acked_at INTEGER;
        ALTER TABLE messages ADD COLUMN first_part INTEGER;
        ALTER TABLE messages ADD COLUMN part INTEGER;
        ALTER TABLE messages ADD COLUMN parts INTEGER;
        CREATE TABLE attempts (
            id INTEGER PRIMARY KEY, source INTEGER NOT NULL, packet_id INTEGER NOT NULL, message INTEGER NOT NULL,
            at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX attempts_packet ON attempts (source, packet_id);
        CREATE INDEX attempts_message ON attempts (message);
        CREATE INDEX messages_parts ON messages (source, first_part) WHERE first_part IS NOT NULL;
        """
}

/// A packet under which a message went out again.
public struct Attempt: Hashable, Sendable {
    public var packetID: PacketID
    /// Host milliseconds at which it was decided.
    public var at: Int64
}

extension MessageRow {
    /// The row whose later attempt a packet was.
    static func row(ofAttempt packetID: PacketID, in source: SourceID, on connection: DatabaseConnection) throws
        -> Int64?
    {
        try connection.prepare("SELECT message FROM attempts WHERE source = ? AND packet_id = ?")
            .bind(source.rawValue).bind(packetID).first { $0.integer() }
    }

    /// Oldest first, without the first one, which is the message's own id.
    static func attempts(ofRow row: Int64, on connection: DatabaseConnection) throws -> [Attempt] {
        try connection.prepare("SELECT packet_id, at FROM attempts WHERE message = ? ORDER BY id")
            .bind(row).rows { Attempt(packetID: $0.unsigned(), at: $0.integer()) }
    }
}

extension Writer {
    /// From now on a packet stands for an own message as well.
    public func insertAttempt(
        _ packetID: PacketID, of message: Message, in source: SourceID, at now: Int64
    ) throws {
        guard let (row, _) = try MessageRow.find(id: message.id, in: source, on: connection) else { return }
        markChanged(.messages)
        try connection.prepare("INSERT INTO attempts (source, packet_id, message, at) VALUES (?, ?, ?, ?)")
            .bind(source.rawValue).bind(packetID).bind(row).bind(now).run()
    }

    /// Oldest first, without the first one.
    public func attempts(of message: Message, in source: SourceID) throws -> [Attempt] {
        guard let (row, _) = try MessageRow.find(id: message.id, in: source, on: connection) else { return [] }
        return try MessageRow.attempts(ofRow: row, on: connection)
    }

    /// The packet id that a message is known by, given that of any of its attempts.
    public func firstPacketID(of packetID: PacketID, in source: SourceID) throws -> PacketID {
        guard let row = try MessageRow.row(ofAttempt: packetID, in: source, on: connection) else { return packetID }
        return try connection.prepare("SELECT packet_id FROM messages WHERE id = ?").bind(row).first { $0.unsigned() }
            ?? packetID
    }

    /// The parts of a long own text, in order.
    ///
    /// - Parameter first: the packet id of its first part.
    public func parts(of first: PacketID, in source: SourceID) throws -> [Message] {
        let ids = try connection.prepare(
            "SELECT packet_id FROM messages WHERE source = ? AND first_part = ? ORDER BY part"
        )
        .bind(source.rawValue).bind(first).rows { $0.unsigned() }
        return try ids.compactMap {
            try MessageRow.find(packetID: $0, from: nil, isOwn: true, in: source, on: connection)?.message
        }
    }

    /// Whether a packet id of ours is taken.
    public func isUsed(_ packetID: PacketID, from own: NodeNumber, in source: SourceID) throws -> Bool {
        if try hasMessage(packetID: packetID, from: own, in: source) { return true }
        return try MessageRow.row(ofAttempt: packetID, in: source, on: connection) != nil
    }
}

extension Reader {
    /// Oldest first, without the first one.
    public func attempts(of message: Message, in source: SourceID) throws -> [Attempt] {
        guard let (row, _) = try MessageRow.find(id: message.id, in: source, on: connection) else { return [] }
        return try MessageRow.attempts(ofRow: row, on: connection)
    }
}
