/// Who the attached radio is (MyNodeInfo).
public struct MyNodeInfo: Hashable, Sendable {
    public var number: NodeNumber
    public var rebootCount: UInt32
    public var minAppVersion: UInt32
    /// Sixteen bytes that stay when the node number changes; empty on some boards.
    public var deviceID: [UInt8]
    public var pioEnvironment: String
    public var firmwareEdition: UInt32
    /// How many node_info frames a handshake will bring, the radio's own included.
    public var nodeDBCount: UInt32

    public init(
        number: NodeNumber, rebootCount: UInt32 = 0, minAppVersion: UInt32 = 0, deviceID: [UInt8] = [],
        pioEnvironment: String = "", firmwareEdition: UInt32 = 0, nodeDBCount: UInt32 = 0
    ) {
        self.number = number
        self.rebootCount = rebootCount
        self.minAppVersion = minAppVersion
        self.deviceID = deviceID
        self.pioEnvironment = pioEnvironment
        self.firmwareEdition = firmwareEdition
        self.nodeDBCount = nodeDBCount
    }
}

/// What the attached radio is made of (DeviceMetadata).
public struct DeviceMetadata: Hashable, Sendable {
    /// Such as `2.7.26.54e0d8d`.
    public var firmwareVersion: String
    public var deviceStateVersion: UInt32
    public var canShutdown: Bool
    public var hasWiFi: Bool
    public var hasBluetooth: Bool
    public var hasEthernet: Bool
    public var role: UInt32
    public var positionFlags: UInt32
    public var hardwareModel: UInt32
    public var hasRemoteHardware: Bool
    public var hasPKC: Bool
    public var excludedModules: UInt32
    public var hasXEdDSA: Bool

    public init(
        firmwareVersion: String, deviceStateVersion: UInt32 = 0, canShutdown: Bool = false, hasWiFi: Bool = false,
        hasBluetooth: Bool = false, hasEthernet: Bool = false, role: UInt32 = 0, positionFlags: UInt32 = 0,
        hardwareModel: UInt32 = 0, hasRemoteHardware: Bool = false, hasPKC: Bool = false, excludedModules: UInt32 = 0,
        hasXEdDSA: Bool = false
    ) {
        self.firmwareVersion = firmwareVersion
        self.deviceStateVersion = deviceStateVersion
        self.canShutdown = canShutdown
        self.hasWiFi = hasWiFi
        self.hasBluetooth = hasBluetooth
        self.hasEthernet = hasEthernet
        self.role = role
        self.positionFlags = positionFlags
        self.hardwareModel = hardwareModel
        self.hasRemoteHardware = hasRemoteHardware
        self.hasPKC = hasPKC
        self.excludedModules = excludedModules
        self.hasXEdDSA = hasXEdDSA
    }
}

/// The LoRa settings that decide whether and how the radio can send (Config.LoRaConfig).
public struct LoRaSettings: Hashable, Sendable {
    public var usePreset: Bool
    public var modemPreset: ModemPreset
    /// RegionCode; 0 UNSET: the radio neither sends nor receives.
    public var region: UInt32
    /// 0 to 7; 0 stands for the default, 3.
    public var hopLimit: UInt32
    public var txEnabled: Bool

    public init(
        usePreset: Bool = true, modemPreset: ModemPreset = .init(rawValue: 0), region: UInt32 = 0,
        hopLimit: UInt32 = 0, txEnabled: Bool = true
    ) {
        self.usePreset = usePreset
        self.modemPreset = modemPreset
        self.region = region
        self.hopLimit = hopLimit
        self.txEnabled = txEnabled
    }

    /// The hop limit to put into packets: 1 to 7.
    public var effectiveHopLimit: UInt32 { hopLimit == 0 ? 3 : min(hopLimit, 7) }

    /// What a channel without a name is called.
    public var defaultChannelName: String { usePreset ? modemPreset.channelName : "Custom" }
}

/// A node as the radio remembers it (NodeInfo): a snapshot, older than what live packets have told since.
public struct NodeInfo: Hashable, Sendable {
    public var number: NodeNumber
    /// Nil: the node was heard, but has not introduced itself.
    public var user: User?
    public var position: Position?
    /// dB; 0 unknown.
    public var snr: Float
    /// Seconds since 1970; 0 when the radio had no clock.
    public var lastHeard: UInt32
    public var deviceMetrics: Telemetry?
    /// The channel index on which it was last heard.
    public var channel: UInt32
    public var viaMQTT: Bool
    public var hopsAway: UInt32?
    public var isFavorite: Bool
    public var isIgnored: Bool
    public var isKeyManuallyVerified: Bool
    public var isMuted: Bool
    public var hasXEdDSASigned: Bool
    /// Heard since the radio has its present LoRa settings (firmware 2.8.1); false from older firmware.
    public var heardOnCurrentLoRa: Bool

    public init(
        number: NodeNumber, user: User? = nil, position: Position? = nil, snr: Float = 0, lastHeard: UInt32 = 0,
        deviceMetrics: Telemetry? = nil, channel: UInt32 = 0, viaMQTT: Bool = false, hopsAway: UInt32? = nil,
        isFavorite: Bool = false, isIgnored: Bool = false, isKeyManuallyVerified: Bool = false, isMuted: Bool = false,
        hasXEdDSASigned: Bool = false, heardOnCurrentLoRa: Bool = false
    ) {
        self.number = number
        self.user = user
        self.position = position
        self.snr = snr
        self.lastHeard = lastHeard
        self.deviceMetrics = deviceMetrics
        self.channel = channel
        self.viaMQTT = viaMQTT
        self.hopsAway = hopsAway
        self.isFavorite = isFavorite
        self.isIgnored = isIgnored
        self.isKeyManuallyVerified = isKeyManuallyVerified
        self.isMuted = isMuted
        self.hasXEdDSASigned = hasXEdDSASigned
        self.heardOnCurrentLoRa = heardOnCurrentLoRa
    }
}
