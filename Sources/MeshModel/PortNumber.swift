/// What a packet's payload is (PortNum). Any number can arrive: unknown ones are kept as they are.
public struct PortNumber: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let unknown = PortNumber(rawValue: 0)
    public static let textMessage = PortNumber(rawValue: 1)
    public static let remoteHardware = PortNumber(rawValue: 2)
    public static let position = PortNumber(rawValue: 3)
    public static let nodeInfo = PortNumber(rawValue: 4)
    public static let routing = PortNumber(rawValue: 5)
    public static let admin = PortNumber(rawValue: 6)
    public static let textMessageCompressed = PortNumber(rawValue: 7)
    public static let waypoint = PortNumber(rawValue: 8)
    public static let detectionSensor = PortNumber(rawValue: 10)
    public static let alert = PortNumber(rawValue: 11)
    public static let keyVerification = PortNumber(rawValue: 12)
    public static let paxcounter = PortNumber(rawValue: 34)
    public static let nodeStatus = PortNumber(rawValue: 36)
    public static let storeForward = PortNumber(rawValue: 65)
    public static let rangeTest = PortNumber(rawValue: 66)
    public static let telemetry = PortNumber(rawValue: 67)
    public static let traceroute = PortNumber(rawValue: 70)
    public static let neighborInfo = PortNumber(rawValue: 71)
    public static let atak = PortNumber(rawValue: 72)
    public static let mapReport = PortNumber(rawValue: 73)
    public static let privateApp = PortNumber(rawValue: 256)

    /// Whether its payload tells where nodes or people are: only who may see them on the map gets it.
    public var saysWhereNodesAre: Bool { [.position, .waypoint, .mapReport].contains(self) }

    /// The name in the schema, such as `TEXT_MESSAGE_APP`; nil for a number that has none.
    public var name: String? { Self.names[rawValue] }

    private static let names: [UInt32: String] = [
        0: "UNKNOWN_APP", 1: "TEXT_MESSAGE_APP", 2: "REMOTE_HARDWARE_APP", 3: "POSITION_APP", 4: "NODEINFO_APP",
        5: "ROUTING_APP", 6: "ADMIN_APP", 7: "TEXT_MESSAGE_COMPRESSED_APP", 8: "WAYPOINT_APP", 9: "AUDIO_APP",
        10: "DETECTION_SENSOR_APP", 11: "ALERT_APP", 12: "KEY_VERIFICATION_APP", 13: "REMOTE_SHELL_APP",
        32: "REPLY_APP", 33: "IP_TUNNEL_APP", 34: "PAXCOUNTER_APP", 35: "STORE_FORWARD_PLUSPLUS_APP",
        36: "NODE_STATUS_APP", 37: "MESH_BEACON_APP", 38: "PAGING_APP", 64: "SERIAL_APP",
        65: "STORE_FORWARD_APP", 66: "RANGE_TEST_APP", 67: "TELEMETRY_APP", 68: "ZPS_APP", 69: "SIMULATOR_APP",
        70: "TRACEROUTE_APP", 71: "NEIGHBORINFO_APP", 72: "ATAK_PLUGIN", 73: "MAP_REPORT_APP", 74: "POWERSTRESS_APP",
        75: "LORAWAN_BRIDGE", 76: "RETICULUM_TUNNEL_APP", 77: "CAYENNE_APP", 78: "ATAK_PLUGIN_V2",
        79: "LORA_OTA_APP", 112: "GROUPALARM_APP", 256: "PRIVATE_APP", 257: "ATAK_FORWARDER", 511: "MAX",
    ]
}
