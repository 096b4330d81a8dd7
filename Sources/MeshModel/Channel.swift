/// One of the radio's eight channel slots (Channel with its ChannelSettings).
public struct Channel: Hashable, Sendable {
    public enum Role: UInt32, Sendable { case disabled = 0, primary = 1, secondary = 2 }

    /// 0 to 7. Packets carry it.
    public var index: Int
    public var role: Role
    /// As stored in the radio: empty means "called after the modem preset".
    public var name: String
    /// 0, 1, 16 or 32 bytes. A secret: shown to writers only.
    public var psk: [UInt8]
    public var id: UInt32
    public var uplinkEnabled: Bool
    public var downlinkEnabled: Bool
    /// Bits of a position that are shared here, 0 to 32; nil when the radio sent no module settings.
    public var positionPrecision: UInt32?
    public var isMuted: Bool
    /// Packets are authenticated (AES-CCM, firmware 2.8.1), and those that are not are refused. On the air it is another
    /// channel than one with the same name and key that does without.
    public var usesAEAD: Bool

    public init(
        index: Int, role: Role = .disabled, name: String = "", psk: [UInt8] = [], id: UInt32 = 0,
        uplinkEnabled: Bool = false, downlinkEnabled: Bool = false, positionPrecision: UInt32? = nil,
        isMuted: Bool = false, usesAEAD: Bool = false
    ) {
        self.index = index
        self.role = role
        self.name = name
        self.psk = psk
        self.id = id
        self.uplinkEnabled = uplinkEnabled
        self.downlinkEnabled = downlinkEnabled
        self.positionPrecision = positionPrecision
        self.isMuted = isMuted
        self.usesAEAD = usesAEAD
    }
}

/// The LoRa settings bundles (Config.LoRaConfig.ModemPreset). An absent field is 0, LONG_FAST.
public struct ModemPreset: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The name under which a channel without a name of its own is shown (firmware DisplayFormatters), `Invalid` for
    /// an unknown number.
    public var channelName: String {
        let index = Int(rawValue)
        return Self.channelNames.indices.contains(index) ? Self.channelNames[index] : "Invalid"
    }

    private static let channelNames = [
        "LongFast", "LongSlow", "VLongSlow", "MediumSlow", "MediumFast", "ShortSlow", "ShortFast", "LongMod",
        "ShortTurbo", "LongTurbo", "LiteFast", "LiteSlow", "NarrowFast", "NarrowSlow", "TinyFast", "TinySlow",
        "MediumTurbo",
    ]
}
