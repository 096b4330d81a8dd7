/// A node as the gateway knows it, put together from everything heard. Nil: not known.
public struct Node: Hashable, Sendable {
    public var number: NodeNumber
    public var longName: String?
    public var shortName: String?
    /// HardwareModel number.
    public var hardwareModel: UInt32?
    /// Config.DeviceConfig.Role number.
    public var role: UInt32?
    public var macAddress: [UInt8]?
    /// The first key that was seen for it, or the one that a person has accepted since.
    public var publicKey: PublicKey?
    /// Another key was seen for this node, or a key error came back: the stored key may be stale.
    public var keyMismatch: Bool
    /// The other key that was seen last, when there is one. Anybody can announce a key in anybody's name.
    public var announcedKey: PublicKey?
    /// Host milliseconds since when ``keyMismatch`` holds for its present reason.
    public var keyDoubtedAt: Int64?
    /// A node with the same key that was heard after this one fell silent, or before this one was heard: the same device
    /// under another number.
    public var successor: NodeNumber?
    public var predecessor: NodeNumber?
    /// Host milliseconds since when one of the two is known.
    public var sameKeySince: Int64?
    /// ``successor`` or ``predecessor`` is no former number: both are heard.
    public var isKeyDuplicate: Bool
    public var isLicensed: Bool
    public var isUnmessagable: Bool

    /// Follows live LoRa packets and, before any, the radio's node database.
    public var hopsAway: UInt32?
    /// Of the last packet with a hop start.
    public var lastMessageHops: UInt32?
    public var viaMQTT: Bool?
    public var transport: UInt32?
    /// Host seconds since 1970, by transport.
    public var lastHeardRF: Int64?
    public var lastHeardMQTT: Int64?
    public var lastHeardUDP: Int64?
    /// Host seconds since 1970; nil for a node that is only known by name.
    public var lastHeard: Int64?
    /// dB and dBm, of the last direct or relayed hop to us.
    public var snr: Double?
    public var rssi: Int?
    /// Channel index on which it was last heard.
    public var channel: Int?
    public var isStoreForwardServer: Bool?

    /// Degrees.
    public var latitude: Double?
    public var longitude: Double?
    /// Metres.
    public var altitude: Int?
    /// Host milliseconds of the report.
    public var positionTimestamp: Int64?
    public var positionChannel: Int?
    public var positionPrecisionBits: UInt32?
    public var positionLocationSource: UInt32?

    /// Percent; 101 means external power.
    public var batteryLevel: Int?
    public var voltage: Double?
    public var channelUtilization: Double?
    public var airUtilTx: Double?
    public var uptimeSeconds: Int64?

    public var firmwareVersion: String?
    public var rebootCount: UInt32?
    public var isFavorite: Bool
    public var isIgnored: Bool
    /// What the radio itself said last.
    public var isFavoriteOnRadio: Bool
    public var isIgnoredOnRadio: Bool
    /// Host milliseconds since when the radio is known not to have this favourite: it refused it, or its list came
    /// without it after the radio had been told.
    public var favoriteMissingSince: Int64?
    public var isMuted: Bool
    public var isKeyManuallyVerified: Bool
    public var hasXEdDSASigned: Bool
    public var status: String?
    /// Host milliseconds.
    public var statusUpdatedAt: Int64?
    /// Host milliseconds of the last packet under PKC.
    public var lastPKIPacket: Int64?
    /// Host milliseconds of the last traceroute from here that asked for it.
    public var lastTracerouteRequest: Int64?
    /// How steadily it is heard, 0 to 10; nil: not heard yet, or not since this is kept with the node.
    public var linkQuality: Int?
    /// What people here call it, in place of its long name; no node ever learns it.
    public var nickname: String?
    /// What people here have written down about it.
    public var notes: String?
    /// Host milliseconds.
    public var createdAt: Int64
    public var updatedAt: Int64

    public init(number: NodeNumber, createdAt: Int64) {
        self.number = number
        self.createdAt = createdAt
        updatedAt = createdAt
        keyMismatch = false
        isKeyDuplicate = false
        isLicensed = false
        isUnmessagable = false
        isFavorite = false
        isIgnored = false
        isFavoriteOnRadio = false
        isIgnoredOnRadio = false
        isMuted = false
        isKeyManuallyVerified = false
        hasXEdDSASigned = false
    }
}

extension Node {
    /// Makes this the node's key; what was in doubt or verified was another one.
    public mutating func pin(_ key: PublicKey) {
        if key != publicKey { isKeyManuallyVerified = false }
        publicKey = key
        endKeyDoubt()
    }

    /// The pinned key is the right one.
    public mutating func endKeyDoubt() {
        announcedKey = nil
        keyMismatch = false
        keyDoubtedAt = nil
    }

    /// Whether a message to it would go to the owner of a key that a person ought to look at first. A key that a person has
    /// compared, and decided to keep, is beyond what others announce.
    public var isKeyInDoubt: Bool { announcedKey != nil && !isKeyManuallyVerified }

    /// The node with the same key, whichever of the two came first.
    public var twin: NodeNumber? { successor ?? predecessor }
}
