import CGnuTLS
import Glibc
import Platform
import Synchronization

/// One open connection, from accept to close.
final class HTTPConnection: Sendable {
    let peer: Peer
    /// The listener that it came in by.
    let servedSocket: ObjectIdentifier
    private let descriptor: Int32
    private let phase: Mutex<Phase>
    private let certificate: CertificateInForce?
    /// What its handshake was shown: to be kept for as long as there is the connection.
    private let shown = Mutex<ServerCertificate?>(nil)
    private let requests = Atomic(0)
    /// Set from the request line to the end of the headers.
    private let arriving = Mutex<ArrivingHead?>(nil)

    /// What the client and we are waiting for. Deadlines are nanoseconds of ``MonotonicClock``.
    private enum Phase {
        /// Between requests, or in the middle of a request line.
        case idle(since: UInt64, deadline: UInt64)
        /// The target has come; more headers or the body have not.
        case receiving(since: UInt64, deadline: UInt64)
        /// It made room for another one, and libmicrohttpd has not cleaned up yet.
        case leaving
        case answering
        /// The answer goes on until its body ends.
        case live(LiveBody)
        /// The answer comes later.
        case waiting(LaterAnswer, deadline: UInt64)
        case closed

        /// libmicrohttpd looks at it only when it is resumed.
        var isWatched: Bool {
            switch self {
            case .live, .waiting: true
            case .idle, .receiving, .leaving, .answering, .closed: false
            }
        }
    }

    init(descriptor: Int32, at servedSocket: ServedSocket, deadline: UInt64) {
        self.descriptor = descriptor
        peer = Peer(descriptor: descriptor, of: servedSocket.audience)
        self.servedSocket = ObjectIdentifier(servedSocket)
        certificate = servedSocket.certificate
        phase = Mutex(.idle(since: MonotonicClock.nanoseconds(), deadline: deadline))
    }

    /// To be asked once for each request: whether the others of this thread come first. Each is read from what has been
    /// received already, up to half of `Limits.headerBytes`, and libmicrohttpd looks at nobody else while that has
    /// another one: of the shortest, four hundred.
    func yieldsToOthers() -> Bool {
        let count = requests.add(1, ordering: .relaxed).newValue
        if count == 32 { limitUnsent() }
        return count.isMultiple(of: 32)
    }

    /// Bounds what the kernel takes of answers before it has sent them. A client that asks and asks, and never reads, would
    /// get megabytes of them made while others wait for the processor; what is on its way to one that reads does not count.
    /// Who has asked for little keeps the kernel's room: a long answer to a slow client then lies there and not here.
    private func limitUnsent() {
        var bytes: Int32 = 8192
        // A Unix socket has no such option, and little room.
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
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
        return phase.withLock { phase in
            defer { phase = .idle(since: MonotonicClock.nanoseconds(), deadline: deadline) }
            return phase.isWatched
        }
    }

    func becomeReceiving(on handle: OpaquePointer, until deadline: UInt64) {
        arriving.withLock { $0 = ArrivingHead(handle: handle, thread: pthread_self()) }
        phase.withLock { $0 = .receiving(since: MonotonicClock.nanoseconds(), deadline: deadline) }
    }

    func headArrived() { arriving.withLock { $0 = nil } }

    /// libmicrohttpd's handle, on the thread that serves the connection and while headers arrive; else nil.
    var handleOfArrivingHead: OpaquePointer? {
        arriving.withLock { $0.flatMap { pthread_equal($0.thread, pthread_self()) != 0 ? $0.handle : nil } }
    }

    /// - Returns: whether it was watched.
    @discardableResult
    func becomeAnswering() -> Bool {
        phase.withLock { phase in
            defer { phase = .answering }
            return phase.isWatched
        }
    }

    func becomeWaiting(for later: LaterAnswer, until deadline: UInt64) {
        phase.withLock { $0 = .waiting(later, deadline: deadline) }
    }

    func becomeLive(_ body: LiveBody) {
        phase.withLock { $0 = .live(body) }
        limitUnsent()
        noticeVanishedClient()
    }

    /// A phone that goes out of reach closes nothing: the kernel asks for it, and gives up what nobody acknowledges.
    private func noticeVanishedClient() {
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        guard case .tcp = peer else { return }
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 120_000)
    }

    /// Whether it came over the local socket.
    var isLocal: Bool { if case .local = peer { true } else { false } }

    /// Its answer is a live one that has not been ended.
    var isLive: Bool { phase.withLock { if case .live(let body) = $0 { !body.hasEnded } else { false } } }

    /// To be watched for the client's leaving: libmicrohttpd does not, while there is nothing to send.
    var watchedDescriptor: Int32? { phase.withLock { $0.isWatched ? descriptor : nil } }

    /// Ends the live body, if that is what is being sent. The descriptor is not watched any more.
    func endLive() {
        let body = phase.withLock { phase -> LiveBody? in
            guard case .live(let body) = phase else { return nil }
            phase = .answering
            return body
        }
        body?.end()
    }

    /// Nobody waits for an answer that was to come later. The descriptor is not watched any more.
    func abandonLater() {
        let later = phase.withLock { phase -> LaterAnswer? in
            guard case .waiting(let later, _) = phase else { return nil }
            phase = .answering
            return later
        }
        later?.abandon()
    }

    /// To be called before libmicrohttpd closes a connection on which the client may still be sending: closed with unread
    /// bytes, the kernel resets it, and the client's kernel may throw our answer away. What comes later still does that;
    /// who reads while it sends has the answer by then.
    func discardReceived() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        for _ in 0..<32 {
            guard recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 else { return }
        }
    }

    /// To be called before the descriptor is closed: from then on the number may belong to another connection.
    func becomeClosed() {
        headArrived()
        phase.withLock { $0 = .closed }
    }

    /// Sends what libmicrohttpd shall not send, and ends the connection: what libmicrohttpd writes after it fails.
    /// Only for a short answer, and on the connection's thread.
    func sendLast(_ bytes: [UInt8], over session: OpaquePointer?) {
        headArrived()
        if let session {
            gnutls_record_send(session, bytes, bytes.count)
            gnutls_bye(session, GNUTLS_SHUT_WR)
        } else {
            send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        shutdown(descriptor, Int32(SHUT_WR))
        discardReceived()
    }

    /// Ends the connection when its deadline has passed; the deadline that is still to come, .max for none.
    /// shutdown() alone closes nothing: libmicrohttpd reads the end of the stream and cleans up by itself.
    func enforce(now: UInt64) -> UInt64 {
        phase.withLock { phase in
            switch phase {
            case .idle(_, let deadline), .receiving(_, let deadline):
                guard deadline <= now else { return deadline }
                shutdown(descriptor, Int32(SHUT_RDWR))
                return .max
            case .live(let body): return body.enforce(now: now)
            case .waiting(let later, let deadline):
                guard deadline <= now else { return deadline }
                later.expire()
                return .max
            case .leaving, .answering, .closed: return .max
            }
        }
    }

    /// Since when the client has owed us something; nil while it is the other way round.
    var waitsSince: UInt64? {
        phase.withLock { phase in
            switch phase {
            case .idle(let since, _), .receiving(let since, _): since
            case .leaving, .answering, .live, .waiting, .closed: nil
            }
        }
    }

    /// Ends the connection if it still waits for the client. A request that has come whole meanwhile is answered first.
    func makeRoom() {
        phase.withLock { phase in
            switch phase {
            case .idle: shutdown(descriptor, Int32(SHUT_RD))
            case .receiving: shutdown(descriptor, Int32(SHUT_RDWR))
            case .leaving, .answering, .live, .waiting, .closed: return
            }
            phase = .leaving
        }
    }

    /// Lets libmicrohttpd read the end of the stream when nothing is under way. What the client has already sent is
    /// still read and answered first.
    func endIfIdle() {
        phase.withLock { phase in
            if case .idle = phase { shutdown(descriptor, Int32(SHUT_RD)) }
        }
    }
}

/// A request whose headers libmicrohttpd has not given us yet. Its handle is used on its own thread alone, where it is
/// good until the end of the request.
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
