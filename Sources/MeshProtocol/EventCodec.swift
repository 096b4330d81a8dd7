import CMeshtastic
import MeshModel

extension RouteDiscovery {
    init(_ m: Meshtastic__RouteDiscovery) {
        self.init(
            route: copy(m.route, m.n_route).map { NodeNumber($0) }, snrTowards: copy(m.snr_towards, m.n_snr_towards),
            routeBack: copy(m.route_back, m.n_route_back).map { NodeNumber($0) },
            snrBack: copy(m.snr_back, m.n_snr_back))
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__RouteDiscovery> {
        arena.make(meshtastic__route_discovery__init) { m in
            (m.n_route, m.route) = (route.count, arena.array(route.map(\.rawValue)))
            (m.n_snr_towards, m.snr_towards) = (snrTowards.count, arena.array(snrTowards))
            (m.n_route_back, m.route_back) = (routeBack.count, arena.array(routeBack.map(\.rawValue)))
            (m.n_snr_back, m.snr_back) = (snrBack.count, arena.array(snrBack))
        }
    }

    /// The payload of a TRACEROUTE packet.
    public func encoded() -> [UInt8] { packed(wire) }
}

extension NeighborInfo {
    init(_ m: Meshtastic__NeighborInfo) {
        self.init(
            number: NodeNumber(m.node_id), lastSentBy: NodeNumber(m.last_sent_by_id),
            broadcastInterval: m.node_broadcast_interval_secs,
            neighbors: copy(m.neighbors, m.n_neighbors).compactMap { $0.map { Neighbor($0.pointee) } })
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__NeighborInfo> {
        arena.make(meshtastic__neighbor_info__init) { m in
            (m.has_node_id, m.node_id) = implicit(number.rawValue)
            (m.has_last_sent_by_id, m.last_sent_by_id) = implicit(lastSentBy.rawValue)
            (m.has_node_broadcast_interval_secs, m.node_broadcast_interval_secs) = implicit(broadcastInterval)
            m.n_neighbors = neighbors.count
            m.neighbors = arena.array(neighbors.map { Optional($0.wire(arena)) })
        }
    }

    /// The payload of a NEIGHBORINFO packet.
    public func encoded() -> [UInt8] { packed(wire) }
}

extension NeighborInfo.Neighbor {
    init(_ m: Meshtastic__Neighbor) {
        self.init(
            number: NodeNumber(m.node_id), snr: finite(m.snr), lastRxTime: m.last_rx_time,
            broadcastInterval: m.node_broadcast_interval_secs)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Neighbor> {
        arena.make(meshtastic__neighbor__init) { m in
            (m.has_node_id, m.node_id) = implicit(number.rawValue)
            (m.has_snr, m.snr) = implicit(snr)
            (m.has_last_rx_time, m.last_rx_time) = implicit(lastRxTime)
            (m.has_node_broadcast_interval_secs, m.node_broadcast_interval_secs) = implicit(broadcastInterval)
        }
    }
}

extension Waypoint {
    init(_ m: Meshtastic__Waypoint) {
        self.init(
            id: m.id, latitudeI: m.has_latitude_i != 0 ? m.latitude_i : nil,
            longitudeI: m.has_longitude_i != 0 ? m.longitude_i : nil, expire: m.expire,
            lockedTo: NodeNumber(m.locked_to), name: nameField(m.name), description: textField(m.description),
            icon: m.icon, geofenceRadius: m.geofence_radius,
            boundingBox: m.bounding_box.map { box in
                BoundingBox(
                    west: box.pointee.longitude_west_i, south: box.pointee.latitude_south_i,
                    east: box.pointee.longitude_east_i, north: box.pointee.latitude_north_i)
            },
            notifyOnEnter: m.notify_on_enter != 0, notifyOnExit: m.notify_on_exit != 0,
            notifyFavoritesOnly: m.notify_favorites_only != 0)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Waypoint> {
        arena.make(meshtastic__waypoint__init) { m in
            (m.has_id, m.id) = implicit(id)
            (m.has_latitude_i, m.latitude_i) = explicit(latitudeI)
            (m.has_longitude_i, m.longitude_i) = explicit(longitudeI)
            (m.has_expire, m.expire) = implicit(expire)
            (m.has_locked_to, m.locked_to) = implicit(lockedTo.rawValue)
            m.name = arena.string(name)
            m.description = arena.string(description)
            (m.has_icon, m.icon) = implicit(icon)
            (m.has_geofence_radius, m.geofence_radius) = implicit(geofenceRadius)
            m.bounding_box = boundingBox.map { box in
                arena.make(meshtastic__bounding_box__init) { b in
                    (b.has_longitude_west_i, b.longitude_west_i) = implicit(box.west)
                    (b.has_latitude_south_i, b.latitude_south_i) = implicit(box.south)
                    (b.has_longitude_east_i, b.longitude_east_i) = implicit(box.east)
                    (b.has_latitude_north_i, b.latitude_north_i) = implicit(box.north)
                }
            }
            (m.has_notify_on_enter, m.notify_on_enter) = implicit(notifyOnEnter)
            (m.has_notify_on_exit, m.notify_on_exit) = implicit(notifyOnExit)
            (m.has_notify_favorites_only, m.notify_favorites_only) = implicit(notifyFavoritesOnly)
        }
    }

    /// The payload of a WAYPOINT packet.
    public func encoded() -> [UInt8] { packed(wire) }
}

extension Paxcount {
    init(_ m: Meshtastic__Paxcount) {
        self.init(wifi: m.wifi, ble: m.ble, uptime: m.uptime)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Paxcount> {
        arena.make(meshtastic__paxcount__init) { m in
            (m.has_wifi, m.wifi) = implicit(wifi)
            (m.has_ble, m.ble) = implicit(ble)
            (m.has_uptime, m.uptime) = implicit(uptime)
        }
    }

    /// The payload of a PAXCOUNTER packet.
    public func encoded() -> [UInt8] { packed(wire) }
}

extension QueueStatus {
    init(_ m: Meshtastic__QueueStatus) {
        self.init(result: m.res, free: m.free, capacity: m.maxlen, packetID: m.mesh_packet_id)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__QueueStatus> {
        arena.make(meshtastic__queue_status__init) { m in
            (m.has_res, m.res) = implicit(result)
            (m.has_free, m.free) = implicit(free)
            (m.has_maxlen, m.maxlen) = implicit(capacity)
            (m.has_mesh_packet_id, m.mesh_packet_id) = implicit(packetID)
        }
    }
}

extension ClientNotification {
    init(_ m: Meshtastic__ClientNotification) {
        self.init(
            replyID: m.has_reply_id != 0 ? m.reply_id : nil, time: m.time, level: m.level.rawValue,
            message: textField(m.message))
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__ClientNotification> {
        arena.make(meshtastic__client_notification__init) { m in
            (m.has_reply_id, m.reply_id) = explicit(replyID)
            (m.has_time, m.time) = implicit(time)
            (m.has_level, m.level) = implicit(enum: level)
            m.message = arena.string(message)
        }
    }
}

extension LogRecord {
    init(_ m: Meshtastic__LogRecord) {
        self.init(message: textField(m.message), time: m.time, source: nameField(m.source), level: m.level.rawValue)
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__LogRecord> {
        arena.make(meshtastic__log_record__init) { m in
            m.message = arena.string(message)
            (m.has_time, m.time) = implicit(time)
            m.source = arena.string(source)
            (m.has_level, m.level) = implicit(enum: level)
        }
    }
}

extension LockdownStatus {
    init(_ m: Meshtastic__LockdownStatus) {
        self.init(state: m.state.rawValue, reason: textField(m.lock_reason))
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__LockdownStatus> {
        arena.make(meshtastic__lockdown_status__init) { m in
            (m.has_state, m.state) = implicit(enum: state)
            m.lock_reason = arena.string(reason)
        }
    }
}
