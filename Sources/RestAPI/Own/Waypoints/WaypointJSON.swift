import Gateway
import JSON
import MeshModel
import Routes
import Store

extension Caller {
    func maySee(_ waypoint: Record<Waypoint>) -> Bool { maySeeWaypoint(on: waypoint.channel.map { Int($0) }) }

    /// A channel's number is a slot of the radio's, or stands for one of the gateway's own.
    func mayWriteWaypoint(on channel: Int?) -> Bool {
        guard let channel else { return may(.write, .messages) }
        return may(.write, (0...7).contains(channel) ? .channel(channel) : .channelDatabase)
    }
}

extension JSONWriter {
    /// One row of `waypoints`. MeshMonitor serves none below v1: the names are those of its own columns.
    ///
    /// - Parameter own: the number of the source's radio, which may change what it has locked.
    mutating func waypoint(_ record: Record<Waypoint>, source: String, own: NodeNumber?) {
        let waypoint = record.value
        let lock = waypoint.lockedTo.rawValue
        object { json in
            json.member("waypointId", waypoint.id)
            json.member("ownerNodeNum", record.node.rawValue)
            json.member("ownerNodeId", record.node.id)
            json.member("name", waypoint.name)
            json.member("description", waypoint.description)
            json.member("latitude", waypoint.latitudeI.map { Double($0) / 1e7 })
            json.member("longitude", waypoint.longitudeI.map { Double($0) / 1e7 })
            json.member("iconCodepoint", waypoint.icon == 0 ? nil : waypoint.icon)
            json.member("icon", waypoint.iconText)
            json.member("expireAt", waypoint.end)
            json.member("lockedTo", lock == 0 ? nil : lock)
            json.member("isChangeable", lock == 0 || waypoint.lockedTo == own)
            json.member("channel", record.channel)
            json.member("geofenceRadius", waypoint.geofenceRadius == 0 ? nil : waypoint.geofenceRadius)
            json.member("lastUpdatedAt", record.at)
            json.member("sourceId", source)
        }
    }
}
