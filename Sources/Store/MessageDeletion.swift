import MeshModel

// A deleted message leaves its row behind, without its text and under the negative number of its source.
//
// 1. Every question names a source, and no source has a negative number: such a row is in no list, count or search.
// 2. The mesh repeats itself: a copy of the packet that comes days later finds the row and is not stored again.
// 3. Row numbers are never used again, so that the search index, the read marks and the kept counts, which all go by
//    them, stay right.
//
// What has become too old goes with its row, from the oldest on; the newest row of all always stays, for the sake of 3.

extension Schema {
    static let messageDeletions = """
        CREATE TABLE message_deletions (source INTEGER PRIMARY KEY, deleted INTEGER NOT NULL) STRICT;
        """
}

extension Schema {
    /// Rows of a source that are gone, and the last of them. Under its negative number: how many were ever stored up to a row,
    /// the gone ones included (``Writer/noteMessageCounts()``).
    static let messageRemovals = """
        CREATE TABLE message_removals (
            source INTEGER PRIMARY KEY, removed INTEGER NOT NULL, last_row INTEGER NOT NULL
        ) STRICT;
        """
}

/// What is to be known of a message that was deleted.
public struct DeletedMessage: Hashable, Sendable {
    public var packetID: PacketID
    public var isOwn: Bool
}

extension Writer {
    /// - Parameter id: ``Message/id``.
    /// - Returns: nil when there is no such message.
    public func deleteMessage(id: String, in source: SourceID) throws -> DeletedMessage? {
        guard let (row, message) = try MessageRow.find(id: id, in: source, on: connection) else { return nil }
        try delete([(row, message.text)], in: source)
        return DeletedMessage(packetID: message.packetID, isOwn: message.isOwn)
    }

    /// Deletes what a node has sent, and the direct messages to it.
    ///
    /// - Parameter channels: nil for all; -1 is direct messages.
    /// - Returns: at most `limit`; there may be more.
    public func deleteMessages(
        with node: NodeNumber, channels: [Int]? = nil, in source: SourceID, limit: Int
    ) throws -> [DeletedMessage] {
        guard !node.isBroadcast else { return [] }
        let only = channels.map { " AND channel IN (\($0.map(String.init).joined(separator: ", ")))" } ?? ""
        let found = try connection.prepare(
            composed: """
                SELECT id, text, packet_id, is_own FROM messages INDEXED BY messages_from
                WHERE source = ?1 AND from_node = ?2\(only)
                UNION ALL
                SELECT id, text, packet_id, is_own FROM messages INDEXED BY messages_to
                WHERE source = ?1 AND to_node = ?2 AND from_node <> ?2\(only)
                LIMIT ?3
                """
        )
        .bind(source.rawValue).bind(node.rawValue).bind(limit)
        .rows { (row: $0.integer(), text: $0.text(), packetID: $0.unsigned(), isOwn: $0.flag()) }
        try delete(found.map { ($0.row, $0.text) }, in: source)
        return found.map { DeletedMessage(packetID: $0.packetID, isOwn: $0.isOwn) }
    }

    private func delete(_ messages: [(row: Int64, text: String)], in source: SourceID) throws {
        guard !messages.isEmpty else { return }
        markChanged(.messages)
        for (row, text) in messages {
            try unindex(row, text)
            try connection.prepare("UPDATE messages SET source = -source, text = '' WHERE id = ?").bind(row).run()
            if try brokerSources().contains(source) { try blankBrokerText(row, text, in: source) }
            if let message = try MessageRow.one(row, in: source, isDeleted: true, on: connection) {
                note(.messageDeleted(message), of: row, in: source)
                try blankFeed(of: message.id)
            }
        }
        try connection.prepare(
            """
            INSERT INTO message_deletions VALUES (?1, ?2)
            ON CONFLICT (source) DO UPDATE SET deleted = deleted + ?2
            """
        )
        .bind(source.rawValue).bind(messages.count).run()
    }

    /// The index has no texts of its own: it must be told what to forget.
    private func unindex(_ row: Int64, _ text: String) throws {
        let indexed = try connection.prepare("SELECT indexed FROM search_state").first { $0.integer() } ?? 0
        guard row <= indexed, !isIndexDamaged else { return }
        try connection.prepare("INSERT INTO message_search (message_search, rowid, text) VALUES ('delete', ?, ?)")
            .bind(row).bind(text.lowercased()).run()
    }

    /// Removes rows for good, those of deleted messages as well, but not the newest one.
    ///
    /// - Returns: how many.
    func removeMessages(_ rows: [Int64]) throws -> Int {
        var removed = 0
        for row in rows {
            let found = try connection.prepare(
                "SELECT source, text FROM messages WHERE id = ? AND id < (SELECT max(id) FROM messages)"
            )
            .bind(row).first { (source: $0.integer(), text: $0.text()) }
            guard let found else { continue }
            if found.source > 0 {
                do {
                    try unindex(row, found.text)
                } catch let error as StoreError where !error.isShortOfSpace && !connection.isAutocommit {
                    // A damaged index must not keep the disk full.
                    isIndexDamaged = true
                }
            } else {
                try connection.prepare("UPDATE message_deletions SET deleted = deleted - 1 WHERE source = ?")
                    .bind(-found.source).run()
            }
            try connection.prepare("DELETE FROM messages WHERE id = ?").bind(row).run()
            try connection.prepare("DELETE FROM attempts WHERE message = ?").bind(row).run()
            let source = SourceID(rawValue: abs(found.source))
            if try brokerSources().contains(source) { try removeBrokerText(row, found.text, in: source) }
            try connection.prepare(
                """
                INSERT INTO message_removals VALUES (?1, 1, ?2)
                ON CONFLICT (source) DO UPDATE SET removed = removed + 1, last_row = max(last_row, ?2)
                """
            )
            .bind(abs(found.source)).bind(row).run()
            removed += 1
        }
        return removed
    }

    /// Notes how many messages readers have counted, for the next start: a number that no removal of a counted row changes.
    func noteMessageCounts() throws {
        for (source, counted) in messageCounts?.all ?? [:] {
            // Of a row that went without having been counted, it knows nothing; nor do readers, who begin again.
            try connection.prepare(
                """
                INSERT OR REPLACE INTO message_removals SELECT -?1, ?2, ?3
                WHERE ?3 >= ifnull((SELECT last_row FROM message_removals WHERE source = ?1), 0)
                """
            )
            .bind(source.rawValue).bind(counted.count + counted.removed).bind(counted.upTo).run()
        }
    }

    /// Whether there is, or was, a message of this packet.
    public func hasMessage(packetID: PacketID, from: NodeNumber, in source: SourceID) throws -> Bool {
        try connection.prepare(
            "SELECT count(*) FROM messages WHERE source IN (?1, -?1) AND packet_id = ?2 AND from_node = ?3"
        )
        .bind(source.rawValue).bind(packetID).bind(from.rawValue).first { $0.flag() } ?? false
    }
}
