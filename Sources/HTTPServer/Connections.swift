// The open connections, and the end of those whose request does not get finished.
//
// 1. libmicrohttpd's timeout starts anew with each byte. A client that sends one byte a second holds its place for
//    ever, and a few hundred of them hold all places.
// 2. So each connection that owes us (the rest of) a request has a deadline. A connection between requests gets the
//    idle timeout on top: libmicrohttpd closes it before, unless bytes trickle in.
// 3. One thread sleeps until the earliest deadline. Without connections it sleeps without end: no periodic timer.

import Glibc
import Synchronization

final class Connections: Sendable {
    private let idleTime: UInt64
    private let requestTime: UInt64
    private let state = Mutex(State())
    private let sweeperBell: Bell
    private let closedBell: Bell
    /// When the sweeper will look again by itself. It is .max while the sweeper looks, so that a deadline set behind
    /// its back rings the bell.
    private let nextSweep = Atomic<UInt64>(.max)

    private struct State {
        var open: [ObjectIdentifier: Connection] = [:]
        var isStopping = false
        var sweeper: pthread_t?
    }

    init(limits: Limits) throws(HTTPServerError) {
        idleTime = UInt64(limits.idleSeconds) * 1_000_000_000
        requestTime = limits.requestTime.nanoseconds
        sweeperBell = try Bell()
        closedBell = try Bell()
    }

    var count: Int { state.withLock { $0.open.count } }
    var isStopping: Bool { state.withLock { $0.isStopping } }

    // MARK: What libmicrohttpd reports, on its threads

    func opened(_ descriptor: Int32) -> Connection {
        let deadline = monotonicNow() + requestTime
        let connection = Connection(descriptor: descriptor, deadline: deadline)
        let isStopping = state.withLock { state in
            state.open[ObjectIdentifier(connection)] = connection
            return state.isStopping
        }
        if isStopping { connection.endIfIdle() }
        expect(deadline)
        return connection
    }

    func requestBegan(_ connection: Connection) {
        let deadline = monotonicNow() + requestTime
        connection.becomeReceiving(until: deadline)
        expect(deadline)
    }

    func requestEnded(_ connection: Connection) {
        let deadline = monotonicNow() + idleTime + requestTime
        connection.becomeIdle(until: deadline)
        if isStopping { connection.endIfIdle() }
        expect(deadline)
    }

    func closed(_ connection: Connection) {
        connection.becomeClosed()
        let isStopping = state.withLock { state in
            state.open[ObjectIdentifier(connection)] = nil
            return state.isStopping
        }
        if isStopping { closedBell.ring() }
    }

    private func expect(_ deadline: UInt64) {
        if deadline < nextSweep.load(ordering: .sequentiallyConsistent) { sweeperBell.ring() }
    }

    // MARK: The sweeper

    func startSweeping() throws(HTTPServerError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, 256 << 10)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, &attributes,
            { context in
                Unmanaged<Connections>.fromOpaque(context!).takeRetainedValue().sweepUntilStopped()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .system(call: "pthread_create", subject: "the HTTP server", code: code)
        }
        state.withLock { $0.sweeper = thread }
    }

    private func sweepUntilStopped() {
        while true {
            nextSweep.store(.max, ordering: .sequentiallyConsistent)
            let (connections, isStopping) = state.withLock { (Array($0.open.values), $0.isStopping) }
            if isStopping { return }
            let now = monotonicNow()
            let next = connections.reduce(UInt64.max) { min($0, $1.enforce(now: now)) }
            nextSweep.store(next, ordering: .sequentiallyConsistent)
            sweeperBell.wait(until: next)
        }
    }

    // MARK: Stopping

    /// Ends idle connections, and the others when their answer is sent; returns when none is left or the time is up.
    func drain(within time: Duration) {
        let deadline = monotonicNow() + time.nanoseconds
        let (connections, sweeper) = state.withLock { state in
            state.isStopping = true
            defer { state.sweeper = nil }
            return (Array(state.open.values), state.sweeper)
        }
        sweeperBell.ring()
        if let sweeper { pthread_join(sweeper, nil) }
        connections.forEach { $0.endIfIdle() }
        while count > 0, monotonicNow() < deadline { closedBell.wait(until: deadline) }
    }
}
