import Routes
import Store

/// What an event is about, by the word that stands behind `event:`.
package enum EventKind: String, CaseIterable, Sendable {
    case start, message
    case messageDeleted = "message-deleted"
    case read, delivery, node, position, telemetry, channel, traceroute, waypoint, packet, status, problem, solved
    case notification, missed

    /// What of the change log it is made of.
    var changes: Set<StoredChange.Kind> {
        switch self {
        case .message: [.message, .messageChanged]
        case .messageDeleted: [.messageDeleted]
        case .read: [.read]
        case .delivery: [.delivery]
        case .node: [.node, .nodeDeleted]
        case .position: [.position]
        case .telemetry: [.telemetry, .paxcount]
        case .channel: [.channel]
        case .traceroute: [.traceroute]
        case .waypoint: [.waypoint, .waypointDeleted]
        case .notification: [.notification]
        case .start, .packet, .status, .problem, .solved, .missed: []
        }
    }

    /// Without it nothing of this kind is shown; nil: everybody gets it.
    var permission: Permission? {
        switch self {
        case .message, .messageDeleted, .read, .delivery, .channel: Permission(.messages, .read)
        case .node, .position, .telemetry, .waypoint: Permission(.nodes, .read)
        case .traceroute: Permission(.traceroute, .read)
        case .packet: Permission(.packetMonitor, .read)
        case .status, .problem, .solved: Permission(.info, .read)
        case .notification: Permission(.notifications, .read)
        case .start, .missed: nil
        }
    }

    /// It is about the link to a radio, and no row.
    var isCondition: Bool { [.status, .problem, .solved].contains(self) }
}
