// How long a packet is on the air, and how long the radio tries (SerialReference 6.3).

extension LoRaSettings {
    /// A modem that was set by hand is taken for the slowest.
    public var modem: ModemPreset.Modem { usePreset ? modemPreset.modem : ModemPreset.slowest }

    /// Seconds after which no word about a direct message is to be expected any more: twice what three transmissions of
    /// the longest packet take, and a minute at least, as the acknowledgement has to come back over as many hops; then
    /// the pause of 20 s that some USB radios make (SerialReference 1.7).
    public var patience: Double {
        max(60, 2 * 3 * modem.retransmissionInterval(bytes: 255)) + 20
    }
}

extension ModemPreset {
    public struct Modem: Sendable {
        /// Bits in a symbol.
        public var spreadingFactor: Int
        /// kHz.
        public var bandwidth: Double
        /// 5 to 8: so many bits are sent for four.
        public var codingRate: Int

        public init(spreadingFactor: Int, bandwidth: Double, codingRate: Int) {
            self.spreadingFactor = spreadingFactor
            self.bandwidth = bandwidth
            self.codingRate = codingRate
        }
    }

    static let slowest = Modem(spreadingFactor: 12, bandwidth: 125, codingRate: 8)

    /// The slowest for a number that is not known.
    public var modem: Modem {
        let index = Int(rawValue)
        return Self.modems.indices.contains(index) ? Self.modems[index] : Self.slowest
    }

    /// In the order of the presets' numbers; VERY_LONG_SLOW is no longer made and counts as the slowest.
    private static let modems: [Modem] = [
        (11, 250, 5), (12, 125, 8), (12, 125, 8), (10, 250, 5), (9, 250, 5), (8, 250, 5), (7, 250, 5), (11, 125, 8),
        (7, 500, 5), (11, 500, 8), (9, 125, 5), (10, 125, 5), (7, 62.5, 6), (8, 62.5, 6), (7, 15.6, 5), (8, 15.6, 6),
        (9, 500, 5),
    ].map { Modem(spreadingFactor: $0.0, bandwidth: $0.1, codingRate: $0.2) }
}

extension ModemPreset.Modem {
    private static let preamble = 16.0
    /// Seconds that a radio takes for itself after each transmission.
    private static let processing = 4.5

    /// Seconds of a symbol.
    private var symbol: Double { Double(1 << spreadingFactor) / (bandwidth * 1000) }

    /// Seconds on the air of a packet of so many bytes, its header included (Semtech AN1200.13).
    public func airtime(bytes: Int) -> Double {
        // From 16 ms a symbol on the receiver needs the low data rate optimisation.
        let lowRate = symbol > 0.016 ? 2 : 0
        let bits = 8 * bytes - 4 * spreadingFactor + 28 + 16
        let symbols =
            8 + max(0, (Double(bits) / Double(4 * (spreadingFactor - lowRate))).rounded(.up)) * Double(codingRate)
        return (Self.preamble + 4.25 + symbols) * symbol
    }

    /// Seconds between two transmissions of a packet that nobody confirms, on an idle channel.
    public func retransmissionInterval(bytes: Int) -> Double {
        let slot = 2.5 * symbol + 0.0076
        // 2^3: the contention window of an idle channel.
        return 2 * airtime(bytes: bytes) + (8 + 16 + 32) * slot + Self.processing
    }
}
