import Glibc
import Platform
import RadioLink
import Store
import Synchronization

// The thread that writes may be slow: a busy disk, a busy host. What the link tells meanwhile waits in the store's queue,
// and what follows from it in memory must not depend on how long.
//
// A held writer sleeps in the changes themselves: before an event is passed on to the gateway, a change that does nothing
// but wait is put into the queue, unless one waits there already. So each wake-up of the writer comes late, and all that the
// link has told in the meantime is done in one go.

/// How long the writer is held back.
public enum Hold: Hashable, Sendable, CustomStringConvertible {
    case milliseconds(UInt32)
    /// From each handshake to the next one. When the link and the gateway's clients have come to a stop, they wait for the
    /// writer: then it goes on.
    case untilTheNextHandshake

    public static let all: [Hold] = [.milliseconds(0), .milliseconds(10), .milliseconds(40), .untilTheNextHandshake]

    public var description: String {
        switch self {
        case .milliseconds(let time): "\(time) ms"
        case .untilTheNextHandshake: "until the next handshake"
        }
    }
}

/// Stands between a link and the gateway's side of it, and holds the store's writer back.
public final class HeldWriter: RadioLinkDelegate {
    private struct State {
        var store: Store?
        var target: (any RadioLinkDelegate)?
        /// A change that waits is in the queue.
        var isHeld = false
        var handshakes = 0
        /// Grows with whatever happens.
        var events = 0
    }

    private let hold: Hold
    private let state = Monitor(State())

    /// Without an event for so long, everybody waits for the writer.
    private static let stillness: UInt64 = 60_000_000

    public init(_ hold: Hold) { self.hold = hold }

    /// - Parameter target: the gateway's side.
    public func attach(_ target: any RadioLinkDelegate, store: Store) {
        state.withLock { ($0.target, $0.store) = (target, store) }
    }

    public func radioLink(_ event: RadioEvent) {
        let isHandshake = if case .configured = event { true } else { false }
        holdBack(isHandshake: isHandshake)
        target?.radioLink(event)
    }

    public func nextPacket(at now: MonotonicTime, queueFree: Int) -> PacketOffer {
        target?.nextPacket(at: now, queueFree: queueFree) ?? .wait(until: nil)
    }

    public func expire(at now: MonotonicTime) -> MonotonicTime? { target?.expire(at: now) }

    private var target: (any RadioLinkDelegate)? { state.withLock { $0.target } }

    private func holdBack(isHandshake: Bool) {
        if hold == .milliseconds(0) { return }
        let store: Store? = state.notify { state in
            state.events += 1
            if isHandshake { state.handshakes += 1 }
            // One that ends with this handshake does not hold back what follows from it.
            guard !state.isHeld || isHandshake && hold == .untilTheNextHandshake else { return nil }
            state.isHeld = true
            return state.store
        }
        guard let store else { return }
        let handshakes = state.withLock { $0.handshakes }
        store.enqueue(.grouped, { [self] _ in wait(after: handshakes) }, done: { _ in })
    }

    /// On the writer thread.
    private func wait(after handshakes: Int) {
        switch hold {
        case .milliseconds(let time): usleep(time * 1000)
        case .untilTheNextHandshake:
            var events = -1
            while true {
                let isOver: Bool? = state.wait(until: MonotonicClock.nanoseconds() + Self.stillness) { state, isLate in
                    if state.handshakes > handshakes { return true }
                    if state.events != events, events >= 0 {
                        events = state.events
                        return false
                    }
                    if events < 0 { events = state.events }
                    return isLate ? true : nil
                }
                if isOver != false { break }
            }
        }
        state.withLock { $0.isHeld = false }
    }
}
