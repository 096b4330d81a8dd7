// The open connections, and the end of those whose request does not get finished.
//
// 1. libmicrohttpd's timeout starts over with each byte. A client that sends one byte a second holds its place for
//    ever, and a few hundred of them hold all places.
// 2. So each connection that owes us (the rest of) a request has a deadline. A connection between requests gets the
//    idle timeout on top: libmicrohttpd closes it before, unless bytes trickle in.
// 3. One thread sleeps until the earliest deadline. Without connections it sleeps without end: no periodic timer.
// 4. That takes a minute, in which connections that were begun faster would leave no place for anybody else. So before
//    the last places are taken, each new connection makes one of the network leave that has most (makeRoom).
// 5. An answer that nobody reads is ended, too, by what the client's kernel acknowledges: ours takes megabytes of it.
// 6. A connection whose live answer has nothing to send is out of libmicrohttpd's sight, which learns of a client that
//    has left only by writing to it. So the same thread watches for that. It does so, too, while an answer is to come later.
// 7. Answers take memory between what lives longer, and leave holes there. That thread gives them back when it is awake
//    for a deadline, which comes a minute after clients were there: nobody wakes up for it.

import CShims
import Glibc
import Platform
import Synchronization

final class Connections: Sendable {
    private let idleTime: UInt64
    private let requestTime: UInt64
    private let unreadTime: UInt64
    private let crowdedUnreadTime: UInt64
    /// Between two looks at how an answer is read.
    let checkTime: UInt64
    private let liveLimit: Int
    private let localLiveLimit: Int
    /// On one listener: with more, somebody has to leave for each that comes. Few connections are not worth it.
    private let crowd: Int
    private let quiet: @Sendable () -> Void
    private let unread: @Sendable (_ last: Peer, _ count: Int) -> Void
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

    init(
        limits: Limits, quiet: @escaping @Sendable () -> Void,
        unread: @escaping @Sendable (_ last: Peer, _ count: Int) -> Void
    ) throws(HTTPServerError) {
        self.quiet = quiet
        self.unread = unread
        idleTime = UInt64(limits.idleSeconds) * 1_000_000_000
        requestTime = limits.requestTime.nanoseconds
        unreadTime = limits.unreadTime.nanoseconds
        crowdedUnreadTime = limits.crowdedUnreadTime.nanoseconds
        checkTime = min(unreadTime, crowdedUnreadTime)
        liveLimit = limits.liveBodies
        localLiveLimit = limits.localLiveBodies
        crowd = limits.connections - limits.connections / 16
        sweeperWakeEvent = try .made()
        closedWakeEvent = try .made()
    }

    var count: Int { state.withLock { $0.open.count } }
    var isStopping: Bool { state.withLock { $0.isStopping } }
    var isCutting: Bool { state.withLock { $0.isCutting } }
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
        servedSocket.open.add(1, ordering: .relaxed)
        if servedSocket.turns == nil { makeRoom(at: servedSocket) }
        expect(deadline)
        return connection
    }

    /// While a listener is crowded, one leaves for each that comes: of the network with most places, in it of the address with
    /// most, in it the connection that has shown no valid token, then the one that has kept us waiting longest. Those that
    /// count to nobody come last, and one that is a live answer ends by itself, or is one of few.
    ///
    /// - Returns: whether any did.
    @discardableResult
    func makeRoom(at served: ServedSocket) -> Bool {
        var hasMadeRoom = false
        while served.open.load(ordering: .relaxed) > crowd, let connection = state.withLock({ leaver(at: served, $0) })
        {
            connection.makeRoom()
            served.turns?.drop(connection)
            hasMadeRoom = true
        }
        return hasMadeRoom
    }

    private func leaver(at served: ServedSocket, _ state: State) -> HTTPConnection? {
        // Those that leave still have a place, for a moment.
        var count = 0
        var candidates: [(connection: HTTPConnection, requester: Requester?, standing: HTTPConnection.Standing)] = []
        for connection in state.open.values where connection.served === served && !connection.isLeaving {
            count += 1
            guard let standing = connection.standing else { continue }
            candidates.append((connection, connection.requester, standing))
        }
        guard count > crowd else { return nil }
        func most<Key: Hashable>(_ key: (Requester) -> Key) {
            var counts: [Key: Int] = [:]
            for requester in candidates.compactMap(\.requester) { counts[key(requester), default: 0] += 1 }
            guard let most = counts.values.max() else { return }
            candidates.removeAll { $0.requester.map { counts[key($0)] != most } ?? true }
        }
        most(\.network)
        most(\.address)
        return candidates.min { $0.standing < $1.standing }?.connection
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

    /// The answer, or room for it, comes later; false: the server has no time left for it.
    func wait(_ connection: HTTPConnection, for later: LaterAnswer, until deadline: UInt64) -> Bool {
        let isCutting = state.withLock { state in
            if !state.isCutting { connection.becomeWaiting(for: later, until: deadline) }
            return state.isCutting
        }
        sweeperWakeEvent.signal()
        return !isCutting
    }

    /// The answer is made now, or goes out.
    func answers(_ connection: HTTPConnection) {
        // The first look comes early: later ones compare with it.
        let now = MonotonicClock.nanoseconds()
        let deadline = now + checkTime / 5
        if connection.becomeAnswering(since: now, checkedAt: deadline) { sweeperWakeEvent.signal() }
        expect(deadline)
    }

    /// The wait is over, and the body goes on.
    func receives(_ connection: HTTPConnection) {
        let deadline = MonotonicClock.nanoseconds() + requestTime
        if connection.becomeReceiving(until: deadline) { sweeperWakeEvent.signal() }
        expect(deadline)
    }

    func closed(_ connection: HTTPConnection) {
        connection.becomeClosed()
        connection.served.open.subtract(1, ordering: .relaxed)
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
        var unreadAnswers = UnreadAnswers()
        while true {
            let expected = nextSweep.exchange(.max, ordering: .sequentiallyConsistent)
            let (connections, isStopping) = state.withLock { (Array($0.open.values), $0.isStopping) }
            if isStopping { return }
            let now = MonotonicClock.nanoseconds()
            let crowded = crowdedSockets(connections)
            // A wake-up that somebody expected stays, though its answer may be gone: else each answer would cause one.
            var next = expected > now ? expected : .max
            for connection in connections {
                let time = crowded.contains(ObjectIdentifier(connection.served)) ? crowdedUnreadTime : unreadTime
                var isUnread = false
                next = min(next, connection.enforce(now: now, unreadTime: time, isUnread: &isUnread))
                if isUnread { unreadAnswers.add(connection.peer) }
            }
            if let (last, count) = unreadAnswers.due(at: now) { unread(last, count) }
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

    private func crowdedSockets(_ connections: [HTTPConnection]) -> Set<ObjectIdentifier> {
        guard connections.count > crowd else { return [] }
        var counts: [ObjectIdentifier: Int] = [:]
        for connection in connections { counts[ObjectIdentifier(connection.served), default: 0] += 1 }
        return Set(counts.filter { $0.value > crowd }.keys)
    }

    // MARK: Stopping

    /// From here on no connection stays for another request.
    func beginStopping() { state.withLock { $0.isStopping = true } }

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
