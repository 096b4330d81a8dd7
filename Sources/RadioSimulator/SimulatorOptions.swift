import MeshModel

/// What kind of radio is simulated, what mesh is behind it, and what is wrong with it.
///
/// Everything random comes from ``seed``: the same options give the same mesh, the same keys, and the same chatter at
/// the same simulated times.
public struct SimulatorOptions: Sendable {
    public enum Firmware: Sendable, CaseIterable {
        /// 2.7.26: node numbers from the MAC address, node infos with position and metrics, `rebooted` at boot, early
        /// texts vanish without a word.
        case v2_7
        /// 2.8.0: node numbers from the public key, thin node infos and a replay of positions and telemetry, early
        /// texts are refused with RATE_LIMIT_EXCEEDED.
        case v2_8
    }

    public var seed: UInt64 = 1
    /// Other nodes of the mesh, the radio itself not counted. From ``SimulatedNode/castSize`` on, every role of the
    /// cast is there.
    public var nodes = 24
    public var firmware = Firmware.v2_8
    /// Packets that the mesh sends by itself, per simulated minute; 0 is a silent mesh.
    public var chatter: Double = 12
    /// The radio's channels, at most eight; missing ones are disabled.
    public var channels = SimulatorOptions.defaultChannels
    /// A channel of the mesh that the radio does not have; nil: what it cannot read is noise. Firmware 2.7 hands on what it
    /// cannot read, 2.8 keeps it to itself.
    public var hiddenChannel: HiddenChannel?
    /// Config.LoRaConfig.RegionCode; 3 is EU_868, 0 UNSET: the radio refuses to send.
    public var region: UInt32 = 3
    /// Whether the radio starts with a clock, as one with GPS does. Without, receptions have no time until the host
    /// sets it.
    public var hasClock = true
    /// Bits per second of the line, ten bits a byte, in real time; nil: as fast as the host reads.
    public var baud: Int?
    /// Simulated seconds per real second. It speeds up the mesh, reboots, stalls and the radio's rate limits, not
    /// ``baud`` and ``silenceLimit``.
    public var timeScale: Double = 1
    /// Real seconds without a byte from the host after which the radio closes the session without a word
    /// (serial reference 2.5).
    public var silenceLimit: Double = 900
    /// Whether packets that come too soon are dropped, as the firmware does (serial reference 8.2).
    public var limitsRates = true
    public var misbehaviour: Misbehaviour = []
    /// Every how many frames a fault of the line strikes: text inside a frame, a truncated frame, a stall. At least 2.
    /// A handshake without other nodes has about 45 frames.
    public var faultInterval = 60
    /// Simulated seconds between reboots, with ``Misbehaviour/reboots`` or ``Misbehaviour/silentReboots``.
    public var rebootInterval: Double = 120

    public init() {}

    /// A channel's name and key as other radios have them.
    public struct HiddenChannel: Sendable {
        public var name: String
        public var psk: [UInt8]

        public init(name: String, psk: [UInt8]) {
            self.name = name
            self.psk = psk
        }

        public static let climbers = HiddenChannel(name: "Climbers", psk: Array(0x70..<0x80))
    }

    /// A nameless primary channel under the default key, and two secondary ones with keys of their own.
    public static let defaultChannels: [Channel] = [
        Channel(
            index: 0, role: .primary, psk: [1], uplinkEnabled: true, downlinkEnabled: true, positionPrecision: 13),
        Channel(index: 1, role: .secondary, name: "Hikers", psk: Array(0x10..<0x20), positionPrecision: 32),
        Channel(index: 2, role: .secondary, name: "Rescue", psk: Array(0x40..<0x60), positionPrecision: 16),
    ]
}

/// What can go wrong with a radio. Each is something that real ones do; the section numbers are the serial
/// reference's.
public struct Misbehaviour: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A line of debug text before every frame, as 2.7 writes it for the whole session (1.4). Serial lines only.
    public static let debugTextBetweenFrames = Misbehaviour(rawValue: 1)
    /// A line of debug text in the middle of some frames, which are lost by it (14.21). Serial lines only.
    public static let debugTextInsideFrames = Misbehaviour(rawValue: 2)
    /// Some frames break off, and the next one follows (1.4).
    public static let truncatedFrames = Misbehaviour(rawValue: 4)
    /// Nothing comes for 20 simulated seconds now and then (1.7).
    public static let stalls = Misbehaviour(rawValue: 8)
    /// A reboot every ``SimulatorOptions/rebootInterval``, with boot text on serial lines (1.5).
    public static let reboots = Misbehaviour(rawValue: 16)
    /// The same without any text: heartbeats are answered, packets are withheld (14.18).
    public static let silentReboots = Misbehaviour(rawValue: 32)
    /// Every second handshake, the first included, ends with somebody else's nonce (2.2).
    public static let wrongNonce = Misbehaviour(rawValue: 64)
    /// Every second packet finds the transmit queue full, and there is room again five simulated seconds later (2.6).
    public static let fullQueue = Misbehaviour(rawValue: 128)

    public static let all: [(name: String, value: Misbehaviour)] = [
        ("debug-text-between-frames", .debugTextBetweenFrames), ("debug-text-inside-frames", .debugTextInsideFrames),
        ("truncated-frames", .truncatedFrames), ("stalls", .stalls), ("reboots", .reboots),
        ("silent-reboots", .silentReboots), ("wrong-nonce", .wrongNonce), ("full-queue", .fullQueue),
    ]
}
