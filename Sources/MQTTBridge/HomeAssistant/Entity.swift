import MeshModel

/// One value of a device as Home Assistant shows it.
struct Entity: Hashable, Sendable {
    enum Platform: String, Sendable {
        case sensor
        case binarySensor = "binary_sensor"
        case tracker = "device_tracker"
        case event, notify, button

        /// Whether it is there because the broker's file asks for it, not because of a value.
        var isSpoken: Bool {
            switch self {
            case .event, .notify, .button: true
            case .sensor, .binarySensor, .tracker: false
            }
        }
    }

    let platform: Platform
    /// The REST API's name in snake case.
    let key: String
    let name: String
    /// nil for one without a value.
    let group: Group?
    /// Home Assistant's. Each class has its own units; with another unit the whole device is refused.
    var deviceClass: String?
    var stateClass: String?
    var unit: String?
    /// What messages have is divided by it: they keep the REST API's units. 1 for as it is.
    var divisor = 1
    /// Decimals.
    var precision: Int?
    /// Of Material Design, for what has no class; with one, Home Assistant has its own.
    var icon: String?
    var isDiagnostic = false
    /// Disabled at first, unless the node is a favourite.
    var isQuiet = false
    /// Its attributes are in the state's message. Not set for a tracker, whose message has nothing else.
    var hasAttributes = false
    /// What an event of it can be.
    var eventTypes: [String] = []

    /// Its name in a device's configuration, which includes the platform: a key that moves to another platform leaves two entities
    /// behind.
    var component: String { "\(platform.rawValue)_\(key)" }

    /// The id that Home Assistant gives it.
    func id(of device: DeviceID) -> String { "\(platform.rawValue).meshgw_\(device.object)_\(key)" }

    /// How Home Assistant gets it out of its group's message. None is unknown there.
    var template: String {
        let value = "value_json.\(key)"
        return divisor == 1
            ? "{{ \(value) }}" : "{{ (\(value) / \(divisor)) | round(4) if \(value) is number else None }}"
    }

    init(
        _ key: String, _ name: String, _ group: Group?, on platform: Platform = .sensor, deviceClass: String? = nil,
        stateClass: String? = nil, unit: String? = nil, divisor: Int = 1, precision: Int? = nil, icon: String? = nil,
        isDiagnostic: Bool = false, isQuiet: Bool = false, hasAttributes: Bool = false
    ) {
        (self.platform, self.key, self.name, self.group) = (platform, key, name, group)
        (self.deviceClass, self.stateClass, self.unit, self.divisor) = (deviceClass, stateClass, unit, divisor)
        (self.precision, self.icon) = (precision, icon)
        (self.isDiagnostic, self.isQuiet, self.hasAttributes) = (isDiagnostic, isQuiet, hasAttributes)
    }
}

extension Entity {
    /// From a node's row, in addition to measured values.
    static let ofNodes = [
        Entity(
            "snr", "SNR", .link, deviceClass: "signal_strength", stateClass: "measurement", unit: "dB", precision: 1,
            isDiagnostic: true, isQuiet: true),
        Entity(
            "rssi", "RSSI", .link, deviceClass: "signal_strength", stateClass: "measurement", unit: "dBm",
            precision: 0, isDiagnostic: true, isQuiet: true),
        Entity(
            "hops_away", "Hops away", .link, stateClass: "measurement", icon: "transit-connection-variant",
            isDiagnostic: true, isQuiet: true),
        Entity("last_heard", "Last heard", .node, deviceClass: "timestamp", isDiagnostic: true, isQuiet: true),
        Entity("key_in_doubt", "Key in doubt", .node, on: .binarySensor, deviceClass: "problem", isDiagnostic: true),
        Entity("position", "Position", .position, on: .tracker),
    ]

    /// Derived from the battery level: 101 % means external power.
    static let powered = Entity(
        "powered", "Powered", .device, on: .binarySensor, deviceClass: "power", isDiagnostic: true)

    static let connected = Entity("connected", "Connected", .state, on: .binarySensor, deviceClass: "connectivity")

    static let ofGateway = [
        Entity(
            "problems", "Problems", .state, stateClass: "measurement", icon: "alert-circle-outline", isDiagnostic: true,
            hasAttributes: true),
        Entity(
            "nodes_heard", "Nodes heard", .state, stateClass: "measurement", unit: "nodes", icon: "radio-handheld"),
        Entity(
            "texts_waiting", "Texts waiting", .state, stateClass: "measurement", unit: "texts",
            icon: "message-text-clock"),
        Entity(
            "database_size", "Database size", .state, deviceClass: "data_size", stateClass: "measurement", unit: "MB",
            divisor: 1_000_000, precision: 1, isDiagnostic: true),
        Entity("version", "Version", .state, icon: "tag-outline", isDiagnostic: true),
    ]

    /// Every entity that a kind of telemetry may have.
    static func measured(_ kind: Telemetry.Kind) -> [Entity] {
        guard let group = Group(kind) else { return [] }
        return kind.metrics.map { Entity($0, group) }
    }

    private static let kinds: [Telemetry.Kind] = [
        .device, .localStats, .environment, .soilWater, .airQuality, .power, .health, .host,
    ]

    /// The entity with this name in a device's configuration; nil if this version has none.
    static func named(_ component: String) -> Entity? { all[component] ?? spoken(component) }

    /// All entities that have a value, by ``component``.
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
