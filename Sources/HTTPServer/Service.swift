import CMicroHTTPD
import CShims
import Glibc
import Synchronization

/// What libmicrohttpd's callbacks need; one for all listeners of a server.
final class Service: Sendable {
    let limits: Limits
    let handler: @Sendable (Request) -> Response
    let refused: @Sendable (RefusalReason) -> Response
    let connections: Connections
    /// Since when requests from the network have been with the handler, by connection; nanoseconds of `monotonicNow()`.
    private let handled = Mutex<[ObjectIdentifier: UInt64]>([:])

    init(
        limits: Limits, handler: @escaping @Sendable (Request) -> Response,
        refused: @escaping @Sendable (RefusalReason) -> Response
    ) throws(HTTPServerError) {
        self.limits = limits
        self.handler = handler
        self.refused = refused
        connections = try Connections(limits: limits)
    }

    /// Nanoseconds for which the oldest request from the network has been with the handler; 0: there is none.
    var longestHandling: UInt64 {
        let oldest = handled.withLock { $0.values.min() }
        return oldest.map { monotonicNow() - $0 } ?? 0
    }

    /// The handler's answer. A command of this machine may have to wait for its one, and has threads of its own.
    func response(to request: Request, on connection: Connection) -> Response {
        guard case .tcp = request.peer else { return handler(request) }
        let id = ObjectIdentifier(connection)
        handled.withLock { $0[id] = monotonicNow() }
        defer { handled.withLock { $0[id] = nil } }
        return handler(request)
    }

    /// MHD_start_daemon on a listening socket. Nil and errno on failure.
    func serve(_ socket: ListeningSocket, threads: Int) -> OpaquePointer? {
        var options = mg_http_options()
        options.listening_socket = socket.descriptor
        options.threads = UInt32(threads)
        options.connections = UInt32(limits.connections)
        options.connections_per_address = UInt32(limits.connectionsPerAddress)
        options.connection_memory = limits.headerBytes
        options.stack_size = 512 << 10
        options.idle_seconds = UInt32(limits.idleSeconds)
        options.context = Unmanaged.passUnretained(self).toOpaque()
        options.connection = connectionChanged
        options.target = targetReceived
        options.handler = requestProceeds
        options.completed = requestCompleted
        return mg_http_start(&options)
    }
}

// The context is the Service, which outlives its daemons; a connection's context is a retained Connection, a
// request's a retained Exchange.

private let connectionChanged: MHD_NotifyConnectionCallback = { context, handle, slot, change in
    guard let context, let handle, let slot else { return }
    let connections = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue().connections
    if change == .CONNECTION_NOTIFY_STARTED {
        let connection = connections.opened(mg_http_descriptor(handle))
        slot.pointee = Unmanaged.passRetained(connection).toOpaque()
    } else if let held = slot.pointee {
        connections.closed(Unmanaged<Connection>.fromOpaque(held).takeRetainedValue())
        slot.pointee = nil
    }
}

private let targetReceived:
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
    ) -> UnsafeMutableRawPointer? = { context, target, handle in
        guard let context, let target, let handle, let held = mg_http_connection_context(handle) else { return nil }
        let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
        let connection = Unmanaged<Connection>.fromOpaque(held).takeUnretainedValue()
        service.connections.requestBegan(connection)
        let bytes = [UInt8](UnsafeRawBufferPointer(start: target, count: strlen(target)))
        return Unmanaged.passRetained(Exchange(target: bytes, connection: connection)).toOpaque()
    }

private let requestProceeds: MHD_AccessHandlerCallback = { context, handle, _, method, version, data, size, slot in
    guard let context, let handle, let method, let version, let size, let held = slot?.pointee else { return .NO }
    let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
    let exchange = Unmanaged<Exchange>.fromOpaque(held).takeUnretainedValue()
    return exchange.proceed(handle, service, method: method, version: version, data: data, size: size)
}

private let requestCompleted: MHD_RequestCompletedCallback = { context, _, slot, _ in
    guard let context, let slot, let held = slot.pointee else { return }
    slot.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(held).takeRetainedValue()
    Unmanaged<Service>.fromOpaque(context).takeUnretainedValue().connections.requestEnded(exchange.connection)
}
