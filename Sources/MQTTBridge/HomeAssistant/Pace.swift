/// How much is published in one go. For a client that is slow to take its messages, mosquitto keeps 1,000 (its
/// max_queued_messages) and drops the rest without a word: a Home Assistant that makes thousands of entities would miss values.
struct Pace {
    /// Messages at once after a pause.
    static let burst = 500
    /// Messages a second after that, so that a client may stand still for ten seconds.
    static let perSecond: Int64 = 50
    /// The fewest that are worth waking up for.
    static let step = 25

    private static let gap = 1_000 / perSecond
    private var left = Pace.burst
    /// Up to when ``left`` was counted, in steady milliseconds.
    private var countedAt: Int64 = .min / 2
    private var isWaiting = false

    /// How many messages may be published now.
    mutating func room(at now: Int64) -> Int {
        let earned = max(0, now - countedAt) / Self.gap
        if earned >= Int64(Self.burst - left) {
            (left, countedAt) = (Self.burst, now)
        } else {
            left += Int(earned)
            countedAt += earned * Self.gap
        }
        if left >= Self.step { isWaiting = false }
        return isWaiting ? 0 : left
    }

    /// Notes that so many were published.
    mutating func take(_ count: Int) {
        left -= count
        if left <= 0 { isWaiting = true }
    }

    /// When there is room, in steady milliseconds; nil if there is some now.
    var opensAt: Int64? { isWaiting ? countedAt + Int64(Self.step - left) * Self.gap : nil }
}
