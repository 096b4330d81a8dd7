import Store

// How much a target gets. Free services give out so many notifications a day, and strangers in the mesh can make as many as they
// like: without an allowance what matters would be refused for the rest of the day.
//
// 1. A part of it is for urgent notifications. Lost radios, failing disks and problems pass in any case, and count.
// 2. What is over waits, and is one summary an hour. It waits for that also when there is room again before, so that a flood is
//    not told one by one whenever the hour lets one through.
// 3. Summaries count. Room for those of the rest of the day is kept free, so that a flood in the morning leaves the evening its
//    summaries and the urgent ones their part.

/// How many notifications a target may get. Without a number there is no limit.
struct Allowance: Hashable, Sendable {
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 86_400_000
    /// Of each limit that a file may set.
    static let limits = 1...10_000

    /// In any hour.
    var perHour: Int?
    /// In any day.
    var perDay: Int?

    /// What a free topic of ntfy.sh can bear.
    static let ofPhones = Allowance(perHour: 60, perDay: 200)
    static let unlimited = Allowance()

    var isUnlimited: Bool { perHour == nil && perDay == nil }

    enum Kind: Hashable {
        case ordinary
        /// `priority = high`
        case urgent
        /// About the radio, the disk or a problem.
        case exempt

        init(type: String, priority: FeedRow.Priority?) {
            switch type {
            case "radio-lost", "radio-back", "storage-failing", "problem": self = .exempt
            default: self = priority == .high ? .urgent : .ordinary
            }
        }
    }

    /// - Parameters:
    ///   - sends: what it has got.
    ///   - now: milliseconds of uptime.
    func allows(_ kind: Kind, after sends: RecentSends, at now: Int64) -> Bool {
        func isBelow(_ limit: Int?, _ kept: Int, _ period: Int64) -> Bool {
            limit.map { sends.count(within: period, at: now) + kept < $0 } ?? true
        }
        switch kind {
        case .exempt: return true
        case .urgent: return isBelow(perHour, 0, Self.hour) && isBelow(perDay, 0, Self.day)
        case .ordinary:
            return isBelow(perHour, urgentPerHour, Self.hour)
                && isBelow(perDay, urgentPerDay + summariesToCome(after: sends, at: now), Self.day)
        }
    }

    /// The last sixth of an hour's.
    private var urgentPerHour: Int { (perHour ?? 0) / 6 }
    /// The last fifteen of a hundred.
    private var urgentPerDay: Int { (perDay ?? 0) * 3 / 20 }

    /// Milliseconds between two summaries: an hour. Where a day's are few, more, so that summaries take half of them at most.
    var summaryInterval: Int64 {
        guard let perDay else { return Self.hour }
        return min(max(Self.hour, Self.day * 2 / Int64(max(1, perDay - urgentPerDay))), Self.day)
    }

    /// Summaries that may be needed before the oldest of the last day no longer counts.
    private func summariesToCome(after sends: RecentSends, at now: Int64) -> Int {
        let left = sends.oldest(at: now).map { max(0, $0 + RecentSends.slot + Self.day - now) } ?? Self.day
        return Int((left + summaryInterval - 1) / summaryInterval)
    }
}

/// What a target has got in the last day, in slots of five minutes, by the clock that nobody sets. A slot counts as a whole until
/// its end is old enough.
struct RecentSends: Hashable {
    /// Milliseconds.
    static let slot: Int64 = 300_000

    private struct Slot: Hashable {
        /// Milliseconds of uptime; below 0 if it is of an earlier run.
        var begin: Int64
        var count: Int
    }

    private var slots: [Slot] = []
    /// Of an earlier run, while this computer's clock is not set: nobody knows how long ago that was.
    private var unplaced: [SentCount] = []

    init(_ stored: [SentCount], at now: SendTime) {
        unplaced = stored
        place(at: now)
    }

    /// Finds out how long ago an earlier run's were, once the clock is set.
    mutating func place(at now: SendTime) {
        guard !unplaced.isEmpty, now.isSure else { return }
        // One that is to come was sent by a clock that went ahead.
        let placed = unplaced.map { Slot(begin: now.uptime - max(0, now.at - $0.at), count: $0.count) }
        slots = (placed + slots).sorted { $0.begin < $1.begin }
        unplaced = []
    }

    /// One more was sent.
    mutating func add(at now: SendTime) {
        slots.removeAll { $0.begin + Self.slot + Allowance.day <= now.uptime }
        if let last = slots.last, now.uptime - last.begin < Self.slot {
            slots[slots.count - 1].count += 1
        } else {
            slots.append(Slot(begin: now.uptime, count: 1))
        }
    }

    /// - Parameters:
    ///   - period: milliseconds.
    ///   - now: milliseconds of uptime.
    func count(within period: Int64, at now: Int64) -> Int {
        unplaced.reduce(0) { $0 + $1.count }
            + slots.reduce(0) { $0 + ($1.begin + Self.slot + period > now ? $1.count : 0) }
    }

    /// When the oldest slot that still counts began, in milliseconds of uptime.
    ///
    /// - Parameter now: milliseconds of uptime.
    func oldest(at now: Int64) -> Int64? {
        unplaced.isEmpty ? slots.first { $0.begin + Self.slot + Allowance.day > now }?.begin : now
    }

    /// As it is kept over a restart.
    func stored(at now: SendTime) -> [SentCount] {
        unplaced + slots.map { SentCount(at: now.at - (now.uptime - $0.begin), count: $0.count) }
    }
}
