import CMeshtastic
import MeshModel

extension PacketContent {
    /// Reads the payload as what its port number says.
    public init(_ data: MeshData) {
        self = data.payload.withUnsafeBytes { Self.read($0, port: data.port) }
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, port: PortNumber) -> PacketContent {
        switch port {
        case .textMessage, .alert, .detectionSensor, .rangeTest: .text(repairedText(bytes))
        case .position:
            unpacked(bytes, meshtastic__position__unpack, meshtastic__position__free_unpacked) {
                .position(Position($0))
            } ?? .undecodable
        case .nodeInfo:
            unpacked(bytes, meshtastic__user__unpack, meshtastic__user__free_unpacked) { .nodeInfo(User($0)) }
                ?? .undecodable
        case .routing:
            unpacked(bytes, meshtastic__routing__unpack, meshtastic__routing__free_unpacked) { m in
                Routing(m, isEmpty: bytes.isEmpty).map { .routing($0) } ?? .raw
            } ?? .undecodable
        case .admin:
            unpacked(bytes, meshtastic__admin_message__unpack, meshtastic__admin_message__free_unpacked) {
                .admin(AdminMessage($0))
            } ?? .undecodable
        case .waypoint:
            unpacked(bytes, meshtastic__waypoint__unpack, meshtastic__waypoint__free_unpacked) {
                .waypoint(Waypoint($0))
            } ?? .undecodable
        case .paxcounter:
            unpacked(bytes, meshtastic__paxcount__unpack, meshtastic__paxcount__free_unpacked) {
                .paxcounter(Paxcount($0))
            } ?? .undecodable
        case .nodeStatus:
            unpacked(bytes, meshtastic__status_message__unpack, meshtastic__status_message__free_unpacked) {
                .nodeStatus(textField($0.status))
            } ?? .undecodable
        case .storeForward:
            unpacked(bytes, meshtastic__store_and_forward__unpack, meshtastic__store_and_forward__free_unpacked) {
                .storeForward(StoreForward($0))
            } ?? .undecodable
        case .telemetry:
            unpacked(bytes, meshtastic__telemetry__unpack, meshtastic__telemetry__free_unpacked) { m in
                Telemetry(m).map { .telemetry($0) } ?? .raw
            } ?? .undecodable
        case .traceroute:
            unpacked(bytes, meshtastic__route_discovery__unpack, meshtastic__route_discovery__free_unpacked) {
                .traceroute(RouteDiscovery($0))
            } ?? .undecodable
        case .neighborInfo:
            unpacked(bytes, meshtastic__neighbor_info__unpack, meshtastic__neighbor_info__free_unpacked) {
                .neighborInfo(NeighborInfo($0))
            } ?? .undecodable
        default: .raw
        }
    }
}

extension Routing {
    /// Nil for a variant that we do not know: it must not pass for an acknowledgement.
    init?(_ m: Meshtastic__Routing, isEmpty: Bool) {
        switch m.variant_case {
        case MESHTASTIC__ROUTING__VARIANT_ROUTE_REQUEST: self = .routeRequest(RouteDiscovery(m.route_request.pointee))
        case MESHTASTIC__ROUTING__VARIANT_ROUTE_REPLY: self = .routeReply(RouteDiscovery(m.route_reply.pointee))
        case MESHTASTIC__ROUTING__VARIANT_ERROR_REASON:
            self = .error(RoutingError(rawValue: m.error_reason.rawValue))
        default:
            if !isEmpty { return nil }
            self = .error(.none)
        }
    }

    func wire(_ arena: Arena) -> UnsafeMutablePointer<Meshtastic__Routing> {
        arena.make(meshtastic__routing__init) { m in
            switch self {
            case .routeRequest(let route):
                m.variant_case = MESHTASTIC__ROUTING__VARIANT_ROUTE_REQUEST
                m.route_request = route.wire(arena)
            case .routeReply(let route):
                m.variant_case = MESHTASTIC__ROUTING__VARIANT_ROUTE_REPLY
                m.route_reply = route.wire(arena)
            case .error(let error):
                m.variant_case = MESHTASTIC__ROUTING__VARIANT_ERROR_REASON
                m.error_reason = .init(rawValue: error.rawValue)
            }
        }
    }

    /// The payload of a ROUTING packet. An acknowledgement is written out, as the firmware does.
    public func encoded() -> [UInt8] { packed(wire) }
}

extension StoreForward {
    init(_ m: Meshtastic__StoreAndForward) {
        let hasText = m.variant_case == MESHTASTIC__STORE_AND_FORWARD__VARIANT_TEXT
        let original = m.original_id == 0 ? nil : m.original_id
        switch m.rr {
        case MESHTASTIC__STORE_AND_FORWARD__REQUEST_RESPONSE__ROUTER_TEXT_DIRECT where hasText:
            self = .text(repairedText(m.text.copy), broadcast: false, original: original)
        case MESHTASTIC__STORE_AND_FORWARD__REQUEST_RESPONSE__ROUTER_TEXT_BROADCAST where hasText:
            self = .text(repairedText(m.text.copy), broadcast: true, original: original)
        case MESHTASTIC__STORE_AND_FORWARD__REQUEST_RESPONSE__ROUTER_HEARTBEAT:
            let isTold = m.variant_case == MESHTASTIC__STORE_AND_FORWARD__VARIANT_HEARTBEAT
            self = .heartbeat(period: isTold ? m.heartbeat.pointee.period : nil)
        case MESHTASTIC__STORE_AND_FORWARD__REQUEST_RESPONSE__ROUTER_STATS
        where m.variant_case == MESHTASTIC__STORE_AND_FORWARD__VARIANT_STATS:
            self = .stats(saved: m.stats.pointee.messages_saved, most: m.stats.pointee.messages_max)
        case MESHTASTIC__STORE_AND_FORWARD__REQUEST_RESPONSE__ROUTER_HISTORY
        where m.variant_case == MESHTASTIC__STORE_AND_FORWARD__VARIANT_HISTORY:
            self = .history(messages: m.history.pointee.history_messages)
        default: self = .other(m.rr.rawValue)
        }
    }
}
