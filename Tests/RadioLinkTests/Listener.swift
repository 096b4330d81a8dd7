import Foundation
import MeshModel
import MeshProtocol
import RadioLink

/// Remembers what a link tells, and waits for it.
final class Listener: RadioLinkDelegate, @unchecked Sendable {  // everything behind the condition's lock
    private let condition = NSCondition()
    private var seen: [RadioEvent] = []
    private var outgoing: [MeshPacket] = []

    func radioLink(_ event: RadioEvent) {
        condition.withLock {
            seen.append(event)
            condition.broadcast()
        }
    }

    func expire(at now: MonotonicTime) -> MonotonicTime? { nil }

    func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        condition.withLock { outgoing.isEmpty ? .wait(until: nil) : .send(outgoing.removeFirst()) }
    }

    func offer(_ packet: MeshPacket) { condition.withLock { outgoing.append(packet) } }

    var events: [RadioEvent] { condition.withLock { seen } }

    var states: [LinkState] { events.states }

    /// Waits until the events so far fulfil a condition.
    ///
    /// - Returns: false after half a minute without.
    func wait(_ isFulfilled: ([RadioEvent]) -> Bool) -> Bool {
        let limit = Date().addingTimeInterval(90)
        return condition.withLock {
            while !isFulfilled(seen) {
                if !condition.wait(until: limit) { return isFulfilled(seen) }
            }
            return true
        }
    }

    /// Waits for the n-th time that the link is live.
    func waitUntilLive(_ times: Int = 1) -> Bool { wait { $0.states.count { $0 == .live } >= times } }

    /// Waits until the last transition is to a state with this problem.
    func waitForProblem(_ name: String) -> Bool { wait { $0.states.last?.problem?.name == name } }
}

extension [RadioEvent] {
    var states: [LinkState] { compactMap { if case .state(let state) = $0 { state } else { nil } } }
}
