/// How a node introduces itself (User, the payload of NODEINFO).
public struct User: Hashable, Sendable {
    /// What the node calls its id; only the packet's `from` is to be trusted.
    public var id: String
    /// Up to 39 bytes on the wire, empty when unknown.
    public var longName: String
    /// Up to four bytes on the wire, empty when unknown.
    public var shortName: String
    /// Six bytes, or empty. All zero from 2.8 on.
    public var macAddress: [UInt8]
    /// HardwareModel number; 0 unset.
    public var hardwareModel: UInt32
    public var isLicensed: Bool
    /// Config.DeviceConfig.Role number; 0 CLIENT.
    public var role: UInt32
    public var publicKey: PublicKey?
    /// Nil: the sender does not say.
    public var isUnmessagable: Bool?

    public init(
        id: String = "", longName: String = "", shortName: String = "", macAddress: [UInt8] = [],
        hardwareModel: UInt32 = 0, isLicensed: Bool = false, role: UInt32 = 0, publicKey: PublicKey? = nil,
        isUnmessagable: Bool? = nil
    ) {
        self.id = id
        self.longName = longName
        self.shortName = shortName
        self.macAddress = macAddress
        self.hardwareModel = hardwareModel
        self.isLicensed = isLicensed
        self.role = role
        self.publicKey = publicKey
        self.isUnmessagable = isUnmessagable
    }
}
