import Synchronization

// What the log says of changes that were not stored.
//
// A mesh that talks faster than the disk writes, and a disk that fails, lose a change with every packet. One line for each
// would be thousands a second. So the first one is told at once, and the others by their number: when the loss is over,
// and once a minute while it goes on. Nobody wakes up for that: the next change, lost or stored, brings the line.

/// Counts changes that were not stored, and says when it is worth a line.
final class UnstoredChanges: Sendable {
    /// Nanoseconds between two lines while changes are lost.
    private static let pause: UInt64 = 60_000_000_000
    /// Nanoseconds without a loss after which it is over.
    private static let quiet: UInt64 = 5_000_000_000

    private struct State {
        /// Since the last line.
        var count = 0
        var lastReason = ""
        /// Nanoseconds of the link's time: when the last line was written and the last change lost.
        var toldAt: UInt64 = 0
        var lostAt: UInt64 = 0

        /// Also begins to count from there.
        mutating func line(at now: UInt64) -> String {
            defer { (count, toldAt) = (0, now) }
            let (changes, seconds) = (count == 1 ? "change" : "changes", max((now - toldAt) / 1_000_000_000, 1))
            return "not stored: \(count) more \(changes) in \(seconds) s, the last because \(lastReason)"
        }
    }

    private let state = Mutex(State())
    /// There may be something to tell.
    private let isLosing = Atomic(false)

    /// A change was not stored.
    ///
    /// - Parameter now: nanoseconds that nobody sets.
    /// - Returns: what is to be logged, if anything.
    func lost(_ reason: String, at now: UInt64) -> String? {
        state.withLock { state in
            defer { state.lostAt = now }
            state.lastReason = reason
            guard isLosing.exchange(true, ordering: .relaxed) else {
                state.toldAt = now
                return "not stored: \(reason)"
            }
            state.count += 1
            return now - state.toldAt < Self.pause ? nil : state.line(at: now)
        }
    }

    /// A change was stored.
    func stored(at now: @autoclosure () -> UInt64) -> String? {
        guard isLosing.load(ordering: .relaxed) else { return nil }
        let now = now()
        return state.withLock { state -> String? in
            guard now - state.lostAt >= Self.quiet, isLosing.exchange(false, ordering: .relaxed), state.count > 0 else {
                return nil
            }
            return state.line(at: state.lostAt)
        }
    }
}
