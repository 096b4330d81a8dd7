import MeshProtocol

/// What a change of settings brings with it, besides what it is made for.
public struct SettingsConsequences: Sendable {
    /// The radio restarts some seconds later. As far as it is known: builds differ.
    public var restarts: Bool
    /// Sentences for a person, who should know them before.
    public var warnings: [String]

    init() { (restarts, warnings) = (false, []) }

    /// - Parameter heard: whom the change concerns.
    init(of rows: [SettingsChange.Row], firmware: String?, heard: HeardMesh) {
        restarts = rows.contains { Self.restarts($0.path, firmware) }
        warnings = []
        for row in rows {
            for warning in [Self.warning(row), heard.sentence(row)] {
                if let warning, !warnings.contains(warning) { warnings.append(warning) }
            }
        }
    }

    /// As firmware 2.7 and 2.8 do it (AdminModule): most sections restart the radio whatever changes in them.
    public static func restarts(_ path: String, _ firmware: String?) -> Bool {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        switch parts[0] {
        case "device": return ["role", "rebroadcast_mode", "button_gpio", "buzzer_gpio"].contains(parts[1])
        case "display": return ["screen_on_secs", "flip_screen", "oled", "displaymode"].contains(parts[1])
        case "power": return !["adc_multiplier_override", "powermon_enables"].contains(parts[1])
        // 2.8 tunes its radio while it runs.
        case "lora": return isBefore28(firmware) && modem.union(["region", "tx_power"]).contains(parts[1])
        case "security": return ["debug_log_api_enabled", "serial_enabled"].contains(parts[1])
        case "statusmessage": return false
        default: return true
        }
    }

    private static func isBefore28(_ firmware: String?) -> Bool {
        let numbers = (firmware ?? "").split(separator: ".").prefix(2).compactMap { Int($0) }
        return numbers.count < 2 || numbers[0] < 2 || numbers[0] == 2 && numbers[1] < 8
    }

    /// What nodes must have in common to hear each other.
    static let modem: Set<String> = [
        "use_preset", "modem_preset", "bandwidth", "spread_factor", "coding_rate", "frequency_offset", "channel_num",
        "override_frequency",
    ]

    /// The firmware's default of each interval, in seconds, which it uses when the setting is 0 (Default.h).
    private static let defaults: [String: UInt64] = [
        "device.node_info_broadcast_secs": 10_800, "position.position_broadcast_secs": 900,
        "telemetry.device_update_interval": 1_800, "telemetry.environment_update_interval": 1_800,
        "telemetry.air_quality_interval": 1_800, "telemetry.power_update_interval": 1_800,
        "telemetry.health_update_interval": 1_800, "neighbor_info.update_interval": 21_600,
    ]

    private static func warning(_ row: SettingsChange.Row) -> String? {
        switch (row.path, row.old, row.new) {
        case ("lora.region", _, .choice("UNSET")): return "Without a region the radio neither sends nor receives."
        case ("lora.region", .choice("UNSET"), _):
            return "With its first region the radio makes its key pair, and firmware 2.8 a new node number from it."
        case ("lora.region", _, _):
            return "The region must be that of the country in which the radio is; other regions' nodes are not heard."
        case ("lora.tx_enabled", _, .flag(false)):
            return "The radio then sends nothing any more, no acknowledgements either."
        case ("security.serial_enabled", _, .flag(false)):
            return "The radio then does not answer on its USB port any more; only an app over Bluetooth or the network "
                + "can undo this."
        case ("security.is_managed", _, .flag(true)):
            return
                "The radio then ignores commands from its ports, including this one; only a remote administrator can "
                + "undo this."
        case ("security.admin_key", .list(let old), .list(let new)) where !old.allSatisfy(new.contains):
            return
                "Whoever has the private key to an admin key that goes cannot change this radio over the mesh any more."
        case ("security.admin_key", _, _):
            return "Whoever has the private key to an admin key can change this radio over the mesh."
        case ("owner.is_licensed", _, .flag(true)):
            return "A licensed station sends everything unencrypted, and its channels lose their keys."
        case ("bluetooth.enabled", _, .flag(false)): return "Apps then do not reach the radio over Bluetooth any more."
        case ("device.role", _, .choice("REPEATER")):
            return "A repeater is no node: it does not show up and hands on no messages."
        case ("device.role", _, .choice("ROUTER")), ("device.role", _, .choice("ROUTER_LATE")):
            return
                "A router repeats every packet, also where others have done so. It helps from a place that hears far "
                + "more than others do, and elsewhere it takes airtime from everybody."
        case ("lora.hop_limit", _, .unsigned(let limit)) where limit > 3:
            return
                "A hop limit above 3 lets more nodes repeat each packet of this radio, and takes airtime from everybody."
        case ("device.role", _, .choice("CLIENT_BASE")):
            return
                "It repeats what its favourites send as a router does: as favourites it should have nodes of your own only."
        case ("lora.channel_num", _, .unsigned(let slot)) where slot > 0:
            return "With a frequency slot of your own, only nodes that have set the same one are heard from then on."
        default: break
        }
        if let interval = defaults[row.path], case .unsigned(let seconds)? = row.new, (1..<interval).contains(seconds) {
            return
                "The default of \(row.path) is \(interval / 60) minutes: a shorter interval takes airtime from everybody, and "
                + "firmware may keep a longer one."
        }
        if row.path.hasPrefix("lora."), modem.contains(String(row.path.dropFirst(5))) {
            return "Only nodes with the same modem settings and frequency are heard from then on."
        }
        if row.path.hasPrefix("network.") { return "A connection to the radio over the network may end with this." }
        return nil
    }
}
