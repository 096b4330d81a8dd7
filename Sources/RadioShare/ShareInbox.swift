import Gateway
import MeshModel
import MeshProtocol
import Platform
import Synchronization

/// What other threads have for the share's thread, which sleeps meanwhile.
final class ShareInbox: Sendable {
    enum Event: Sendable {
        /// What has become of a client's packet.
        case submitted(PendingRequest, Submission)
        case administered(PendingRequest, Administration)
        /// What the clients of each port may do from now on; nil: it is closed.
        case narrowed([ClientRight?])
    }

    private struct State {
        var events: [Event] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let wakeEvent: WakeEvent

    /// Nil: there is no descriptor left.
    init?() {
        guard let wakeEvent = WakeEvent() else { return nil }
        self.wakeEvent = wakeEvent
    }

    /// Readable when there is something.
    var descriptor: Int32 { wakeEvent.descriptor }

    func add(_ event: Event) {
        let isFirst = state.withLock { state in
            state.events.append(event)
            return state.events.count == 1
        }
        if isFirst { wake() }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        wake()
    }

    /// Something else is there to be taken.
    func wake() { wakeEvent.signal() }

    func take() -> (events: [Event], isStopped: Bool) {
        wakeEvent.clear()
        return state.withLock { state in
            defer { state.events = [] }
            return (state.events, state.isStopped)
        }
    }
}

/// A packet of a client that an answer is due to.
struct PendingRequest: Sendable {
    /// Number of the connection.
    let client: UInt64
    let packet: ClientPacket
    /// It administers: its queue status went out when it came.
    let isAdmin: Bool
    /// What it asks for can be asked again.
    let isGetter: Bool
    /// The client as the log names it when it has left; nil: then the log says nothing.
    var orderer: RefusedClient?
}
