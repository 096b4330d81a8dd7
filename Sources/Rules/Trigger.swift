import MeshModel

/// What a rule waits for.
///
/// A state begins and ends, and is reported once while it lasts. An event has no end, and is reported each time. Times are in
/// milliseconds.
public enum Trigger: Hashable, Sendable {
    // States.
    case silent(Int64)
    case value(Threshold)
    case radioLost(Int64)
    case storageFailing
    /// nil for any.
    case problem(String?)
    case keyChanged

    // Events.
    case directMessage
    /// Channels by number or name; empty for all.
    case message([String])
    /// Texts of conversations over brokers, by name.
    case conversations([String])
    case mention
    case newNode, nodeIntroduced, waypoint, detection, nameChanged, rebooted, gatewayStarted
    case nodeBack(Int64)
    case radioBack(Int64)
    case entersCircle(Circle)
    case leavesCircle(Circle)
    /// Metres from the radio.
    case waypointWithin(Double)
    case at(Cron)

    public var isState: Bool {
        switch self {
        case .silent, .value, .radioLost, .storageFailing, .problem, .keyChanged: true
        default: false
        }
    }

    /// It is about a message that somebody has written.
    var isText: Bool {
        switch self {
        case .directMessage, .message, .conversations, .mention: true
        default: false
        }
    }

    /// It is about a node of the mesh, so that conditions can choose among nodes.
    var isOfNode: Bool {
        switch self {
        case .radioLost, .radioBack, .storageFailing, .problem, .gatewayStarted, .at, .conversations: false
        default: true
        }
    }

    /// It is about one radio, or comes over one.
    var isOfRadio: Bool {
        switch self {
        case .storageFailing, .gatewayStarted, .at, .conversations: false
        default: true
        }
    }

    var isWaypoint: Bool {
        switch self {
        case .waypoint, .waypointWithin: true
        default: false
        }
    }

    /// How long a value must be beyond its limit, in milliseconds.
    var lasting: Int64 {
        switch self {
        case .value(let threshold): threshold.lasting
        default: 0
        }
    }

    var circle: Circle? {
        switch self {
        case .entersCircle(let circle), .leavesCircle(let circle): circle
        default: nil
        }
    }

    /// The trigger's words in kebab-case, without numbers and channels.
    public var type: String {
        switch self {
        case .silent: "node-silent"
        case .value(let threshold): threshold.type
        case .radioLost: "radio-lost"
        case .storageFailing: "storage-failing"
        case .problem: "problem"
        case .keyChanged: "key-changed"
        case .directMessage: "direct-message"
        case .message, .conversations: "message"
        case .mention: "mention"
        case .newNode: "new-node"
        case .nodeIntroduced: "node-introduced"
        case .waypoint, .waypointWithin: "waypoint"
        case .detection: "detection"
        case .nameChanged: "name-changed"
        case .rebooted: "rebooted"
        case .gatewayStarted: "gateway-started"
        case .nodeBack: "node-back"
        case .radioBack: "radio-back"
        case .entersCircle: "enters-circle"
        case .leavesCircle: "leaves-circle"
        case .at: "at"
        }
    }
}

/// Where a measured value begins to be too low or too high.
public struct Threshold: Hashable, Sendable {
    /// As the API names it.
    public var name: String
    public var isBelow: Bool
    public var limit: Double
    /// What the rule calls the value.
    var words: String
    /// How long reports must be beyond the limit before the state begins, in milliseconds; 0 if one is enough.
    public internal(set) var lasting: Int64 = 0

    /// Values with words of their own.
    static let named = [
        "battery": "batteryLevel", "channel use": "channelUtilization", "air time": "airUtilTx",
    ]

    /// Our radio measures these, unless the rule names nodes.
    var isOwnByItself: Bool { name == "channelUtilization" || name == "airUtilTx" }

    var type: String { Self.named[words] == nil ? "telemetry" : words.split(separator: " ").joined(separator: "-") }

    func holds(_ value: Double) -> Bool { isBelow ? value < limit : value > limit }

    /// Where a state without `again` ends: five percent further, at least 1; a tenth of a volt further, because a battery's whole
    /// range is less than two.
    var again: Threshold {
        let margin = Telemetry.unit(of: name) == "V" ? 0.1 : max(1, abs(limit) * 0.05)
        return Threshold(name: name, isBelow: !isBelow, limit: isBelow ? limit + margin : limit - margin, words: words)
    }
}
