/// How good people call a signal.
public enum SignalGrade: String, CaseIterable, Sendable { case weak, fair, good }

/// From which SNR on a signal is good, fair or weak. It goes by the modem: a slow one still reads what a fast one has lost.
public struct SignalScale: Hashable, Sendable {
    /// dB below which a receiver reads nothing any more.
    public let limit: Double
    /// dB from which a signal is fair, and from which it is good.
    public var fair: Double { limit + 5 }
    public var good: Double { limit + 12 }

    /// - Parameter lora: nil: nobody said how the radio is set, which then counts as set as it comes out of its box.
    public init(_ lora: LoRaSettings?) { self.init((lora ?? LoRaSettings()).modem) }

    /// SX126x, table of spreading factors: -7.5 dB at 7, and 2.5 dB less for each one more.
    public init(_ modem: ModemPreset.Modem) {
        limit = -7.5 - 2.5 * Double(min(max(modem.spreadingFactor, 7), 12) - 7)
    }

    /// - Parameter snr: in dB.
    public func grade(of snr: Double) -> SignalGrade { snr >= good ? .good : snr >= fair ? .fair : .weak }
}
