import MeshModel

/// How long what the mesh repeats is kept. Messages and nodes are kept for ever.
public enum Retention {
    /// Rows of the packet log, of each source.
    public static let packets = 50_000
    /// Milliseconds.
    public static let packetAge: Int64 = 7 * 86_400_000
    /// Milliseconds: telemetry, positions, people counted, status texts, notifications.
    public static let reportAge: Int64 = 30 * 86_400_000
}

extension Writer {
    /// Deletes what ``Retention`` no longer keeps.
    ///
    /// - Parameter now: host milliseconds.
    /// - Returns: how many rows.
    @discardableResult
    public func prune(now: Int64) throws -> Int {
        var deleted = 0
        for (source, _) in try sources() {
            let first = try connection.prepare(
                "SELECT id FROM packets WHERE source = ? ORDER BY id DESC LIMIT 1 OFFSET ?"
            )
            .bind(source.rawValue).bind(Retention.packets - 1).first { $0.integer() }
            guard let first else { continue }
            try connection.prepare("DELETE FROM packets WHERE source = ? AND id < ?")
                .bind(source.rawValue).bind(first).run()
            if connection.changes > 0 { touch(.packets) }
            deleted += connection.changes
        }
        deleted += try prune("packets", .packets, olderThan: Retention.packetAge, now)
        deleted += try prune("telemetry", .telemetry, olderThan: Retention.reportAge, now)
        deleted += try prune("positions", .positions, olderThan: Retention.reportAge, now)
        deleted += try prune("paxcounts", .paxcounts, olderThan: Retention.reportAge, now)
        deleted += try prune("node_statuses", .nodeStatuses, olderThan: Retention.reportAge, now)
        deleted += try prune("notifications", .notifications, olderThan: Retention.reportAge, now)
        return deleted
    }

    /// Rows are stored in the order of time, so that looking through the old ones is enough. A day in the future is
    /// taken for the past: the clock was wrong then, and must not keep everything behind it alive.
    private func prune(_ table: String, _ topic: Topic, olderThan age: Int64, _ now: Int64) throws -> Int {
        let kept = try connection.prepare(
            composed: "SELECT id FROM \(table) WHERE at >= ? AND at <= ? ORDER BY id LIMIT 1"
        )
        .bind(now - age).bind(now + 86_400_000).first { $0.integer() }
        let statement = try connection.prepare(composed: "DELETE FROM \(table) WHERE id < ?")
        try statement.bind(kept ?? Int64.max).run()
        if connection.changes > 0 { touch(topic) }
        return connection.changes
    }
}
