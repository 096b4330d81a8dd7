import CGnuTLS
import CMicroHTTPD
import CShims
import Glibc
import Platform
import Synchronization

/// One listening socket's way into the service: what libmicrohttpd's callbacks are given.
final class ServedSocket: Sendable {
    let service: Service
    let audience: Audience
    /// Nil: connections are not encrypted.
    let certificate: CertificateInForce?
    /// Nil: a command of this machine may keep a thread for a while, and must not keep the others from being answered; so
    /// these have several.
    let turns: Turns?
    /// Wakes its thread, when the server stops.
    let wakeEvent: WakeEvent
    /// Connections that are open here.
    let open = Atomic(0)
    private static let localThreads: UInt32 = 4
    /// Connections, beside the first, that are accepted in one round.
    private static let acceptedAtOnce = 64

    /// A MHD_Daemon. `@unchecked Sendable`: libmicrohttpd allows the calls that we make on it from any thread.
    struct Daemon: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    init(_ service: Service, _ audience: Audience, certificate: CertificateInForce?) throws(HTTPServerError) {
        self.service = service
        self.audience = audience
        self.certificate = certificate
        wakeEvent = try .made()
        turns = audience == .local ? nil : Turns()
    }

    /// TLS 1.2 and 1.3 with what this GnuTLS holds for good, the server's preference first. The system's own file of
    /// priorities, where there is one, can forbid more.
    private static let priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

    /// MHD_start_daemon on a listening socket. Nil and errno on failure. It has to outlive the daemon.
    func open(_ socket: ListeningSocket) -> Daemon? {
        let limits = service.limits
        var options = mg_http_options()
        options.listening_socket = socket.descriptor
        options.threads = turns == nil ? Self.localThreads : 0
        options.connections = UInt32(limits.connections)
        options.connection_memory = limits.headerBytes
        options.stack_size = 512 << 10
        options.idle_seconds = UInt32(limits.idleSeconds)
        options.context = Unmanaged.passUnretained(self).toOpaque()
        options.connection = connectionChanged
        options.target = targetReceived
        options.length_refused = lengthRefused
        options.handler = requestProceeds
        options.completed = requestCompleted
        if certificate != nil {
            options.certificate = unsafeBitCast(certificateWanted, to: UnsafeMutableRawPointer.self)
        }
        return Self.priorities.withCString { priorities in
            options.priorities = priorities
            return mg_http_start(&options).map(Daemon.init)
        }
    }

    /// The thread of a socket that has turns, until the server has no time left.
    func run(_ daemon: Daemon, on descriptor: Int32) {
        guard let turns else { return }
        var options = mg_http_options()
        options.listening_socket = descriptor
        options.connections = UInt32(service.limits.connections)
        var isPending = false
        while !service.connections.isCutting {
            mg_http_run_round(daemon.pointer, &options, wakeEvent.descriptor, isPending ? 1 : 0)
            var hasMadeRoom = service.connections.makeRoom(at: self)
            // A round can take long: new connections must not wait for one each.
            for _ in 0..<Self.acceptedAtOnce where !service.connections.isStopping {
                guard mg_http_accept(daemon.pointer, &options) != 0 else { break }
                if service.connections.makeRoom(at: self) { hasMadeRoom = true }
            }
            isPending = turns.endRound(isStopping: service.connections.isStopping) || hasMadeRoom
        }
        // MHD_stop_daemon aborts the process when a connection is suspended.
        turns.endRound(isStopping: true)
    }
}

// The context is the ServedSocket, which outlives its daemon; a connection's context is a retained HTTPConnection, a
// request's a retained Exchange.

private let connectionChanged: MHD_NotifyConnectionCallback = { context, handle, slot, change in
    guard let context, let handle, let slot else { return }
    let servedSocket = Unmanaged<ServedSocket>.fromOpaque(context).takeUnretainedValue()
    if change == .CONNECTION_NOTIFY_STARTED {
        let connection = servedSocket.service.connections.opened(mg_http_descriptor(handle), at: servedSocket)
        slot.pointee = Unmanaged.passRetained(connection).toOpaque()
        // Before the handshake; the session ends with the connection.
        if let session = mg_http_tls_session(handle) { gnutls_session_set_ptr(OpaquePointer(session), slot.pointee) }
    } else if let held = slot.pointee {
        servedSocket.service.connections.closed(Unmanaged<HTTPConnection>.fromOpaque(held).takeRetainedValue())
        slot.pointee = nil
    }
}

/// gnutls_certificate_retrieve_function2.
private let certificateWanted:
    @convention(c) (
        gnutls_session_t?, UnsafePointer<gnutls_datum_t>?, Int32, UnsafePointer<gnutls_pk_algorithm_t>?, Int32,
        UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?, UnsafeMutablePointer<UInt32>?,
        UnsafeMutablePointer<gnutls_privkey_t?>?
    ) -> Int32 = { session, _, _, _, _, chain, count, key in
        guard let chain, let count, let key, let held = gnutls_session_get_ptr(session),
            let certificate = Unmanaged<HTTPConnection>.fromOpaque(held).takeUnretainedValue().show()
        else { return -1 }
        certificate.give(chain, count, key)
        return 0
    }

private let targetReceived:
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer? = { context, target, handle in
        guard let context, let target, let handle, let held = mg_http_connection_context(handle) else { return nil }
        let service = Unmanaged<ServedSocket>.fromOpaque(context).takeUnretainedValue().service
        let connection = Unmanaged<HTTPConnection>.fromOpaque(held).takeUnretainedValue()
        service.connections.requestBegan(connection, on: handle)
        let bytes = [UInt8](UnsafeRawBufferPointer(start: target, count: strlen(target)))
        // libmicrohttpd would take the query apart in the connection's memory, of which each argument costs 64 bytes, and say
        // nothing more when that is used up. We read it ourselves.
        if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) { UnsafeMutablePointer(mutating: target)[mark + 1] = 0 }
        return Unmanaged.passRetained(Exchange(target: bytes, connection: connection)).toOpaque()
    }

private let lengthRefused: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    guard let context else { return }
    refuseMalformedLengths(of: Unmanaged<ServedSocket>.fromOpaque(context).takeUnretainedValue().service)
}

private let requestProceeds: MHD_AccessHandlerCallback = { context, handle, _, method, version, data, size, slot in
    guard let context, let handle, let method, let version, let size, let held = slot?.pointee else { return .NO }
    let service = Unmanaged<ServedSocket>.fromOpaque(context).takeUnretainedValue().service
    let exchange = Unmanaged<Exchange>.fromOpaque(held).takeUnretainedValue()
    return exchange.proceed(handle, service, method: method, version: version, data: data, size: size)
}

private let requestCompleted: MHD_RequestCompletedCallback = { context, _, slot, reason in
    guard let context, let slot, let held = slot.pointee else { return }
    slot.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(held).takeRetainedValue()
    let servedSocket = Unmanaged<ServedSocket>.fromOpaque(context).takeUnretainedValue()
    exchange.end(servedSocket.service)
    if exchange.leavesBody { exchange.connection.socket.discardReceived() }
    let service = servedSocket.service
    // A body that pauses has no timeout: this one had something to send, and nobody took any of it.
    if reason == .REQUEST_TERMINATED_TIMEOUT_REACHED, exchange.connection.watchedDescriptor != nil {
        service.stalled(exchange.connection.peer)
    }
    service.connections.requestEnded(exchange.connection)
}
