import MeshModel

/// What a decoded packet says, by its port number.
public enum PacketContent: Hashable, Sendable {
    /// TEXT_MESSAGE, ALERT, DETECTION_SENSOR, RANGE_TEST: the text, repaired.
    case text(String)
    case position(Position)
    case nodeInfo(User)
    case routing(Routing)
    case admin(AdminMessage)
    case waypoint(Waypoint)
    case telemetry(Telemetry)
    case traceroute(RouteDiscovery)
    case neighborInfo(NeighborInfo)
    case paxcounter(Paxcount)
    case nodeStatus(String)
    case storeForward(StoreForward)
    /// A port that is kept raw.
    case raw
    /// The payload is not what its port says.
    case undecodable
}

/// ROUTING's payload.
public enum Routing: Hashable, Sendable {
    case routeRequest(RouteDiscovery)
    case routeReply(RouteDiscovery)
    /// 0 is an acknowledgement; an empty payload means that too.
    case error(RoutingError)
}

/// The AdminMessage variants that the gateway sends or reads.
public enum AdminMessage: Hashable, Sendable {
    /// Field 43, seconds since 1970.
    case setTimeOnly(UInt32)
    /// Fields 39 and 40.
    case setFavorite(NodeNumber), removeFavorite(NodeNumber)
    /// Fields 47 and 48.
    case setIgnored(NodeNumber), removeIgnored(NodeNumber)
    /// Field 38: the radio forgets the node and its key.
    case removeNode(NodeNumber)
    /// Field 66: the radio knows the node from now on, and makes it a favourite.
    case addContact(SharedContact)
    /// Any other variant, by its field number.
    case other(UInt32)
}

/// A node as one host tells a radio about it (SharedContact).
public struct SharedContact: Hashable, Sendable {
    public var number: NodeNumber
    public var user: User?
    public var shouldIgnore: Bool
    /// Its key was compared in person.
    public var isManuallyVerified: Bool

    public init(number: NodeNumber, user: User?, shouldIgnore: Bool = false, isManuallyVerified: Bool = false) {
        self.number = number
        self.user = user
        self.shouldIgnore = shouldIgnore
        self.isManuallyVerified = isManuallyVerified
    }
}

/// STORE_FORWARD's payload, as far as it matters: a replayed text, and what the server says of itself.
public enum StoreForward: Hashable, Sendable {
    /// `broadcast`: ROUTER_TEXT_BROADCAST rather than ROUTER_TEXT_DIRECT. `original`: the id of the packet that is repeated,
    /// which firmware 2.8.1 names; nil: the repetition has that id itself.
    case text(String, broadcast: Bool, original: PacketID?)
    /// ROUTER_HEARTBEAT: the sender is a store-and-forward server.
    ///
    /// `period`: seconds between two of them; nil when it does not tell.
    case heartbeat(period: UInt32?)
    /// ROUTER_STATS: how many texts the server has saved, and how many it could.
    case stats(saved: UInt32, most: UInt32)
    /// ROUTER_HISTORY: how many texts the server is going to repeat.
    case history(messages: UInt32)
    /// Any other request or response, by its number.
    case other(UInt32)
}
