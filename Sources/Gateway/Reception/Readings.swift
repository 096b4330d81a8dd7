import MeshModel
import RadioLink

/// What is noted of packets as they come: which replays were there before, what is worked out about the radio itself, who was
/// asked for neighbours, and when old rows were removed last.
final class Readings: Sendable {
    /// Milliseconds between two times that old rows are removed.
    private static let pruneInterval: Int64 = 3_600_000

    private let state = OwnerLock(State())

    private struct State {
        var replays = KnownReplays()
        var own = OwnReadings()
        var neighbors = NeighborRequests()
        /// Host milliseconds.
        var lastPrune: Int64 = 0
    }

    struct Heard {
        var due: OwnReadings.Due
        /// Old rows are to be removed.
        var prunes: Bool
    }

    /// A radio has introduced itself.
    ///
    /// - Parameter isOther: it is not the one of before.
    func connected(isOther: Bool, at now: Int64) {
        state.withLock { state in
            if isOther { state.replays = KnownReplays() }
            state.own.connected(at: now)
        }
    }

    /// - Parameter own: the radio's number, as far as it has told one.
    /// - Returns: nil: the packet is known, or nobody knows whose radio has it.
    func heard(_ packet: MeshPacket, own: NodeNumber?, at now: Int64) -> Heard? {
        state.withLock { state in
            let isKnown = packet.isReplay && !state.replays.insert(packet)
            guard own != nil, !isKnown else { return nil }
            // A clock that was ahead comes back.
            let prunes = abs(now - state.lastPrune) >= Self.pruneInterval
            if prunes { state.lastPrune = now }
            return Heard(due: state.own.heard(packet, at: now), prunes: prunes)
        }
    }

    func asked(_ traceroute: OwnReadings.Asked) { state.withLock { $0.own.ask(traceroute) } }

    /// Milliseconds until the node may be asked for its neighbours; nil: now.
    func waitForNeighbors(of node: NodeNumber, at now: Int64) -> Int64? {
        state.withLock { $0.neighbors.wait(for: node, at: now) }
    }

    func askedForNeighbors(_ node: NodeNumber, at now: Int64) { state.withLock { $0.neighbors.note(node, at: now) } }
}
