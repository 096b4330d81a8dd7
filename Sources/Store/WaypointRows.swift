import MeshModel

// Points on the map that nodes share. A waypoint is known by its own id, whichever node sends it.

extension Schema {
    /// Nil: a direct message. In rows from before nobody knows on which channel they came: they count as such.
    static let waypointChannels = """
        ALTER TABLE waypoints ADD COLUMN channel INTEGER;
        """
}

extension Writer {
    /// With who sent it last, and on which channel.
    public func waypointRecord(id: UInt32, in source: SourceID) throws -> Record<Waypoint>? {
        try WaypointRow.one(id, in: source, on: connection)
    }

    public func waypoint(id: UInt32, in source: SourceID) throws -> Waypoint? {
        try waypointRecord(id: id, in: source)?.value
    }

    /// - Parameters:
    ///   - from: who sent it; of a direct message the other node.
    ///   - channel: on which, 0 to 7 or one of the gateway's own; nil: a direct message, or not known.
    public func upsertWaypoint(
        _ waypoint: Waypoint, from: NodeNumber, channel: Int? = nil, in source: SourceID, at now: Int64
    ) throws {
        try forgetExpired(but: waypoint.id, in: source, at: now)
        markChanged(.waypoints)
        let statement = try connection.prepare(
            """
            INSERT OR REPLACE INTO waypoints (source, id, from_node, at, latitude_i, longitude_i, expire, locked_to,
                name, description, icon, geofence_radius, west, south, east, north, notify_on_enter, notify_on_exit,
                notify_favorites_only, channel)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        let box = waypoint.boundingBox
        statement.bind(source.rawValue).bind(waypoint.id).bind(from.rawValue).bind(now).bind(waypoint.latitudeI)
            .bind(waypoint.longitudeI).bind(waypoint.expire).bind(waypoint.lockedTo.rawValue)
        statement.bind(waypoint.name).bind(waypoint.description).bind(waypoint.icon).bind(waypoint.geofenceRadius)
            .bind(box?.west).bind(box?.south).bind(box?.east).bind(box?.north)
        try statement.bind(waypoint.notifyOnEnter).bind(waypoint.notifyOnExit).bind(waypoint.notifyFavoritesOnly)
            .bind(channel).run()
        note(.waypoint(waypoint.id), of: Int64(waypoint.id), in: source)
        try forgetOldest(in: source)
    }

    public func deleteWaypoint(id: UInt32, in source: SourceID) throws {
        guard let known = try waypointRecord(id: id, in: source) else { return }
        try connection.prepare("DELETE FROM waypoints WHERE source = ? AND id = ?")
            .bind(source.rawValue).bind(id).run()
        markChanged(.waypoints)
        // A token that may not know of it need not know that it is gone.
        let channel = known.channel.map { Int($0) }
        note(.waypointDeleted(id, channel: channel), of: .packed(id, channel: channel), in: source)
    }

    /// What a clock that is far ahead or behind says is nothing to delete by: a day of slack.
    private func forgetExpired(but id: UInt32, in source: SourceID, at now: Int64) throws {
        let ids = try connection.prepare("SELECT id FROM waypoints WHERE source = ? AND expire BETWEEN 1 AND ?")
            .bind(source.rawValue).bind(min(now / 1000 - 86_400, Int64(Int32.max) - 1)).rows { $0.unsigned() }
        for other in ids where other != id { try deleteWaypoint(id: other, in: source) }
    }
}

extension Writer {
    /// Waypoints of a source: anybody can make up as many as he likes. The radio's own ones stay in any case.
    static let waypointLimit = 2_000

    private func forgetOldest(in source: SourceID) throws {
        let ids = try connection.prepare(
            composed: """
                SELECT id FROM waypoints WHERE source = ?1
                    AND from_node IS NOT (SELECT node_number FROM sources WHERE id = ?1)
                ORDER BY at DESC, id LIMIT -1 OFFSET \(Self.waypointLimit)
                """
        ).bind(source.rawValue).rows { $0.unsigned() }
        for id in ids { try deleteWaypoint(id: id, in: source) }
    }
}

extension Reader {
    /// By id; ``Record/node`` is who sent it.
    public func waypoints(in source: SourceID) throws -> [Record<Waypoint>] {
        try connection.prepare(composed: WaypointRow.select + " ORDER BY id").bind(source.rawValue)
            .rows(WaypointRow.read)
    }

    /// The ids of those that are wanted, in their order: slices are then read by them.
    public func waypointIDs(
        in source: SourceID, where isWanted: (Record<Waypoint>) -> Bool
    ) throws -> [UInt32] {
        try connection.prepare(composed: WaypointRow.select + " ORDER BY id").bind(source.rawValue)
            .rows { row in
                let record = WaypointRow.read(row)
                return isWanted(record) ? record.value.id : nil
            }.compactMap { $0 }
    }

    public func waypoint(id: UInt32, in source: SourceID) throws -> Record<Waypoint>? {
        try WaypointRow.one(id, in: source, on: connection)
    }
}

private enum WaypointRow {
    static let select = """
        SELECT id, from_node, at, latitude_i, longitude_i, expire, locked_to, name, description, icon, geofence_radius,
            west, south, east, north, notify_on_enter, notify_on_exit, notify_favorites_only, channel
        FROM waypoints WHERE source = ?
        """

    static func one(
        _ id: UInt32, in source: SourceID, on connection: DatabaseConnection
    ) throws -> Record<Waypoint>? {
        try connection.prepare(composed: select + " AND id = ?").bind(source.rawValue).bind(id).first(read)
    }

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
        let channel = row.unsignedOrNil()
        return Record(id: Int64(id), node: from, at: at, channel: channel, value: waypoint)
    }
}
