import MeshModel
import RadioLink
import Store

// A radio that restarts as it was told is back in half a minute. Clients go on meanwhile as if it were there, and some leave at
// once: what they order then waits for the radio, in its order, for a minute.

extension AttachedRadio {
    /// Nanoseconds for which an order waits.
    static let restartPatience: MonotonicTime = 60_000_000_000

    /// The radio has left as it was told, and is not back yet.
    var isRestarting: Bool {
        let now = monotonic()
        return state.withLock { $0.isRestarting(at: now) }
    }

    func isRestarting(of source: SourceID) -> Bool { isRestarting && feeds(source) }

    /// For the orders' thread, which waits while the radio restarts.
    ///
    /// - Returns: false: it is not back by then, or the gateway stops.
    func awaitRestart(of source: SourceID, until deadline: MonotonicTime) -> Bool {
        while true {
            let now = monotonic()
            // It goes on waiting when the restart takes longer than it should.
            let isAway = state.withLock { $0.hasLeftToRestart && !$0.takesPackets(of: source) }
            guard isAway else { return true }
            guard now < deadline, awaitChange() else { return false }
        }
    }

    /// The refusal came because the radio restarted: the order is to be given again.
    func isLostByRestart(_ refusal: RadioRefusal, before deadline: MonotonicTime) -> Bool {
        guard refusal == .notConnected || refusal == .silent else { return false }
        let now = monotonic()
        let isDue = state.withLock { $0.isRestarting(at: now) || !$0.hasRestarted && $0.isRestartOrdered(at: now) }
        guard isDue, now < deadline else { return false }
        // The link may take a moment to see it.
        return isRestarting || awaitChange()
    }

    /// Until the link's state changes, for a second at most.
    ///
    /// - Returns: false: the gateway stops.
    private func awaitChange() -> Bool {
        let change = PromisedValue<AdminOutcome>()
        guard awaited.begin(change) else { return false }
        defer { awaited.end(change) }
        state.withLock { $0.awaitedChanges.append(change) }
        _ = change.wait(seconds: 1)
        state.withLock { $0.awaitedChanges.removeAll { $0 === change } }
        return !awaited.areOver
    }

    /// The link's state has changed.
    func wakeOrders() {
        let waiting = state.withLock { state in
            defer { state.awaitedChanges = [] }
            return state.awaitedChanges
        }
        for change in waiting { change.bring(.notConnected) }
    }
}

extension AttachedRadio.State {
    func isRestartOrdered(at now: MonotonicTime) -> Bool { orderedRestart?.contains(now) ?? false }

    func isRestarting(at now: MonotonicTime) -> Bool {
        hasLeftToRestart && orderedRestart.map { now <= $0.upperBound } ?? false
    }

    /// The link is in another state now.
    mutating func noteRestart(at now: MonotonicTime) {
        switch link {
        case .live:
            if hasLeftToRestart { (hasLeftToRestart, hasRestarted) = (false, true) }
        case .configuring: break
        default: if isRestartOrdered(at: now), !hasRestarted { hasLeftToRestart = true }
        }
    }
}
