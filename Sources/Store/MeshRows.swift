import MeshModel

// What nodes tell of the mesh itself: their neighbours; and what the radio tells its owner.

extension Writer {
    /// Makes this the report of ``NeighborInfo/number``.
    public func replaceNeighbors(_ info: NeighborInfo, in source: SourceID, at now: Int64) throws {
        markChanged(.neighbors)
        let key = source.key(info.number)
        try connection.prepare(
            "INSERT OR REPLACE INTO neighbor_reports (node, at, last_sent_by, broadcast_interval) VALUES (?, ?, ?, ?)"
        )
        .bind(key).bind(now).bind(info.lastSentBy.rawValue).bind(info.broadcastInterval).run()
        try connection.prepare("DELETE FROM neighbors WHERE node = ?").bind(key).run()
        for (place, neighbor) in info.neighbors.prefix(Self.neighborLimit).enumerated() {
            try connection.prepare(
                """
                INSERT INTO neighbors (node, place, number, snr, last_rx_time, broadcast_interval)
                VALUES (?, ?, ?, ?, ?, ?)
                """
            )
            .bind(key).bind(place).bind(neighbor.number.rawValue).bind(Double(neighbor.snr))
            .bind(neighbor.lastRxTime).bind(neighbor.broadcastInterval).run()
        }
        try forgetOldestReports(in: source)
    }

    /// Neighbours of a node that are kept. Firmware lists ten, and reads no more.
    static let neighborLimit = 16
    /// Reports of a source. They are not signed: anybody can make up as many as he likes.
    static let neighborReportLimit = 2_000

    private func forgetOldestReports(in source: SourceID) throws {
        let (first, last) = (source.key(NodeNumber(0)), source.key(NodeNumber.broadcast))
        let count =
            try connection.prepare("SELECT count(*) FROM neighbor_reports WHERE node BETWEEN ? AND ?")
            .bind(first).bind(last).first { Int($0.integer()) } ?? 0
        guard count > Self.neighborReportLimit else { return }
        // Some at once, so that a flood of them does not have all of them sorted with each.
        let nodes = try connection.prepare(
            composed: """
                SELECT node FROM neighbor_reports WHERE node BETWEEN ? AND ? ORDER BY at DESC, node
                LIMIT -1 OFFSET \(Self.neighborReportLimit * 15 / 16)
                """
        ).bind(first).bind(last).rows { $0.integer() }
        for node in nodes {
            try connection.prepare("DELETE FROM neighbor_reports WHERE node = ?").bind(node).run()
            try connection.prepare("DELETE FROM neighbors WHERE node = ?").bind(node).run()
        }
    }

    /// Host milliseconds of the node's last report; nil when it has made none.
    public func neighborsReported(by node: NodeNumber, in source: SourceID) throws -> Int64? {
        try connection.prepare("SELECT at FROM neighbor_reports WHERE node = ?").bind(source.key(node))
            .first { $0.integer() }
    }

    public func insertNotification(_ notification: ClientNotification, in source: SourceID, at now: Int64) throws {
        markChanged(.notifications)
        try connection.prepare(
            "INSERT INTO notifications (source, at, reply_id, time, level, message) VALUES (?, ?, ?, ?, ?, ?)"
        )
        .bind(source.rawValue).bind(now).bind(notification.replyID).bind(notification.time).bind(notification.level)
        .bind(notification.message).run()
    }
}

extension Reader {
    /// The last report of each node, by node number.
    public func neighbors(in source: SourceID) throws -> [Record<NeighborInfo>] {
        let first = source.key(NodeNumber(0)), last = source.key(.broadcast)
        let neighbors = try connection.prepare(
            """
            SELECT node, number, snr, last_rx_time, broadcast_interval FROM neighbors
            WHERE node BETWEEN ? AND ? ORDER BY node, place
            """
        )
        .bind(first).bind(last).rows { row in
            let key = row.integer()
            return (
                key,
                NeighborInfo.Neighbor(
                    number: NodeNumber(row.unsigned()), snr: Float(row.doubleOrNil() ?? 0),
                    lastRxTime: row.unsigned(), broadcastInterval: row.unsigned())
            )
        }
        let byNode = Dictionary(grouping: neighbors, by: \.0)
        return try connection.prepare(
            """
            SELECT node, at, last_sent_by, broadcast_interval FROM neighbor_reports
            WHERE node BETWEEN ? AND ? ORDER BY node
            """
        )
        .bind(first).bind(last).rows { row in
            let key = row.integer()
            let number = NodeNumber(UInt32(truncatingIfNeeded: key))
            let at = row.integer()
            let info = NeighborInfo(
                number: number, lastSentBy: NodeNumber(row.unsigned()), broadcastInterval: row.unsigned(),
                neighbors: byNode[key]?.map(\.1) ?? [])
            return Record(id: key, node: number, at: at, value: info)
        }
    }

    /// Newest first.
    public func notifications(
        in source: SourceID, limit: Int = 100, offset: Int = 0
    ) throws -> [(at: Int64, notification: ClientNotification)] {
        try connection.prepare(
            """
            SELECT at, reply_id, time, level, message FROM notifications WHERE source = ?
            ORDER BY id DESC LIMIT ? OFFSET ?
            """
        )
        .bind(source.rawValue).bind(max(limit, 0)).bind(max(offset, 0)).rows { row in
            (
                row.integer(),
                ClientNotification(
                    replyID: row.unsignedOrNil(), time: row.unsigned(), level: row.unsigned(), message: row.text())
            )
        }
    }
}
