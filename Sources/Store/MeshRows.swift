import MeshModel

// What nodes tell of the mesh itself: neighbours and waypoints; and what the radio tells its owner.

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
        for (place, neighbor) in info.neighbors.enumerated() {
            try connection.prepare(
                """
                INSERT INTO neighbors (node, place, number, snr, last_rx_time, broadcast_interval)
                VALUES (?, ?, ?, ?, ?, ?)
                """
            )
            .bind(key).bind(place).bind(neighbor.number.rawValue).bind(Double(neighbor.snr))
            .bind(neighbor.lastRxTime).bind(neighbor.broadcastInterval).run()
        }
    }

    /// Host milliseconds of the node's last report; nil when it has made none.
    public func neighborsReported(by node: NodeNumber, in source: SourceID) throws -> Int64? {
        try connection.prepare("SELECT at FROM neighbor_reports WHERE node = ?").bind(source.key(node))
            .first { $0.integer() }
    }

    public func waypoint(id: UInt32, in source: SourceID) throws -> Waypoint? {
        try connection.prepare(composed: WaypointRow.select + " AND id = ?").bind(source.rawValue).bind(id)
            .first(WaypointRow.read)?.value
    }

    /// - Parameter from: who sent it.
    public func upsertWaypoint(_ waypoint: Waypoint, from: NodeNumber, in source: SourceID, at now: Int64) throws {
        markChanged(.waypoints)
        let statement = try connection.prepare(
            """
            INSERT OR REPLACE INTO waypoints (source, id, from_node, at, latitude_i, longitude_i, expire, locked_to,
                name, description, icon, geofence_radius, west, south, east, north, notify_on_enter, notify_on_exit,
                notify_favorites_only)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        let box = waypoint.boundingBox
        statement.bind(source.rawValue).bind(waypoint.id).bind(from.rawValue).bind(now).bind(waypoint.latitudeI)
            .bind(waypoint.longitudeI).bind(waypoint.expire).bind(waypoint.lockedTo.rawValue)
        statement.bind(waypoint.name).bind(waypoint.description).bind(waypoint.icon).bind(waypoint.geofenceRadius)
            .bind(box?.west).bind(box?.south).bind(box?.east).bind(box?.north)
        try statement.bind(waypoint.notifyOnEnter).bind(waypoint.notifyOnExit).bind(waypoint.notifyFavoritesOnly).run()
        note(.waypoint(waypoint.id), of: Int64(waypoint.id), in: source)
    }

    public func deleteWaypoint(id: UInt32, in source: SourceID) throws {
        try connection.prepare("DELETE FROM waypoints WHERE source = ? AND id = ?")
            .bind(source.rawValue).bind(id).run()
        guard connection.changes > 0 else { return }
        markChanged(.waypoints)
        note(.waypointDeleted(id, channel: nil), of: .packed(id, channel: nil), in: source)
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

    /// Every neighbour of the last reports, by node number and then in the report's order.
    public func neighborLinks(in source: SourceID) throws -> [NeighborLink] {
        try connection.prepare(
            """
            SELECT n.node, n.place, n.number, n.snr, n.last_rx_time, r.at, EXISTS (
                SELECT 1 FROM neighbors b WHERE b.node = ((n.node >> 32) << 32 | n.number)
                    AND b.number = (n.node & 4294967295))
            FROM neighbors n JOIN neighbor_reports r ON r.node = n.node
            WHERE n.node BETWEEN ? AND ? ORDER BY n.node, n.place
            """
        )
        .bind(source.key(NodeNumber(0))).bind(source.key(.broadcast)).rows { row in
            NeighborLink(
                node: NodeNumber(row.unsigned()), place: Int(row.integer()), neighbor: NodeNumber(row.unsigned()),
                snr: row.doubleOrNil() ?? 0, lastRxTime: row.unsigned(), at: row.integer(),
                isBidirectional: row.flag())
        }
    }

    /// By id; ``Record/node`` is who sent it.
    public func waypoints(in source: SourceID) throws -> [Record<Waypoint>] {
        try connection.prepare(composed: WaypointRow.select + " ORDER BY id").bind(source.rawValue)
            .rows(WaypointRow.read)
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

private enum WaypointRow {
    static let select = """
        SELECT id, from_node, at, latitude_i, longitude_i, expire, locked_to, name, description, icon, geofence_radius,
            west, south, east, north, notify_on_enter, notify_on_exit, notify_favorites_only
        FROM waypoints WHERE source = ?
        """

    static func read(_ row: Statement) -> Record<Waypoint> {
        let id = row.unsigned()
        let from = NodeNumber(row.unsigned())
        let at = row.integer()
        var waypoint = Waypoint(
            id: id, latitudeI: row.signedOrNil(), longitudeI: row.signedOrNil(), expire: row.unsigned(),
            lockedTo: NodeNumber(row.unsigned()), name: row.text(), description: row.text(), icon: row.unsigned(),
            geofenceRadius: row.unsigned())
        let edges = (row.signedOrNil(), row.signedOrNil(), row.signedOrNil(), row.signedOrNil())
        if case (let west?, let south?, let east?, let north?) = edges {
            waypoint.boundingBox = .init(west: west, south: south, east: east, north: north)
        }
        waypoint.notifyOnEnter = row.flag()
        waypoint.notifyOnExit = row.flag()
        waypoint.notifyFavoritesOnly = row.flag()
        return Record(id: Int64(id), node: from, at: at, value: waypoint)
    }
}
