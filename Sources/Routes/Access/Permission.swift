/// A kind of data that tokens are admitted to one by one: MeshMonitor's names for it (Contract 2.3).
public enum Resource: Hashable, Sendable {
    case nodes
    case messages
    case traceroute
    case packetMonitor
    case info
    case configuration
    case channelDatabase
    /// Ours: the feed. What of it a token sees goes by its other rights.
    case notifications
    /// Ours: the brokers.
    case mqtt
    /// A channel index, 0 to 7.
    case channel(Int)

    public static let channels = (0...7).map { Resource.channel($0) }
    public static let all =
        [nodes, messages, traceroute, packetMonitor, info, configuration, channelDatabase, notifications, mqtt]
        + channels

    /// As it stands in a scope and in a 403's `required`.
    public var name: String {
        switch self {
        case .nodes: "nodes"
        case .messages: "messages"
        case .traceroute: "traceroute"
        case .packetMonitor: "packetmonitor"
        case .info: "info"
        case .configuration: "configuration"
        case .channelDatabase: "channel_database"
        case .notifications: "notifications"
        case .mqtt: "mqtt"
        case .channel(let index): "channel_\(index)"
        }
    }

    /// What can be done with it here.
    public var actions: [Action] {
        switch self {
        case .packetMonitor, .info, .notifications: [.read]
        case .channel: [.read, .viewOnMap, .write]
        default: [.read, .write]
        }
    }
}

public enum Action: String, Hashable, Sendable {
    /// To see that nodes and positions of a channel exist.
    case viewOnMap
    case read
    case write
}

/// One thing that a token may be allowed to do.
public struct Permission: Hashable, Sendable, CustomStringConvertible {
    public var resource: Resource
    public var action: Action

    public init(_ resource: Resource, _ action: Action) {
        self.resource = resource
        self.action = action
    }

    public var description: String { "\(resource.name):\(action.rawValue)" }

    public static let all = Resource.all.flatMap { resource in resource.actions.map { Permission(resource, $0) } }
}
