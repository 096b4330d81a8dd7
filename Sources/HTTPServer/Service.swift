import Platform
import Synchronization

/// What all listeners of a server have in common.
final class Service: Sendable {
    let limits: Limits
    let rules: ClientRules
    let memory: AnswerMemory
    let handler: @Sendable (Request) -> Response
    let refused: @Sendable (RefusalReason) -> Response
    let stalled: @Sendable (Peer) -> Void
    let connections: Connections
    /// Since when requests from the network have been with the handler, by connection; nanoseconds of `MonotonicClock.nanoseconds()`.
    private let handled = Mutex<[ObjectIdentifier: UInt64]>([:])

    init(
        limits: Limits, rules: ClientRules, handler: @escaping @Sendable (Request) -> Response,
        refused: @escaping @Sendable (RefusalReason) -> Response, quiet: @escaping @Sendable () -> Void,
        stalled: @escaping @Sendable (Peer) -> Void,
        unread: @escaping @Sendable (_ last: Peer, _ count: Int) -> Void
    ) throws(HTTPServerError) {
        self.limits = limits
        self.rules = rules
        memory = AnswerMemory(limit: limits.memoryBytes)
        self.handler = handler
        self.refused = refused
        self.stalled = stalled
        connections = try Connections(limits: limits, quiet: quiet, unread: unread)
    }

    /// Nanoseconds for which the oldest request from the network has been with the handler; 0: there is none.
    var longestHandling: UInt64 {
        let oldest = handled.withLock { $0.values.min() }
        return oldest.map { MonotonicClock.nanoseconds() - $0 } ?? 0
    }

    /// The handler's answer. A command of this machine may have to wait for its one, and has threads of its own.
    func response(to request: Request, on connection: HTTPConnection) -> Response {
        guard let turns = connection.served.turns else { return handler(request) }
        let id = ObjectIdentifier(connection)
        let start = MonotonicClock.nanoseconds()
        handled.withLock { $0[id] = start }
        defer {
            handled.withLock { $0[id] = nil }
            if let requester = connection.requester {
                turns.count(MonotonicClock.nanoseconds() - start, of: requester)
            }
        }
        return handler(request)
    }
}
