import MeshModel

// Messages are shown in the order in which they came, whatever the host's clock was set to meanwhile.
//
// 1. Pages go by `created_at`, which clients see and ask by, and which four indexes end in. So a message that comes after
//    a leap backwards is given the time behind the newest one, a millisecond later each. What the clock said is in
//    `timestamp`.
// 2. That lasts until the clock has caught up, which is soon after a wrong time zone or a start in 1970. After a clock that
//    was years ahead it would last for years; when it has been right for a day (Pruning), what seems to come from the
//    future is given the present time.

extension Writer {
    /// The ``Message/createdAt`` of a message that comes now: never before that of one that came earlier.
    ///
    /// - Parameter now: host milliseconds.
    public func receiptTime(_ now: Int64, in source: SourceID) throws -> Int64 {
        let newest =
            try connection.prepare("SELECT max(created_at) FROM messages INDEXED BY messages_all WHERE source = ?")
            .bind(source.rawValue).first { $0.integerOrNil() } ?? nil
        guard let newest, newest > now else { return now }
        return newest + 1
    }

    /// Gives a batch of messages that a clock has stored that was ahead the present time. It has been right for a day.
    ///
    /// - Parameter now: host milliseconds.
    /// - Returns: whether there may be more.
    func bringBackMessages(to now: Int64, batch: Int) throws -> Bool {
        var rows: [Int64] = []
        // The sources one by one: theirs is the first column of the index.
        for source in try SourceRow.ofMessages(on: connection) where rows.count < batch {
            // The oldest first, and of one time in the order of their rows: so they stay in their order.
            rows += try connection.prepare(
                """
                SELECT id FROM messages INDEXED BY messages_all WHERE source = ? AND created_at > ?
                ORDER BY created_at, id LIMIT ?
                """
            )
            .bind(source.rawValue).bind(now).bind(batch - rows.count).rows { $0.integer() }
        }
        if !rows.isEmpty { markChanged(.messages) }
        for row in rows {
            try connection.prepare(
                """
                UPDATE messages SET created_at = ?1, timestamp = min(timestamp, ?1), updated_at = min(updated_at, ?1)
                WHERE id = ?2
                """
            )
            .bind(now).bind(row).run()
        }
        if !rows.isEmpty { try moveReadMarks(to: now) }
        return rows.count == batch
    }

    /// The same for when nodes were heard.
    ///
    /// - Parameter key: of the node behind which the batch begins.
    /// - Returns: that of its last one; nil: there are no more.
    func bringBackNodes(to now: Int64, after key: Int64) throws -> Int64? {
        let batch = 64
        let keys = try connection.prepare(
            "SELECT node FROM nodes WHERE node > ? AND last_heard > ? ORDER BY node LIMIT ?"
        )
        .bind(key).bind(now / 1000).bind(batch).rows { $0.integer() }
        for key in keys {
            try updateNode(NodeNumber(UInt32(truncatingIfNeeded: key)), in: SourceID(rawValue: key >> 32), at: now) {
                $0.lastHeard = $0.lastHeard.map { min($0, now / 1000) }
            }
        }
        return keys.count == batch ? keys.last : nil
    }
}
