import MeshModel

extension Schema {
    /// Entries keep their numbers for ever, because the channel numbers of what they decrypted are made of them. A packet
    /// or message that the gateway decrypted names the entry; NULL means that the radio did.
    static let channelDatabase = """
        CREATE TABLE channel_database (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, psk BLOB NOT NULL, description TEXT,
            is_enabled INTEGER NOT NULL, enforce_name_validation INTEGER NOT NULL, sort_order INTEGER NOT NULL,
            decrypted_packets INTEGER NOT NULL, last_decrypted_at INTEGER, created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        ALTER TABLE packets ADD COLUMN decrypted_with INTEGER;
        ALTER TABLE messages ADD COLUMN decrypted_with INTEGER;
        """
}

extension Writer {
    /// - Parameters:
    ///   - entry: its id is not used: the row makes its own.
    ///   - wanted: the number that it is to have, if no entry has ever had that or a higher one.
    @discardableResult
    public func insert(_ entry: ChannelEntry, as wanted: Int64? = nil) throws -> ChannelEntry {
        markChanged(.channelDatabase)
        let highest = try highestChannelEntryID()
        let statement = try connection.prepare(
            """
            INSERT INTO channel_database (id, name, psk, description, is_enabled, enforce_name_validation, sort_order,
                decrypted_packets, last_decrypted_at, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(wanted.flatMap { $0 > highest ? $0 : nil })
        ChannelEntryRow.bind(entry, to: statement)
        try statement.run()
        var inserted = entry
        inserted.id = connection.lastInsertedRow
        return inserted
    }

    /// - Parameter now: host milliseconds; becomes ``ChannelEntry/updatedAt``.
    /// - Returns: the entry as it now is; nil when there is none.
    @discardableResult
    public func updateChannelEntry(
        _ id: Int64, at now: Int64, _ change: (inout ChannelEntry) -> Void
    ) throws -> ChannelEntry? {
        guard var entry = try ChannelEntryRow.one(id, on: connection) else { return nil }
        change(&entry)
        entry.id = id
        entry.updatedAt = now
        markChanged(.channelDatabase)
        let statement = try connection.prepare(
            """
            UPDATE channel_database SET name = ?, psk = ?, description = ?, is_enabled = ?,
                enforce_name_validation = ?, sort_order = ?, decrypted_packets = ?, last_decrypted_at = ?,
                created_at = ?, updated_at = ?
            WHERE id = ?
            """)
        ChannelEntryRow.bind(entry, to: statement)
        try statement.bind(id).run()
        return entry
    }

    /// - Returns: false when there is no such entry.
    @discardableResult
    public func deleteChannelEntry(_ id: Int64) throws -> Bool {
        try connection.prepare("DELETE FROM channel_database WHERE id = ?").bind(id).run()
        guard connection.changes > 0 else { return false }
        markChanged(.channelDatabase)
        return true
    }

    /// By ``ChannelEntry/sortOrder``, then by id.
    public func channelEntries() throws -> [ChannelEntry] { try ChannelEntryRow.all(on: connection) }

    public func channelEntry(_ id: Int64) throws -> ChannelEntry? { try ChannelEntryRow.one(id, on: connection) }

    /// Counts packets that an entry has decrypted. Does nothing when the entry is gone.
    public func countDecrypted(_ packets: Int, with id: Int64, at now: Int64) throws {
        markChanged(.channelDatabase)
        try connection.prepare(
            """
            UPDATE channel_database SET decrypted_packets = decrypted_packets + ?, last_decrypted_at = ? WHERE id = ?
            """
        )
        .bind(packets).bind(now).bind(id).run()
    }

    public func highestChannelEntryID() throws -> Int64 { try ChannelEntryRow.highestID(on: connection) }

    /// Messages and packets came from elsewhere: no entry gets the number of one that has opened some of them.
    public func keepChannelEntryNumbers() throws { try ChannelEntryRow.keepNumbers(on: connection) }

    // MARK: What was logged before its key was known

    /// Logged packets that nobody could decrypt, of all sources, the oldest first. What is encrypted for its recipient
    /// alone is not among them.
    ///
    /// - Parameter row: the log's number of the last one that was looked at; 0 begins.
    public func encryptedPackets(after row: Int64, limit: Int) throws -> [(source: SourceID, packet: LoggedPacket)] {
        try connection.prepare(
            composed: """
                SELECT source, id, at, direction, decrypted_with, \(PacketColumns.names) FROM packets
                WHERE \(EncryptedPacket.condition) AND id > ? ORDER BY id LIMIT ?
                """
        )
        .bind(row).bind(limit).rows { row in (SourceID(rawValue: row.integer()), LoggedPacket(row)) }
    }

    /// How many packets of the log nobody could decrypt.
    public func encryptedPacketCount() throws -> Int {
        let count = try connection.prepare(
            composed: "SELECT count(*) FROM packets WHERE \(EncryptedPacket.condition)"
        ).first { $0.integer() }
        return Int(count ?? 0)
    }

    /// Puts a packet that has been decrypted in the place of the encrypted one.
    public func replaceLogged(_ row: Int64, with packet: MeshPacket, decryptedWith entry: Int64) throws {
        markChanged(.packets)
        let statement = try connection.prepare(
            composed: """
                UPDATE packets SET (\(PacketColumns.names)) = (\(PacketColumns.placeholders)), decrypted_with = ?
                WHERE id = ?
                """)
        PacketColumns.bind(packet, to: statement)
        try statement.bind(entry).bind(row).run()
    }
}

extension Reader {
    /// By ``ChannelEntry/sortOrder``, then by id.
    public func channelEntries() throws -> [ChannelEntry] { try ChannelEntryRow.all(on: connection) }

    public func channelEntry(_ id: Int64) throws -> ChannelEntry? { try ChannelEntryRow.one(id, on: connection) }

    /// Of all entries that there ever were; 0 when there was none.
    public func highestChannelEntryID() throws -> Int64 { try ChannelEntryRow.highestID(on: connection) }
}

extension Reader {
    /// The sources in whose log there are packets that nobody could decrypt.
    public func sourcesWithEncryptedPackets() throws -> [SourceID] {
        try connection.prepare(
            composed: "SELECT DISTINCT source FROM packets WHERE \(EncryptedPacket.condition) ORDER BY source"
        ).rows { SourceID(rawValue: $0.integer()) }
    }
}

private enum EncryptedPacket {
    static let condition = "encrypted IS NOT NULL AND NOT pki_encrypted AND direction = \(PacketDirection.rx.rawValue)"
}

enum ChannelEntryRow {
    static let select = """
        SELECT id, name, psk, description, is_enabled, enforce_name_validation, sort_order, decrypted_packets,
            last_decrypted_at, created_at, updated_at
        FROM channel_database
        """

    static func all(on connection: DatabaseConnection) throws -> [ChannelEntry] {
        try connection.prepare(composed: select + " ORDER BY sort_order, id").rows(read)
    }

    static func one(_ id: Int64, on connection: DatabaseConnection) throws -> ChannelEntry? {
        try connection.prepare(composed: select + " WHERE id = ?").bind(id).first(read)
    }

    static func highestID(on connection: DatabaseConnection) throws -> Int64 {
        try connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'channel_database'")
            .first { $0.integer() } ?? 0
    }

    /// No number is given out twice, as long as anything is there that was opened by an entry of it: rows that come from
    /// elsewhere count as well.
    static func keepNumbers(on connection: DatabaseConnection) throws(StoreError) {
        try connection.execute(
            """
            CREATE TEMP TABLE highest AS SELECT max(id) AS id FROM (
                SELECT max(seq) AS id FROM sqlite_sequence WHERE name = 'channel_database'
                UNION ALL SELECT max(decrypted_with) FROM messages
                UNION ALL SELECT max(decrypted_with) FROM packets
                UNION ALL SELECT max(channel) - \(ChannelEntry.channelOffset) FROM messages);
            DELETE FROM sqlite_sequence WHERE name = 'channel_database';
            INSERT INTO sqlite_sequence SELECT 'channel_database', id FROM highest WHERE id > 0;
            DROP TABLE highest;
            """)
    }

    static func bind(_ entry: ChannelEntry, to statement: Statement) {
        statement.bind(entry.name).bind(entry.psk).bind(entry.description).bind(entry.isEnabled)
            .bind(entry.enforcesName).bind(entry.sortOrder).bind(entry.decryptedPackets).bind(entry.lastDecryptedAt)
            .bind(entry.createdAt).bind(entry.updatedAt)
    }

    private static func read(_ row: Statement) -> ChannelEntry {
        ChannelEntry(
            id: row.integer(), name: row.text(), psk: row.bytes(), description: row.textOrNil(), isEnabled: row.flag(),
            enforcesName: row.flag(), sortOrder: row.integer(), decryptedPackets: row.integer(),
            lastDecryptedAt: row.integerOrNil(), createdAt: row.integer(), updatedAt: row.integer())
    }
}
