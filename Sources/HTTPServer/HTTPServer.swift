// An HTTP/1.1 server over libmicrohttpd, on TCP, with TLS or without, and on Unix sockets.
//
// One libmicrohttpd daemon a socket, each with its own thread. Handlers answer at once, on that thread, or say that the
// answer comes later.
// What libmicrohttpd 0.9.75 leaves open is closed here:
//   - it cuts the target at %00                     -> the target is taken before it is decoded (Exchange)
//   - it accepts ambiguous body lengths             -> refused with the headers (Exchange)
//   - it reads heads that others read otherwise     -> its buffer is looked at (RequestHead)
//   - it answers a malformed length twice           -> answered before it does (MalformedLength)
//   - its timeout never ends a trickling client     -> a deadline a request (Connections)
//   - with epoll it overlooks clients that leave    -> poll (CShims)
//   - while a connection pauses it overlooks it, too -> the sweeper watches (Connections)
//   - it says only that it could not listen         -> sockets are made here, errors in words (ListeningSocket)
//   - its turns and limits are by connection        -> by client (Turns, Connections, AnswerMemory)
//   - stopping cuts off answers under way           -> stop() in order, below

import CMicroHTTPD
import Glibc
import Platform
import Synchronization

public final class HTTPServer: Sendable {
    private let service: Service
    private let sockets: [ListeningSocket]
    /// One for each socket.
    private let servedSockets: [ServedSocket]
    private let running = Mutex(Running.no)

    /// Sentences for the log: addresses that are left out, such as IPv6 on a kernel without it.
    public let notes: [String]

    private enum Running {
        case no
        case yes([Daemon])
        case stopped
    }

    /// A MHD_Daemon, and the thread that runs it unless it has its own.
    private struct Daemon {
        let handle: ServedSocket.Daemon
        let thread: Thread?
    }

    /// Opens the listeners' sockets; clients can connect from now on and are answered after `start()`.
    ///
    /// - Parameters:
    ///   - certificate: what TCP listeners speak TLS with; nil: they speak plain HTTP. Unix sockets always do.
    ///   - rules: what is known of clients.
    ///   - handler: called on the server's threads, several at a time; everybody else on its thread waits for it.
    ///   - refused: shapes the answer to a request that the server refuses by itself. A request that libmicrohttpd
    ///     cannot even parse is answered by libmicrohttpd with a line of HTML (400, 414, 431).
    ///   - quiet: called when memory is given back, a minute or two after a client was there: what is kept for clients may
    ///     go. It must return at once.
    ///   - stalled: called for a client that took nothing of a live body for `Limits.idleSeconds`, and is cut off.
    ///   - unread: called when clients took nothing of their answers for `Limits.unreadTime` and were cut off, at most once a
    ///     minute: with the last of them, and how many they were since the call before.
    public init(
        listeners: [Listener], certificate: CertificateInForce? = nil, limits: Limits = Limits(),
        rules: ClientRules = ClientRules(), handler: @escaping @Sendable (Request) -> Response,
        refused: @escaping @Sendable (RefusalReason) -> Response = { reason in
            Response(
                status: reason.status, headers: [("Content-Type", "text/plain; charset=utf-8")],
                body: .bytes(Array((reason.message + "\n").utf8)))
        },
        quiet: @escaping @Sendable () -> Void = {}, stalled: @escaping @Sendable (Peer) -> Void = { _ in },
        unread: @escaping @Sendable (_ last: Peer, _ count: Int) -> Void = { _, _ in }
    ) throws(HTTPServerError) {
        precondition(!listeners.isEmpty, "a server listens somewhere")
        let service = try Service(
            limits: limits, rules: rules, handler: handler, refused: refused, quiet: quiet, stalled: stalled,
            unread: unread)
        self.service = service
        var notes: [String] = []
        var sockets: [ListeningSocket] = []
        do {
            for listener in listeners { sockets += try ListeningSocket.open(listener, notes: &notes) }
        } catch {
            sockets.forEach { $0.close() }
            throw error
        }
        var servedSockets: [ServedSocket] = []
        do {
            for socket in sockets {
                let certificate = socket.audience == .network ? certificate : nil
                servedSockets.append(try ServedSocket(service, socket.audience, certificate: certificate))
            }
        } catch {
            sockets.forEach { $0.close() }
            throw error
        }
        self.sockets = sockets
        self.servedSockets = servedSockets
        self.notes = notes
    }

    deinit { stop() }

    /// Where the server listens, with real ports: "[::]:8080" is all addresses, "https://[::]:8443" the same with TLS,
    /// "unix:/run/x.sock" a Unix socket.
    public var addresses: [String] {
        zip(sockets, servedSockets).map { $1.certificate == nil ? $0.address : "https://\($0.address)" }
    }

    /// Open connections.
    public var connections: Int { service.connections.count }

    /// Nanoseconds for which the oldest request from the network has been with the handler; 0: there is none. While one
    /// is, others on its thread wait.
    public var longestHandling: UInt64 { service.longestHandling }

    /// Begins to answer. A server starts once.
    public func start() throws(HTTPServerError) {
        let failure = running.withLock { running -> HTTPServerError? in
            guard case .no = running else { preconditionFailure("a server starts once") }
            do throws(HTTPServerError) { try service.connections.startSweeping() } catch { return error }
            var daemons: [Daemon] = []
            for (socket, servedSocket) in zip(sockets, servedSockets) {
                guard let handle = servedSocket.open(socket) else {
                    let code = errno
                    running = .yes(daemons)
                    return .system(call: "MHD_start_daemon", subject: socket.address, code: code)
                }
                let descriptor = socket.descriptor
                let thread = servedSocket.turns.flatMap { _ in
                    Thread.start(stackBytes: 512 << 10) { servedSocket.run(handle, on: descriptor) }
                }
                daemons.append(Daemon(handle: handle, thread: thread))
                if servedSocket.turns != nil, thread == nil {
                    let code = errno
                    running = .yes(daemons)
                    return .system(call: "pthread_create", subject: socket.address, code: code)
                }
            }
            running = .yes(daemons)
            return nil
        }
        if let failure {
            stop()
            throw failure
        }
    }

    /// Stops in order: no new connections, idle ones end, answers under way have `Limits.stopTime` to finish, the rest
    /// is cut. Returns when the threads have ended and the sockets, and the files of Unix sockets, are gone. Not to be
    /// called from a handler, which it would wait for. A second call does nothing.
    public func stop() {
        let daemons = running.withLock { running -> [Daemon]? in
            defer { running = .stopped }
            switch running {
            case .no: return []
            case .yes(let daemons): return daemons
            case .stopped: return nil
            }
        }
        guard let daemons else { return }
        service.connections.beginStopping()
        for daemon in daemons { _ = MHD_quiesce_daemon(daemon.handle.pointer) }
        for socket in servedSockets { socket.wakeEvent.signal() }
        service.connections.drain(within: service.limits.stopTime)
        for socket in servedSockets { socket.wakeEvent.signal() }
        for daemon in daemons { daemon.thread?.join() }
        for daemon in daemons { MHD_stop_daemon(daemon.handle.pointer) }
        sockets.forEach { $0.close() }
    }
}
