// How long a value counts. Home Assistant makes a sensor unavailable after `expire_after` seconds without a message, and the broker
// drops the message at the same time. A change of `expire_after` makes the sensor unavailable for a moment, so there are
// few steps and changes are rare.

/// How long the values of one group of a device count, and how that changes.
struct Life: Hashable, Sendable {
    /// The possible hours.
    static let steps: [Int64] = [2, 6, 12, 24, 48]
    /// Until three gaps are known.
    static let first: Int64 = 12
    /// How many reports count: one more than gaps.
    static let reports = 9
    /// The least time between two changes, in milliseconds.
    static let pause: Int64 = 24 * 3_600_000

    private(set) var hours = Life.first
    /// Host milliseconds; nil if never.
    private(set) var changedAt: Int64?

    init() {}

    init(hours: Int64, changedAt: Int64?) { (self.hours, self.changedAt) = (hours, changedAt) }

    var seconds: Int64 { hours * 3600 }

    /// - Parameter times: host milliseconds of the last reports, in any order; the newest nine count.
    /// - Returns: whether it changed.
    mutating func adapt(to times: [Int64], at now: Int64) -> Bool {
        let wanted = Self.hours(for: times)
        // A clock that was set back does not prolong the pause.
        if let changedAt, (0..<Self.pause).contains(now - changedAt) { return false }
        guard wanted != hours else { return false }
        (hours, changedAt) = (wanted, now)
        return true
    }

    /// The smallest step of at least three times the median of the last eight gaps, else the longest step.
    static func hours(for times: [Int64]) -> Int64 {
        let times = times.sorted(by: >).prefix(reports)
        let gaps = zip(times, times.dropFirst()).map { $0 - $1 }.sorted()
        guard gaps.count >= 3 else { return first }
        let middle = gaps.count / 2
        let median = gaps.count.isMultiple(of: 2) ? (gaps[middle - 1] + gaps[middle]) / 2 : gaps[middle]
        return steps.first { $0 * 3_600_000 >= 3 * median } ?? steps[steps.count - 1]
    }
}
