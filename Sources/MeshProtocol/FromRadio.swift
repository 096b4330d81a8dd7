import MeshModel

/// One message from the radio (FromRadio). Variants that nobody here reads keep their number, so that a handshake can
/// be checked for completeness and its raw frames replayed.
public enum FromRadio: Hashable, Sendable {
    case packet(MeshPacket)
    case myInfo(MyNodeInfo)
    case nodeInfo(NodeInfo)
    case config(ConfigSection)
    case moduleConfig(ModuleConfigSection)
    case channel(Channel)
    case configComplete(UInt32)
    case rebooted
    case queueStatus(QueueStatus)
    case metadata(DeviceMetadata)
    case logRecord(LogRecord)
    case clientNotification(ClientNotification)
    case lockdownStatus(LockdownStatus)
    /// A known variant that the gateway only passes on: deviceuiConfig 17, fileInfo 15, xmodemPacket 12,
    /// mqttClientProxyMessage 14, region_presets 19.
    case other(variant: UInt32)
    /// A valid frame without a variant that we know: a future field, or an empty frame.
    case empty
}

/// One section of the radio's settings (Config); the tag is its field number, 1 to 10, 0 for a section without content
/// that we know.
public enum ConfigSection: Hashable, Sendable {
    case device(role: UInt32)
    case network(enabledProtocols: UInt32)
    case lora(LoRaSettings)
    case security(SecuritySettings)
    case other(tag: UInt32)

    public var tag: UInt32 {
        switch self {
        case .device: 1
        case .network: 4
        case .lora: 6
        case .security: 8
        case .other(let tag): tag
        }
    }
}

/// Config.SecurityConfig without its secrets: the private key stops at the codec.
public struct SecuritySettings: Hashable, Sendable {
    public var publicKey: PublicKey?
    public var isManaged: Bool
    public var serialEnabled: Bool
    public var debugLogAPIEnabled: Bool

    public init(publicKey: PublicKey?, isManaged: Bool, serialEnabled: Bool, debugLogAPIEnabled: Bool) {
        self.publicKey = publicKey
        self.isManaged = isManaged
        self.serialEnabled = serialEnabled
        self.debugLogAPIEnabled = debugLogAPIEnabled
    }
}

/// One section of ModuleConfig, of which little is read: its field number, 1 to 17. 0: a module that the radio's build leaves
/// out.
public struct ModuleConfigSection: Hashable, Sendable {
    public var tag: UInt32
    /// StoreForwardConfig: the module is on, and this radio stores for others. False in the other sections.
    public var isStoreForwardServer: Bool
    /// NeighborInfoConfig: the module is on. False in the other sections.
    public var hearsNeighbors: Bool

    public init(tag: UInt32, isStoreForwardServer: Bool = false, hearsNeighbors: Bool = false) {
        self.tag = tag
        self.isStoreForwardServer = isStoreForwardServer
        self.hearsNeighbors = hearsNeighbors
    }

    /// Of the sections that say so.
    public static let storeForward: UInt32 = 4
    public static let neighborInfo: UInt32 = 10
}

/// What a hardened radio says about its lock (LockdownStatus, 2.8).
public struct LockdownStatus: Hashable, Sendable {
    /// 1 needs provisioning, 2 locked, 3 unlocked, 4 unlock failed, 5 disabled.
    public var state: UInt32
    public var reason: String

    public init(state: UInt32, reason: String) {
        self.state = state
        self.reason = reason
    }

    public var isLocked: Bool { state == 1 || state == 2 || state == 4 }
}
