import MeshModel
import RadioLink
import Store

// A radio that restarts as it was told is back in half a minute. Clients go on meanwhile as if it were there, and some leave at
// once: what they order then waits for the radio, in its order, for a minute.

extension AttachedRadio {
    /// Nanoseconds for which an order waits.
    static let restartPatience: MonotonicTime = 60_000_000_000

    /// The radio has left as it was told, and is not back yet.
    var isRestarting: Bool { administration.isRestarting(at: monotonic()) }

    func isRestarting(of source: SourceID) -> Bool { isRestarting && feeds(source) }

    /// For the orders' thread, which waits while the radio restarts.
    ///
    /// - Returns: false: it is not back by then, or the gateway stops.
    func awaitRestart(of source: SourceID, until deadline: MonotonicTime) -> Bool {
        while true {
            let now = monotonic()
            // It goes on waiting when the restart takes longer than it should.
            let isAway = administration.hasLeftToRestart && !takesPackets(of: source)
            guard isAway else { return true }
            guard now < deadline, awaitChange() else { return false }
        }
    }

    /// The refusal came because the radio restarted: the order is to be given again.
    func isLostByRestart(_ refusal: RadioRefusal, before deadline: MonotonicTime) -> Bool {
        guard refusal == .notConnected || refusal == .silent else { return false }
        let now = monotonic()
        guard administration.isRestartDue(at: now), now < deadline else { return false }
        // The link may take a moment to see it.
        return isRestarting || awaitChange()
    }

    /// Until the link's state changes, for a second at most.
    ///
    /// - Returns: false: the gateway stops.
    private func awaitChange() -> Bool {
        let change = PromisedValue<AdminOutcome>()
        let awaited = administration.awaited
        guard awaited.begin(change) else { return false }
        defer { awaited.end(change) }
        administration.add(change)
        _ = change.wait(seconds: 1)
        administration.remove(change)
        return !awaited.areOver
    }

    /// The link's state has changed.
    func wakeOrders() {
        for change in administration.takeAwaitedChanges() { change.bring(.notConnected) }
    }
}
