/// What can go wrong with a radio. Each is something that real ones do.
public struct Misbehaviour: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    // MARK: The line

    /// A line of debug text before every frame, as 2.7 writes it (SerialReference 1.4). Serial lines only.
    public static let debugTextBetweenFrames = Misbehaviour(rawValue: 1)
    /// A line of debug text inside some frames, which are lost by it (SerialReference 14.21). Serial lines only.
    public static let debugTextInsideFrames = Misbehaviour(rawValue: 2)
    /// Some frames break off, and the next one follows (SerialReference 1.4).
    public static let truncatedFrames = Misbehaviour(rawValue: 4)
    /// Nothing comes for 20 simulated seconds now and then (SerialReference 1.7).
    public static let stalls = Misbehaviour(rawValue: 8)
    /// Every second frame comes twice.
    public static let duplicateFrames = Misbehaviour(rawValue: 1 << 8)

    // MARK: The session

    /// A reboot every ``SimulatorOptions/rebootInterval``, with boot text on serial lines (SerialReference 1.5).
    public static let reboots = Misbehaviour(rawValue: 16)
    /// The same without any text: heartbeats are answered, packets are withheld (SerialReference 14.18).
    public static let silentReboots = Misbehaviour(rawValue: 32)
    /// Every second handshake, the first included, ends with somebody else's nonce (SerialReference 2.2).
    public static let wrongNonce = Misbehaviour(rawValue: 64)
    /// Every second handshake, the first included, breaks off after ``SimulatorOptions/handshakeCut`` frames.
    public static let cutHandshakes = Misbehaviour(rawValue: 1 << 9)
    /// Handshakes are whole and heartbeats are answered, but no packet ever comes.
    public static let withheldPackets = Misbehaviour(rawValue: 1 << 10)
    /// It hears nothing and says nothing.
    public static let silence = Misbehaviour(rawValue: 1 << 11)
    /// The serial API is switched off: a line of log text now and then, and no answers (`security.serial_enabled`).
    public static let serialDisabled = Misbehaviour(rawValue: 1 << 12)
    /// A hardened radio that is locked shows its settings zeroed, and no nodes (SerialReference 2.3).
    public static let locked = Misbehaviour(rawValue: 1 << 13)

    // MARK: The queue

    /// Every second packet finds the transmit queue full for five simulated seconds (SerialReference 2.6).
    public static let fullQueue = Misbehaviour(rawValue: 128)
    /// Queue statuses come after the packets that they precede otherwise, the newest first (SerialReference 2.6).
    public static let reorderedStatuses = Misbehaviour(rawValue: 1 << 14)

    // MARK: The settings

    /// No region is set: it neither sends nor receives (SerialReference 2.6).
    public static let regionUnset = Misbehaviour(rawValue: 1 << 15)
    /// Once, after ``SimulatorOptions/rebootInterval``: region, channels, nodes and keys are gone, then it reboots.
    public static let factoryReset = Misbehaviour(rawValue: 1 << 16)
    /// Once, after ``SimulatorOptions/rebootInterval``: a new key, so a new number (SerialReference 5.6), and a reboot.
    public static let numberChange = Misbehaviour(rawValue: 1 << 17)

    /// Once, after ``SimulatorOptions/rebootInterval``: the same without a reboot. A my_info in the live session tells it.
    public static let liveNumberChange = Misbehaviour(rawValue: 1 << 18)
    /// Favourites are refused as by a full list: with a warning, and acknowledged (SerialReference 4.13).
    public static let fullFavorites = Misbehaviour(rawValue: 1 << 19)

    // MARK: The mesh

    /// Nodes send neither telemetry nor position, firmware 2.8's default, and the radio knows neither of any node.
    public static let barrenNodes = Misbehaviour(rawValue: 1 << 20)

    public static let all: [(name: String, value: Misbehaviour)] = [
        ("debug-text-between-frames", .debugTextBetweenFrames), ("debug-text-inside-frames", .debugTextInsideFrames),
        ("truncated-frames", .truncatedFrames), ("stalls", .stalls), ("duplicate-frames", .duplicateFrames),
        ("reboots", .reboots), ("silent-reboots", .silentReboots), ("wrong-nonce", .wrongNonce),
        ("cut-handshakes", .cutHandshakes), ("withheld-packets", .withheldPackets), ("silence", .silence),
        ("serial-disabled", .serialDisabled), ("locked", .locked), ("full-queue", .fullQueue),
        ("reordered-statuses", .reorderedStatuses), ("region-unset", .regionUnset), ("factory-reset", .factoryReset),
        ("number-change", .numberChange), ("live-number-change", .liveNumberChange),
        ("full-favorites", .fullFavorites), ("barren-nodes", .barrenNodes),
    ]
}
