import MeshModel

/// One value of a device as Home Assistant shows it.
struct Entity: Hashable, Sendable {
    enum Platform: String, Sendable {
        case sensor
        case binarySensor = "binary_sensor"
        case tracker = "device_tracker"
    }

    let platform: Platform
    /// The REST API's name in snake case.
    let key: String
    let name: String
    let group: Group
    /// Home Assistant's. Each class has its own units; with another unit the whole device is refused.
    var deviceClass: String?
    var stateClass: String?
    var unit: String?
    /// Decimals.
    var precision: Int?
    var isDiagnostic = false
    /// Its attributes are in the state's message. Not set for a tracker, whose message has nothing else.
    var hasAttributes = false

    /// Its name in a device's configuration, which includes the platform: a key that moves to another platform leaves two entities
    /// behind.
    var component: String { "\(platform.rawValue)_\(key)" }

    init(
        _ key: String, _ name: String, _ group: Group, on platform: Platform = .sensor, deviceClass: String? = nil,
        stateClass: String? = nil, unit: String? = nil, precision: Int? = nil, isDiagnostic: Bool = false,
        hasAttributes: Bool = false
    ) {
        (self.platform, self.key, self.name, self.group) = (platform, key, name, group)
        (self.deviceClass, self.stateClass, self.unit, self.precision) = (deviceClass, stateClass, unit, precision)
        (self.isDiagnostic, self.hasAttributes) = (isDiagnostic, hasAttributes)
    }
}

extension Entity {
    /// From a node's row, in addition to measured values.
    static let ofNodes = [
        Entity(
            "snr", "SNR", .link, deviceClass: "signal_strength", stateClass: "measurement", unit: "dB", precision: 1,
            isDiagnostic: true),
        Entity(
            "rssi", "RSSI", .link, deviceClass: "signal_strength", stateClass: "measurement", unit: "dBm",
            precision: 0, isDiagnostic: true),
        Entity("hops_away", "Hops away", .link, stateClass: "measurement", isDiagnostic: true),
        Entity("last_heard", "Last heard", .node, deviceClass: "timestamp", isDiagnostic: true),
        Entity("key_in_doubt", "Key in doubt", .node, on: .binarySensor, deviceClass: "problem", isDiagnostic: true),
        Entity("position", "Position", .position, on: .tracker),
    ]

    /// Derived from the battery level: 101 % means external power.
    static let powered = Entity(
        "powered", "Powered", .device, on: .binarySensor, deviceClass: "power", isDiagnostic: true)

    static let connected = Entity("connected", "Connected", .state, on: .binarySensor, deviceClass: "connectivity")

    static let ofGateway = [
        Entity("problems", "Problems", .state, isDiagnostic: true, hasAttributes: true),
        Entity("nodes_heard", "Nodes heard", .state, stateClass: "measurement", unit: "nodes"),
        Entity("texts_waiting", "Texts waiting", .state, stateClass: "measurement", unit: "texts"),
        Entity(
            "database_size", "Database size", .state, deviceClass: "data_size", stateClass: "measurement", unit: "B",
            isDiagnostic: true),
        Entity("version", "Version", .state, isDiagnostic: true),
    ]

    /// Every entity that a kind of telemetry may have.
    static func measured(_ kind: Telemetry.Kind) -> [Entity] {
        guard let group = Group(kind) else { return [] }
        return kind.metrics.map { Entity($0, group) }
    }

    private static let kinds: [Telemetry.Kind] = [
        .device, .localStats, .environment, .soilWater, .airQuality, .power, .health, .host,
    ]

    /// All entities, by ``component``.
    static let all: [String: Entity] = Dictionary(
        (ofNodes + [powered, connected] + ofGateway + kinds.flatMap(measured)).map { ($0.component, $0) },
        uniquingKeysWith: { first, _ in first })
}

/// `rainfall1h`, `sp_o2`: a capital letter begins a word, a digit does not.
func snakeCase(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
        if ("A"..."Z").contains(scalar) { text += "_" }
        text.unicodeScalars.append(("A"..."Z").contains(scalar) ? Unicode.Scalar(scalar.value + 32)! : scalar)
    }
    return text
}
