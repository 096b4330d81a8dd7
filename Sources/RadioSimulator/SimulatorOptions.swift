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
        /// 2.8.1: as 2.8.0; besides, direct messages are acknowledged with a proof, and the server repeats texts under new
        /// ids and names the original's.
        case v2_8_1
    }

    public var seed: UInt64 = 1
    /// Other nodes of the mesh, the radio itself not counted. From ``SimulatedNode/castSize`` on, every role of the
    /// cast is there.
    public var nodes = 24
    public var firmware = Firmware.v2_8
    /// Packets that the mesh sends by itself, per simulated minute; 0 is a silent mesh.
    public var chatter: Double = 12
    /// Whether the radio hands its host its own metrics every simulated minute and statistics every fifteen, as firmware
    /// does. Without, and without ``chatter``, it says nothing by itself.
    public var tellsOwnTelemetry = false
    /// The radio's channels, at most eight; missing ones are disabled.
    public var channels = SimulatorOptions.defaultChannels
    /// A channel of the mesh that the radio does not have; nil: what it cannot read is noise. Firmware 2.7 hands on what it
    /// cannot read, 2.8 keeps it to itself.
    public var hiddenChannel: HiddenChannel?
    /// Config.LoRaConfig.RegionCode; 3 is EU_868, 0 UNSET: the radio refuses to send.
    public var region: UInt32 = 3
    /// As from the shop: no region, no key pair until it has one, a name made of its number, the default channel alone.
    /// ``region`` and ``channels`` do not count then.
    public var isFresh = false
    /// Whether the radio starts with a clock, as one with GPS does. Without, receptions have no time until the host
    /// sets it.
    public var hasClock = true
    /// Bits per second of the line, ten bits a byte, in real time; nil: as fast as the host reads.
    public var baud: Int?
    /// Simulated seconds per real second. It speeds up the mesh, reboots, stalls and the radio's rate limits, not
    /// ``baud`` and ``silenceLimit``.
    public var timeScale: Double = 1
    /// Real seconds without a byte from the host after which the radio closes the session without a word
    /// (SerialReference 2.5).
    public var silenceLimit: Double = 900
    /// Whether packets that come too soon are dropped, as the firmware does (SerialReference 8.2).
    public var limitsRates = true
    public var misbehaviour: Misbehaviour = []
    /// Every how many frames a fault of the line strikes: text inside a frame, a truncated frame, a stall. At least 2.
    /// A handshake without other nodes has about 45 frames.
    public var faultInterval = 60
    /// Simulated seconds between reboots, with ``Misbehaviour/reboots`` or ``Misbehaviour/silentReboots``, and before
    /// what happens once, such as ``Misbehaviour/factoryReset``.
    public var rebootInterval: Double = 120
    /// After how many frames a handshake breaks off, with ``Misbehaviour/cutHandshakes``.
    public var handshakeCut = 20

    public init() {}

    /// A channel's name and key as other radios have them.
    public struct HiddenChannel: Sendable {
        public var name: String
        public var psk: [UInt8]
        /// Its packets are authenticated, as channels of 2.8.1 can be.
        public var usesAEAD: Bool

        public init(name: String, psk: [UInt8], usesAEAD: Bool = false) {
            self.name = name
            self.psk = psk
            self.usesAEAD = usesAEAD
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
