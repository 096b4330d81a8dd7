import JSON
import MeshModel

/// Something that Home Assistant shows as a device.
enum DeviceID: Hashable, Comparable, Sendable {
    case gateway
    /// The first eight digits of its source's UUID.
    case radio(String)
    case node(NodeNumber)

    /// Its level in topics; Home Assistant allows letters, digits, `_` and `-`.
    var object: String {
        switch self {
        case .gateway: "gateway"
        case .radio(let digits): "radio_\(digits)"
        case .node(let number): String(number.id.dropFirst())
        }
    }

    init(source: Source) { self = .radio(String(source.uuid.prefix(8))) }

    /// nil if it is not ours.
    init?(object: some StringProtocol) {
        func isHex(_ text: some StringProtocol) -> Bool {
            text.utf8.count == 8
                && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        if object == "gateway" {
            self = .gateway
        } else if object.hasPrefix("radio_"), isHex(object.dropFirst(6)) {
            self = .radio(String(object.dropFirst(6)))
        } else if isHex(object), let number = UInt32(object, radix: 16) {
            self = .node(NodeNumber(number))
        } else {
            return nil
        }
    }

    /// Devices that others are reached through come first.
    private var rank: Int {
        switch self {
        case .gateway: 0
        case .radio: 1
        case .node: 2
        }
    }

    static func < (a: DeviceID, b: DeviceID) -> Bool { (a.rank, a.object) < (b.rank, b.object) }
}

/// Values that are published together, in one message.
enum Group: String, CaseIterable, Hashable, Sendable {
    case link, device, environment, air, power, health, host, position, node
    /// The values of a gateway or a radio itself.
    case state

    /// Whether its values expire: they are retained for their life, or not at all.
    var isMeasured: Bool {
        switch self {
        case .link, .device, .environment, .air, .power, .health, .host: true
        case .position, .node, .state: false
        }
    }

    init?(_ kind: Telemetry.Kind) {
        switch kind {
        case .device, .localStats: self = .device
        case .environment, .soilWater: self = .environment
        case .airQuality: self = .air
        case .power: self = .power
        case .health: self = .health
        case .host: self = .host
        case .trafficManagement: return nil
        }
    }
}

/// The names that one gateway uses at a broker.
struct TopicNames: Hashable, Sendable {
    /// Eight hexadecimal digits, drawn once.
    let gateway: String
    /// Home Assistant's discovery prefix.
    var prefix = TopicNames.usualPrefix

    var base: String { "mesh-gateway/\(gateway)" }
    /// `online` or `offline`.
    var status: String { "\(base)/status" }
    /// The number of published configurations, which tells whether the broker has lost some of them.
    var generation: String { "\(base)/generation" }
    /// What stands there. Another prefix than the usual one is part of it: what was published below one is nowhere to be seen
    /// below another, and was deleted by nobody.
    func generationText(_ count: Int64) -> String { prefix == Self.usualPrefix ? "\(count)" : "\(count) \(prefix)" }

    static let usualPrefix = "homeassistant"

    /// Home Assistant's own status.
    var birth: String { "\(prefix)/status" }
    /// A filter for all of our configurations.
    var configurations: String { "\(prefix)/device/meshgw_\(gateway)/+/config" }

    /// Beside the configurations, where nobody listens: to see whether we may publish there.
    var trial: String { "\(prefix)/device/meshgw_\(gateway)/test" }

    func configuration(_ object: String) -> String { "\(prefix)/device/meshgw_\(gateway)/\(object)/config" }

    func state(_ device: DeviceID, _ group: Group) -> String { "\(base)/\(device.object)/\(group.rawValue)" }

    /// Where an event of a device is published.
    func event(_ device: DeviceID, _ key: String) -> String { "\(base)/\(device.object)/event/\(key)" }

    /// Where Home Assistant commands something of a device.
    func command(_ device: DeviceID, _ key: String) -> String { "\(base)/\(device.object)/command/\(key)" }

    /// A filter for all commands.
    var commands: String { "\(base)/+/command/+" }

    /// The device and the key of a command's topic; nil for another topic, and for one that no device of ours can have.
    func command(of topic: String) -> (device: DeviceID, key: String)? {
        guard topic.utf8.count <= base.utf8.count + Self.longestCommand, topic.hasPrefix(base + "/") else { return nil }
        let levels = topic.dropFirst(base.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 3, levels[1] == "command", let device = DeviceID(object: levels[0]) else { return nil }
        return (device, String(levels[2]))
    }

    /// Bytes behind ``base``; ours have 34 at most.
    private static let longestCommand = 64

    func identifier(_ device: DeviceID) -> String { "meshgw_\(gateway)_\(device.object)" }

    func uniqueID(_ device: DeviceID, _ component: String) -> String { "\(identifier(device))_\(component)" }

    /// The device and the group of a state's topic; nil for another topic.
    func state(of topic: String) -> Plan.StateKey? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 4, topic.hasPrefix(base + "/"), let device = DeviceID(object: levels[2]),
            let group = Group(rawValue: String(levels[3]))
        else { return nil }
        return Plan.StateKey(device: device, group: group)
    }

    /// Bytes; ours have 14 at most.
    static let longestObject = 16

    /// The level between `meshgw_GATEWAY` and `config`; nil for another topic, and for a level that is longer than any of ours.
    func object(ofConfiguration topic: String) -> Substring? {
        let start = "\(prefix)/device/meshgw_\(gateway)/"
        // Before anything of it is looked at.
        guard topic.utf8.count <= start.utf8.count + Self.longestObject + "/config".utf8.count else { return nil }
        guard topic.hasPrefix(start), topic.hasSuffix("/config") else { return nil }
        let rest = topic.dropFirst(start.count)
        guard rest.utf8.count > "/config".utf8.count else { return nil }
        let object = rest.dropLast("/config".count)
        return object.contains("/") ? nil : object
    }
}
