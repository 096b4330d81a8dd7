import MeshModel

// Somebody has set the host's clock while the gateway runs.
//
// 1. What waits in the outbox, or for a target, has a time by which it must be sent. It is moved with the clock: a leap
//    neither ends the waiting nor makes it longer.
// 2. A Raspberry Pi starts in 1970 and learns the time minutes or days later. What was stored until then is given the
//    times that the clock would have shown. Of a clock that was wrong but plausible nobody knows whether it was wrong
//    before or is now: those times stay. Followers read such rows again.

extension Writer {
    /// The clock was set.
    ///
    /// - Parameters:
    ///   - leap: milliseconds; negative: backwards.
    ///   - before: what it showed when it was set, in host milliseconds.
    public func clockWasSet(by leap: Int64, at before: Int64) throws {
        // What seems to come from later was accepted by an earlier run, whose clock was right, or by a wrong one.
        try connection.prepare(
            """
            UPDATE outbox SET created_at = created_at + ?1, not_before = not_before + ?1, expires_at = expires_at + ?1,
                handed_at = handed_at + ?1
            WHERE created_at <= ?2
            """
        )
        .bind(leap).bind(before).run()
        if connection.changes > 0 { markChanged(.outbox) }
        // They wait for a day.
        try connection.prepare(
            "UPDATE broker_outbox SET expires_at = expires_at + ?1 WHERE expires_at - 86400000 <= ?2"
        )
        .bind(leap).bind(before).run()
        try connection.prepare("UPDATE dispatches SET at = at + ?1 WHERE at <= ?2").bind(leap).bind(before).run()
        let earliest = PlausibleTime.earliestMilliseconds
        guard before < earliest, before + leap >= earliest else { return }
        try change(as: .corrected) { try correctRows(by: leap, from: before) }
        // Their times are others now, and counts go by hours.
        recentPackets = nil
        happeningCounts = nil
        try forgetChanges()
    }

    private func correctRows(by leap: Int64, from before: Int64) throws {
        let earliest = PlausibleTime.earliestMilliseconds
        for table in AgingTable.allCases where table != .feed { try correct(table, by: leap) }
        try correctFeed(by: leap, before: earliest)
        // As the feed tells it.
        try connection.prepare("UPDATE dispatches SET told_at = told_at + ?1 WHERE told_at < ?2")
            .bind(leap).bind(earliest).run()
        try moveReadMarks()
        try connection.prepare(
            "UPDATE conversation_mutes SET muted_until = muted_until + ?1 WHERE muted_until < ?2"
        )
        .bind(leap).bind(earliest).run()
        try correctNodes(by: leap, at: before + leap)
        for (table, column) in [("neighbor_reports", "at"), ("waypoints", "at"), ("sources", "created_at")] {
            try connection.prepare(composed: "UPDATE \(table) SET \(column) = \(column) + ?1 WHERE \(column) < ?2")
                .bind(leap).bind(earliest).run()
        }
        // A day on which a token ends was given as such; a time from then on was counted from a wrong time.
        try connection.prepare(
            """
            UPDATE tokens SET expires_at = iif(expires_at < ?2, expires_at + ?1, expires_at),
                last_used_at = iif(last_used_at < ?2, last_used_at + ?1, last_used_at),
                created_at = iif(created_at < ?2, created_at + ?1, created_at)
            """
        )
        .bind(leap).bind(earliest).run()
        try correctForgottenNodes(by: leap, before: earliest)
        try correctRegistrations(by: leap, before: earliest)
        for topic in [Topic.neighbors, .waypoints, .sources, .tokens] { markChanged(topic) }
    }

    /// The rows behind the last one that was stored by a clock that was right.
    private func correct(_ table: AgingTable, by leap: Int64) throws {
        let earliest = PlausibleTime.earliestMilliseconds
        let column = table == .messages ? "timestamp" : "at"
        let last = try connection.prepare(
            composed: "SELECT id FROM \(table.name) NOT INDEXED WHERE \(column) >= ? ORDER BY id DESC LIMIT 1"
        )
        .bind(earliest).first { $0.integer() }
        let change =
            switch table {
            // Its place is behind what came before (ReceiptOrder).
            case .messages:
                """
                created_at = max(created_at, timestamp + ?1), timestamp = timestamp + ?1,
                rx_time = iif(rx_time < ?2, rx_time + ?1, rx_time),
                acked_at = iif(acked_at < ?2, acked_at + ?1, acked_at),
                updated_at = iif(updated_at < ?2, updated_at + ?1, updated_at)
                """
            case .traceroutes: "at = at + ?1, answered_at = iif(answered_at < ?2, answered_at + ?1, answered_at)"
            case .happened: "at = at + ?1, since = iif(since < ?2, since + ?1, since)"
            default: "at = at + ?1"
            }
        try connection.prepare(
            composed: "UPDATE \(table.name) NOT INDEXED SET \(change) WHERE id > ?3 AND \(column) < ?2"
        )
        .bind(leap).bind(earliest).bind(last ?? .min).run()
        if connection.changes > 0, let topic = table.topic { markChanged(topic) }
    }

    private func correctNodes(by leap: Int64, at now: Int64) throws {
        let earliest = PlausibleTime.earliestMilliseconds
        var keys = try connection.prepare("SELECT node FROM nodes WHERE updated_at < ? OR created_at < ?1")
            .bind(earliest).rows { $0.integer() }
        // Not written yet.
        keys += nodes.dirty
        for key in keys {
            try updateNode(NodeNumber(UInt32(truncatingIfNeeded: key)), in: SourceID(rawValue: key >> 32), at: now) {
                $0.correct(by: leap)
            }
        }
    }
}

extension Node {
    /// Times that the host's clock gave before it was right.
    fileprivate mutating func correct(by leap: Int64) {
        let earliest = PlausibleTime.earliestMilliseconds
        for time in [\Node.lastHeard, \.lastHeardRF, \.lastHeardMQTT, \.lastHeardUDP] {
            if let seconds = self[keyPath: time], seconds < earliest / 1000 {
                self[keyPath: time] = seconds + leap / 1000
            }
        }
        for time in [
            \Node.positionTimestamp, \.statusUpdatedAt, \.lastPKIPacket, \.lastTracerouteRequest, \.keyDoubtedAt,
            \.sameKeySince, \.favoriteMissingSince,
        ] {
            if let milliseconds = self[keyPath: time], milliseconds < earliest {
                self[keyPath: time] = milliseconds + leap
            }
        }
        if createdAt < earliest { createdAt += leap }
    }
}
