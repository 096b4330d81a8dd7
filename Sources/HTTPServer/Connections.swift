// The open connections, and the end of those whose request does not get finished.
//
// 1. libmicrohttpd's timeout starts anew with each byte. A client that sends one byte a second holds its place for
//    ever, and a few hundred of them hold all places.
// 2. So each connection that owes us (the rest of) a request has a deadline. A connection between requests gets the
//    idle timeout on top: libmicrohttpd closes it before, unless bytes trickle in.
// 3. One thread sleeps until the earliest deadline. Without connections it sleeps without end: no periodic timer.
// 4. That takes a minute, in which connections that were begun faster would leave no place for anybody else. So before
//    the last places are taken, each new connection makes the one leave for whose client we have waited longest.
// 5. A connection whose live answer has nothing to send is out of libmicrohttpd's sight, which learns of a client that
//    has left only by writing to it. So the same thread watches for that. It does so, too, while an answer is to come later.
// 6. Answers take memory between what lives longer, and leave holes there. That thread gives them back when it is awake
//    for a deadline, which comes a minute after clients were there: nobody wakes up for it.

import CShims
import Glibc
import Platform
import Synchronization

final class Connections: Sendable {
    private let idleTime: UInt64
    private let requestTime: UInt64
    private let answerTime: UInt64
    private let liveLimit: Int
    private let localLiveLimit: Int
    /// On one listener: with more, somebody has to leave for each that comes. Few connections are not worth it.
    private let crowd: Int
    private let quiet: @Sendable () -> Void
    private let state = Mutex(State())
    private let sweeperWakeEvent: WakeEvent
    private let closedWakeEvent: WakeEvent
    /// When the sweeper will look again by itself. It is .max while the sweeper looks, so that a deadline set behind
    /// its back signals the event.
    private let nextSweep = Atomic<UInt64>(.max)

    private struct State {
        var open: [ObjectIdentifier: HTTPConnection] = [:]
        var isStopping = false
        /// Answers under way have no time left.
        var isCutting = false
        var sweeper: Thread?
    }

    init(limits: Limits, quiet: @escaping @Sendable () -> Void) throws(HTTPServerError) {
        self.quiet = quiet
        idleTime = UInt64(limits.idleSeconds) * 1_000_000_000
        requestTime = limits.requestTime.nanoseconds
        answerTime = limits.answerTime.nanoseconds
        liveLimit = limits.liveBodies
        localLiveLimit = limits.localLiveBodies
        crowd = limits.connections - limits.connections / 16
        sweeperWakeEvent = try .made()
        closedWakeEvent = try .made()
    }

    var count: Int { state.withLock { $0.open.count } }
    var isStopping: Bool { state.withLock { $0.isStopping } }
    var all: [HTTPConnection] { state.withLock { Array($0.open.values) } }

    // MARK: What libmicrohttpd reports, on its threads

    /// A handshake, if there is one, counts as part of the first request.
    func opened(_ descriptor: Int32, at servedSocket: ServedSocket) -> HTTPConnection {
        let deadline = MonotonicClock.nanoseconds() + requestTime
        let connection = HTTPConnection(descriptor: descriptor, at: servedSocket, deadline: deadline)
        let isStopping = state.withLock { state in
            state.open[ObjectIdentifier(connection)] = connection
            return state.isStopping
        }
        if isStopping { connection.endIfIdle() }
        makeRoom(at: connection.servedSocket)
        expect(deadline)
        return connection
    }

    /// One that answers or waits for nothing is left alone: those end by themselves, or are few.
    private func makeRoom(at servedSocket: ObjectIdentifier) {
        let longest = state.withLock { state in
            var count = 0
            var longest: (connection: HTTPConnection, since: UInt64)?
            for connection in state.open.values where connection.servedSocket == servedSocket {
                count += 1
                guard let since = connection.waitsSince, since < longest?.since ?? .max else { continue }
                longest = (connection, since)
            }
            return count > crowd ? longest?.connection : nil
        }
        longest?.makeRoom()
    }

    func requestBegan(_ connection: HTTPConnection, on handle: OpaquePointer) {
        let deadline = MonotonicClock.nanoseconds() + requestTime
        connection.becomeReceiving(on: handle, until: deadline)
        expect(deadline)
    }

    func requestEnded(_ connection: HTTPConnection) {
        let deadline = MonotonicClock.nanoseconds() + idleTime + requestTime
        let wasWatched = connection.becomeIdle(until: deadline)
        if isStopping { connection.endIfIdle() }
        // poll(2) holds what it waits for: a socket would not be closed before it returns.
        if wasWatched { sweeperWakeEvent.signal() }
        expect(deadline)
    }

    /// How many live bodies those may have who come the same way.
    func limit(of connection: HTTPConnection) -> Int { connection.isLocal ? localLiveLimit : liveLimit }

    /// The answer is a live body from now on; false: there are too many already.
    func go(live connection: HTTPConnection, with body: LiveBody) -> Bool {
        let limit = limit(of: connection)
        let (isAdmitted, isStopping) = state.withLock { state in
            let count = state.open.values.count { $0.isLocal == connection.isLocal && $0.isLive }
            guard count < limit else { return (false, false) }
            body.expectDeadlines { [weak self] in self?.expect($0) }
            connection.becomeLive(body)
            return (true, state.isStopping)
        }
        if isStopping { connection.endLive() }
        sweeperWakeEvent.signal()
        return isAdmitted
    }

    /// The answer comes later; false: the server has no time left for it.
    func wait(_ connection: HTTPConnection, for later: LaterAnswer) -> Bool {
        let deadline = MonotonicClock.nanoseconds() + answerTime
        let isCutting = state.withLock { state in
            if !state.isCutting { connection.becomeWaiting(for: later, until: deadline) }
            return state.isCutting
        }
        sweeperWakeEvent.signal()
        return !isCutting
    }

    /// The answer that came later is there.
    func waited(_ connection: HTTPConnection) {
        if connection.becomeAnswering() { sweeperWakeEvent.signal() }
    }

    func closed(_ connection: HTTPConnection) {
        connection.becomeClosed()
        let isStopping = state.withLock { state in
            state.open[ObjectIdentifier(connection)] = nil
            return state.isStopping
        }
        if isStopping { closedWakeEvent.signal() }
    }

    private func expect(_ deadline: UInt64) {
        if deadline < nextSweep.load(ordering: .sequentiallyConsistent) { sweeperWakeEvent.signal() }
    }

    // MARK: The sweeper

    func startSweeping() throws(HTTPServerError) {
        guard let thread = Thread.start(stackBytes: 256 << 10, { [self] in sweepUntilStopped() }) else {
            throw .system(call: "pthread_create", subject: "the HTTP server", code: errno)
        }
        state.withLock { $0.sweeper = thread }
    }

    private func sweepUntilStopped() {
        var givesBackFrom: UInt64 = 0
        while true {
            nextSweep.store(.max, ordering: .sequentiallyConsistent)
            let (connections, isStopping) = state.withLock { (Array($0.open.values), $0.isStopping) }
            if isStopping { return }
            let now = MonotonicClock.nanoseconds()
            let next = connections.reduce(UInt64.max) { min($0, $1.enforce(now: now)) }
            nextSweep.store(next, ordering: .sequentiallyConsistent)
            let watched = connections.compactMap { connection in
                connection.watchedDescriptor.map { (connection, $0) }
            }
            for left in sweeperWakeEvent.wait(until: next, watching: watched.map(\.1)) {
                watched[left].0.endLive()
                watched[left].0.abandonLater()
            }
            // With hundreds of clients deadlines come in crowds.
            guard case let now = MonotonicClock.nanoseconds(), now >= max(next, givesBackFrom) else { continue }
            quiet()
            mg_give_back_holes()
            givesBackFrom = now + 60_000_000_000
        }
    }

    // MARK: Stopping

    /// Ends idle connections and live bodies, and the others when their answer is sent; returns when none is left or the time is up.
    func drain(within time: Duration) {
        let deadline = MonotonicClock.nanoseconds() + time.nanoseconds
        let (connections, sweeper) = state.withLock { state in
            state.isStopping = true
            defer { state.sweeper = nil }
            return (Array(state.open.values), state.sweeper)
        }
        sweeperWakeEvent.signal()
        sweeper?.join()
        for connection in connections {
            connection.endIfIdle()
            connection.endLive()
        }
        while count > 0, MonotonicClock.nanoseconds() < deadline { closedWakeEvent.wait(until: deadline) }
        // MHD_stop_daemon aborts the process when a connection is suspended: from here on none is.
        let waiting = state.withLock { state in
            state.isCutting = true
            return Array(state.open.values)
        }
        for connection in waiting { connection.abandonLater() }
    }
}

extension WakeEvent {
    static func made() throws(HTTPServerError) -> WakeEvent {
        guard let event = WakeEvent() else {
            throw .system(call: "eventfd", subject: "the HTTP server", code: errno)
        }
        return event
    }
}
