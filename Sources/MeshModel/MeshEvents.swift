/// The way of a packet there and back (RouteDiscovery). Intermediate nodes only; SNR in quarter dB, -128 unknown.
///
/// Relays rewrite it in flight, so the arrays may disagree in length: never index one by another.
public struct RouteDiscovery: Hashable, Sendable {
    public var route: [NodeNumber]
    public var snrTowards: [Int32]
    public var routeBack: [NodeNumber]
    public var snrBack: [Int32]

    public init(
        route: [NodeNumber] = [], snrTowards: [Int32] = [], routeBack: [NodeNumber] = [], snrBack: [Int32] = []
    ) {
        self.route = route
        self.snrTowards = snrTowards
        self.routeBack = routeBack
        self.snrBack = snrBack
    }
}

/// The nodes that a node hears directly (NeighborInfo).
public struct NeighborInfo: Hashable, Sendable {
    public struct Neighbor: Hashable, Sendable {
        public var number: NodeNumber
        /// dB.
        public var snr: Float
        /// Seconds since 1970; 0 absent.
        public var lastRxTime: UInt32
        public var broadcastInterval: UInt32

        public init(number: NodeNumber, snr: Float, lastRxTime: UInt32 = 0, broadcastInterval: UInt32 = 0) {
            self.number = number
            self.snr = snr
            self.lastRxTime = lastRxTime
            self.broadcastInterval = broadcastInterval
        }
    }

    public var number: NodeNumber
    public var lastSentBy: NodeNumber
    /// Seconds.
    public var broadcastInterval: UInt32
    public var neighbors: [Neighbor]

    public init(number: NodeNumber, lastSentBy: NodeNumber, broadcastInterval: UInt32, neighbors: [Neighbor]) {
        self.number = number
        self.lastSentBy = lastSentBy
        self.broadcastInterval = broadcastInterval
        self.neighbors = neighbors
    }
}

/// A shared point on the map (Waypoint). Its own id is the key, not the packet's.
public struct Waypoint: Hashable, Sendable {
    public var id: UInt32
    public var latitudeI: Int32?
    public var longitudeI: Int32?
    /// Seconds since 1970. 0 and Int32.max: never. A past time deletes the waypoint.
    public var expire: UInt32
    /// The only node that may change it; 0 anybody.
    public var lockedTo: NodeNumber
    public var name: String
    public var description: String
    /// A Unicode code point; 0 none.
    public var icon: UInt32
    /// Metres; 0 none.
    public var geofenceRadius: UInt32
    public var boundingBox: BoundingBox?
    public var notifyOnEnter: Bool
    public var notifyOnExit: Bool
    public var notifyFavoritesOnly: Bool

    /// - Parameter time: milliseconds since 1970.
    public func isExpired(at time: Int64) -> Bool { expire != 0 && Int64(expire) * 1000 <= time }

    public struct BoundingBox: Hashable, Sendable {
        public var west: Int32, south: Int32, east: Int32, north: Int32
        public init(west: Int32, south: Int32, east: Int32, north: Int32) {
            (self.west, self.south, self.east, self.north) = (west, south, east, north)
        }
    }

    public init(
        id: UInt32, latitudeI: Int32? = nil, longitudeI: Int32? = nil, expire: UInt32 = 0,
        lockedTo: NodeNumber = .init(0), name: String = "", description: String = "", icon: UInt32 = 0,
        geofenceRadius: UInt32 = 0, boundingBox: BoundingBox? = nil, notifyOnEnter: Bool = false,
        notifyOnExit: Bool = false, notifyFavoritesOnly: Bool = false
    ) {
        self.id = id
        self.latitudeI = latitudeI
        self.longitudeI = longitudeI
        self.expire = expire
        self.lockedTo = lockedTo
        self.name = name
        self.description = description
        self.icon = icon
        self.geofenceRadius = geofenceRadius
        self.boundingBox = boundingBox
        self.notifyOnEnter = notifyOnEnter
        self.notifyOnExit = notifyOnExit
        self.notifyFavoritesOnly = notifyFavoritesOnly
    }
}

/// Devices counted near a node (Paxcount).
public struct Paxcount: Hashable, Sendable {
    public var wifi: UInt32
    public var ble: UInt32
    /// Seconds.
    public var uptime: UInt32

    public init(wifi: UInt32, ble: UInt32, uptime: UInt32) {
        (self.wifi, self.ble, self.uptime) = (wifi, ble, uptime)
    }
}

/// The radio's word about one packet that it was given (QueueStatus).
public struct QueueStatus: Hashable, Sendable {
    /// 0 accepted, which does not mean sent; for the rest see SerialReference 2.6.
    public var result: Int32
    /// Free places in the transmit queue, of ``capacity``.
    public var free: UInt32
    public var capacity: UInt32
    /// 0: about no packet in particular.
    public var packetID: PacketID

    public init(result: Int32, free: UInt32, capacity: UInt32, packetID: PacketID) {
        self.result = result
        self.free = free
        self.capacity = capacity
        self.packetID = packetID
    }
}

/// A message from the radio to its owner (ClientNotification).
public struct ClientNotification: Hashable, Sendable {
    public var replyID: PacketID?
    /// Seconds since 1970 by the radio.
    public var time: UInt32
    /// LogRecord.Level: 0 unset, 5 trace, 10 debug, 20 info, 30 warning, 40 error, 50 critical.
    public var level: UInt32
    public var message: String

    public init(replyID: PacketID? = nil, time: UInt32, level: UInt32, message: String) {
        self.replyID = replyID
        self.time = time
        self.level = level
        self.message = message
    }
}

/// A line of the radio's own log (LogRecord).
public struct LogRecord: Hashable, Sendable {
    public var message: String
    public var time: UInt32
    public var source: String
    public var level: UInt32

    public init(message: String, time: UInt32, source: String, level: UInt32) {
        self.message = message
        self.time = time
        self.source = source
        self.level = level
    }
}
