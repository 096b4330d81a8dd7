import Glibc
import Platform
import Synchronization

/// One open connection, from accept to close.
final class HTTPConnection: Sendable {
    let peer: Peer
    /// The listener that it came in by.
    let served: ServedSocket
    /// A trusted proxy's: each of its requests may be another client's.
    let isOfProxy: Bool
    /// The client that the connection counts for; nil: none, as for a proxy between requests, and a command of this machine.
    private let counted: Mutex<Requester?>
    private let hasShownToken = Atomic(false)
    let socket: ClientSocket
    private let phase: Mutex<Phase>
    private let certificate: CertificateInForce?
    /// What its handshake was shown: to be kept for as long as there is the connection.
    private let shown = Mutex<ServerCertificate?>(nil)
    private let requests = Atomic(0)
    /// Set from the request line to the end of the headers.
    private let arriving = Mutex<ArrivingHead?>(nil)

    /// What the client and we wait for. Deadlines are nanoseconds of ``MonotonicClock``.
    private enum Phase {
        /// Between requests, or in the middle of a request line.
        case idle(since: UInt64, deadline: UInt64)
        /// The target has come; more headers or the body have not.
        case receiving(since: UInt64, deadline: UInt64)
        /// The request is whole, and others have their turn.
        case queued
        /// It made room for another one, and libmicrohttpd has not cleaned up yet.
        case leaving
        case answering(AnswerReading)
        /// The answer goes on until its body ends.
        case live(LiveBody)
        /// The answer comes later.
        case waiting(LaterAnswer, deadline: UInt64)
        case closed

        /// libmicrohttpd looks at it only when it is resumed.
        var isWatched: Bool {
            switch self {
            case .live: true
            case .waiting(let later, _): later.isForItsClient
            case .idle, .receiving, .queued, .leaving, .answering, .closed: false
            }
        }
    }

    init(descriptor: Int32, at servedSocket: ServedSocket, deadline: UInt64) {
        socket = ClientSocket(descriptor: descriptor)
        let peer = Peer(descriptor: descriptor, of: servedSocket.audience)
        self.peer = peer
        served = servedSocket
        let address: IPAddress? = if case .tcp(let text) = peer { IPAddress(text) } else { nil }
        isOfProxy = address.map(servedSocket.service.rules.isProxy) ?? (servedSocket.audience == .unix)
        counted = Mutex(isOfProxy ? nil : address.map(Requester.init))
        certificate = servedSocket.certificate
        phase = Mutex(.idle(since: MonotonicClock.nanoseconds(), deadline: deadline))
    }

    var requester: Requester? { counted.withLock { $0 } }

    /// The client that its proxy asks for with this request; nil: between requests.
    func serve(_ requester: Requester?) { counted.withLock { $0 = requester } }

    func showedToken() { hasShownToken.store(true, ordering: .relaxed) }

    /// Whether the other connections of this thread come first; to be asked once for each request. libmicrohttpd reads one
    /// request after the other from what it has received, up to half of `Limits.headerBytes`, before it looks at anybody
    /// else: four hundred of the shortest.
    func yieldsToOthers() -> Bool {
        let count = requests.add(1, ordering: .relaxed).newValue
        if count == 32 { socket.limitUnsent() }
        return count.isMultiple(of: 32)
    }

    /// What is in force for a handshake that begins now; nil without TLS.
    func show() -> ServerCertificate? {
        let value = certificate?.value
        shown.withLock { $0 = value }
        return value
    }

    /// - Returns: whether it was watched.
    func becomeIdle(until deadline: UInt64) -> Bool {
        headArrived()
        if isOfProxy { serve(nil) }
        return phase.withLock { phase in
            defer { phase = .idle(since: MonotonicClock.nanoseconds(), deadline: deadline) }
            return phase.isWatched
        }
    }

    func becomeReceiving(on handle: OpaquePointer, until deadline: UInt64) {
        arriving.withLock { $0 = ArrivingHead(handle: handle, thread: pthread_self()) }
        phase.withLock { $0 = .receiving(since: MonotonicClock.nanoseconds(), deadline: deadline) }
    }

    /// - Returns: whether it was watched.
    func becomeReceiving(until deadline: UInt64) -> Bool {
        phase.withLock { phase in
            defer { phase = .receiving(since: MonotonicClock.nanoseconds(), deadline: deadline) }
            return phase.isWatched
        }
    }

    func headArrived() { arriving.withLock { $0 = nil } }

    /// libmicrohttpd's handle, on the thread that serves the connection and while headers arrive; else nil.
    var handleOfArrivingHead: OpaquePointer? {
        arriving.withLock { $0.flatMap { pthread_equal($0.thread, pthread_self()) != 0 ? $0.handle : nil } }
    }

    /// - Returns: whether it was watched.
    func becomeAnswering(since now: UInt64, checkedAt time: UInt64) -> Bool {
        phase.withLock { phase in
            defer { phase = .answering(AnswerReading(since: now, check: time)) }
            return phase.isWatched
        }
    }

    /// - Returns: false when it had to make room.
    func becomeQueued() -> Bool {
        phase.withLock { phase in
            if case .leaving = phase { return false }
            phase = .queued
            return true
        }
    }

    /// It had to make room for another one, or nobody waits for its answer.
    var isLeaving: Bool { phase.withLock { if case .leaving = $0 { true } else { false } } }

    func becomeWaiting(for later: LaterAnswer, until deadline: UInt64) {
        phase.withLock { $0 = .waiting(later, deadline: deadline) }
    }

    func becomeLive(_ body: LiveBody) {
        phase.withLock { $0 = .live(body) }
        socket.limitUnsent()
        if case .tcp = peer { socket.noticeVanishedClient() }
    }

    /// Whether it came over the local socket.
    var isLocal: Bool { if case .local = peer { true } else { false } }

    /// Its answer is a live one that has not been ended.
    var isLive: Bool { phase.withLock { if case .live(let body) = $0 { !body.hasEnded } else { false } } }

    /// To be watched for the client's leaving: libmicrohttpd does not, while there is nothing to send.
    var watchedDescriptor: Int32? { phase.withLock { $0.isWatched ? socket.descriptor : nil } }

    /// Ends the live body, if that is what is being sent. The descriptor is not watched any more.
    func endLive() {
        let body = phase.withLock { phase -> LiveBody? in
            guard case .live(let body) = phase else { return nil }
            phase = .answering(AnswerReading(since: .max, check: .max))
            return body
        }
        body?.end()
    }

    /// Nobody waits for an answer that was to come later. The descriptor is not watched any more.
    func abandonLater() {
        let later = phase.withLock { phase -> LaterAnswer? in
            guard case .waiting(let later, _) = phase else { return nil }
            phase = .leaving
            return later
        }
        later?.abandon()
    }

    /// To be called before the descriptor is closed: from then on the number may belong to another connection.
    func becomeClosed() {
        headArrived()
        phase.withLock { $0 = .closed }
    }

    /// ``ClientSocket/sendLast(_:over:)``
    func sendLast(_ bytes: [UInt8], over session: OpaquePointer?) {
        headArrived()
        socket.sendLast(bytes, over: session)
    }

    /// Ends the connection when its deadline has passed; the deadline that is still to come, .max for none.
    /// shutdown() alone closes nothing: libmicrohttpd reads the end of the stream and cleans up by itself.
    ///
    /// - Parameters:
    ///   - unreadTime: nanoseconds for which an answer may lie unread.
    ///   - isUnread: set when one has lain so long, and was ended.
    func enforce(now: UInt64, unreadTime: UInt64, isUnread: inout Bool) -> UInt64 {
        phase.withLock { phase in
            switch phase {
            case .idle(_, let deadline), .receiving(_, let deadline):
                guard deadline <= now else { return deadline }
                socket.end()
                return .max
            case .live(let body): return body.enforce(now: now)
            case .waiting(let later, let deadline):
                guard deadline <= now else { return deadline }
                later.expire()
                return .max
            case .answering(var reading):
                guard reading.check <= now else { return reading.check }
                let pause = served.service.connections.checkTime
                if reading.goesOn(on: socket, now: now, pause: pause, unreadTime: unreadTime) {
                    phase = .answering(reading)
                    return reading.check
                }
                socket.cut()
                phase = .leaving
                isUnread = true
                return .max
            case .queued, .leaving, .closed: return .max
            }
        }
    }

    /// Its place in the order in which the connections of one address make room; nil: it need not, because live answers are
    /// few, or has done so already.
    var standing: Standing? {
        phase.withLock { phase in
            switch phase {
            case .idle(let since, _), .receiving(let since, _): standing(since)
            case .answering(let reading): standing(reading.since)
            case .queued, .waiting: standing(.max)
            case .leaving, .live, .closed: nil
            }
        }
    }

    private func standing(_ since: UInt64) -> Standing {
        Standing(hasShownToken: hasShownToken.load(ordering: .relaxed), since: since)
    }

    /// Connections without a valid token come first, and of those the ones that have kept us waiting longest; the ones that wait
    /// for us come last.
    struct Standing: Comparable {
        let hasShownToken: Bool
        let since: UInt64

        static func < (one: Standing, other: Standing) -> Bool {
            one.hasShownToken == other.hasShownToken ? one.since < other.since : !one.hasShownToken
        }
    }

    /// Ends the connection. One between requests is ended in order: a request that has come whole meanwhile is answered first.
    func makeRoom() {
        let later = phase.withLock { phase -> LaterAnswer? in
            var later: LaterAnswer?
            switch phase {
            case .idle: socket.endReading()
            case .receiving, .queued: socket.end()
            case .answering: socket.cut()
            case .waiting(let waiting, _): later = waiting
            case .leaving, .live, .closed: return nil
            }
            phase = .leaving
            return later
        }
        later?.abandon()
    }

    /// Lets libmicrohttpd read the end of the stream when nothing is under way. What the client has already sent is
    /// still read and answered first.
    func endIfIdle() {
        phase.withLock { phase in
            if case .idle = phase { socket.endReading() }
        }
    }
}

/// A request whose headers libmicrohttpd has not given us yet. `@unchecked Sendable`: its handle is used on its own thread
/// alone, where it is good until the end of the request.
private struct ArrivingHead: @unchecked Sendable {
    let handle: OpaquePointer
    let thread: pthread_t
}

extension Duration {
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(clamping: seconds) * 1_000_000_000 + UInt64(clamping: attoseconds / 1_000_000_000)
    }
}
