import Platform

/// How much is taken from a broker: so many texts or commands at once, and so many a minute after that. A value, so that tests
/// need not wait.
struct BrokerAllowance: Sendable {
    private let most: Double
    private let perMillisecond: Double
    private var left: Double
    /// Up to when ``left`` was counted, in steady milliseconds.
    private var countedAt: Int64?

    init(atOnce: Int, perMinute: Int) {
        (most, left, perMillisecond) = (Double(atOnce), Double(atOnce), Double(perMinute) / 60_000)
    }

    /// For one conversation, and for all of them together. The change log keeps 20,000 changes for everybody.
    static let ofOne = BrokerAllowance(atOnce: 2_000, perMinute: 10)
    static let ofAll = BrokerAllowance(atOnce: 4_000, perMinute: 40)

    /// - Returns: false: there are too many.
    mutating func take(at now: Int64) -> Bool {
        if let countedAt { left = min(most, left + Double(max(0, now - countedAt)) * perMillisecond) }
        countedAt = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
