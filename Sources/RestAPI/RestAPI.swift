import Gateway
import HTTPServer
import MeshModel
import Store

// What happens to a request, in this order; the first thing that fails is the answer.
//
// 1. The general limit, for clients from outside (2.5).
// 2. The body: bad JSON is 400 even without a token (trap 3).
// 3. The path: what it means, without telling a stranger whether it exists.
// 4. Who asks: a token, or a user of this machine on the local socket.
// 5. The method: a wrong one is as good as an unknown path.
// 6. The source that the path names, then the resource's own rules.

/// The MeshMonitor-compatible REST API v1 over a gateway: one request in, one response out, on the caller's thread.
public struct RestAPI: Sendable {
    let gateway: Gateway
    /// Shown by `/api/health` and `/api/status`.
    let version: String
    /// Where clients can connect, for the local status.
    let listeners: @Sendable () -> [String]
    /// Monotonic milliseconds.
    let startedAt: Int64
    let admission: LocalAdmission
    let tokens: TokenCheck
    let requestLimit = RateLimit(.requests)
    let messageLimit = RateLimit(.messages)

    var store: Store { gateway.store }

    /// - Parameters:
    ///   - localGroup: Its members need no token on the local socket; the daemon's own user and root never do.
    ///   - listeners: The addresses that the server is bound to.
    public init(
        gateway: Gateway, version: String, localGroup: UInt32? = nil,
        listeners: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.gateway = gateway
        self.version = version
        self.listeners = listeners
        startedAt = Clock.monotonic()
        admission = LocalAdmission(group: localGroup)
        tokens = TokenCheck(store: gateway.store)
    }

    public func respond(_ request: Request) -> Response {
        let standing = limit(request)
        var response: Response
        do throws(APIError) {
            if let standing, standing.isRefused {
                throw APIError.tooManyRequests(standing.kind, retryAfter: standing.reset)
            }
            response = try answer(request)
        } catch {
            response = error.response
        }
        if let standing, !response.headers.contains(where: { $0.name == "RateLimit-Limit" }) {
            response.headers += standing.headers
        }
        return response
    }

    /// The body of an answer that the server gives by itself, before any request has come together.
    public func refused(_ reason: RefusalReason) -> Response {
        let error: APIError =
            switch reason {
            case .bodyTooLarge(let limit): .bodyTooLarge(limit: limit)
            default: .badRequest(reason.message)
            }
        var response = error.response
        response.status = reason.status
        return response
    }

    /// Counts the request, unless its client belongs to the house (2.5).
    private func limit(_ request: Request) -> RateLimit.Standing? {
        guard case .tcp(let address) = request.peer, !request.peer.isPrivate else { return nil }
        return requestLimit.count(RateLimit.client(address), now: Clock.monotonic())
    }

    private func answer(_ request: Request) throws(APIError) -> Response {
        let body = try request.parsedBody()
        guard let segments = request.pathSegments else {
            throw .badRequest("The path contains a malformed percent escape")
        }
        let route = Route(segments: segments)
        if request.method == "OPTIONS" { return Self.options(route) }
        try admit(request, to: route)
        let method = request.method == "HEAD" ? "GET" : request.method
        guard route.methods.contains(method) else {
            throw .notFound("Cannot \(request.method) \(request.path)")
        }
        switch route {
        case .health: return health()
        case .serverStatus: return try serverStatus()
        case .v1(.index): return index(request)
        case .v1(.sources): return try sources(request)
        case .v1(.of(let source, .messages)) where method == "POST": return try send(request, body: body, to: source)
        case .v1(.of(let source, let resource)): return try answer(request, resource, of: source)
        case .local(let route): return try local(route, request, method: method, body: body)
        case .v1(.unknown), .unknown: throw .notFound("Cannot \(request.method) \(request.path)")
        }
    }

    private func answer(
        _ request: Request, _ resource: Route.Resource, of name: Route.SourceName
    ) throws(APIError) -> Response {
        switch resource {
        case .status: try status(of: name, request)
        case .channels: try channels(of: name, request)
        case .channel(let index): try channel(index, of: name, request)
        case .nodes: try nodes(of: name, request)
        case .node(let id): try node(id, of: name, request)
        case .messages: try messages(of: name, request)
        case .messageSearch: try searchMessages(of: name, request)
        case .message(let id): try message(id, of: name, request)
        }
    }

    /// Throws unless this client may use this route.
    private func admit(_ request: Request, to route: Route) throws(APIError) {
        let isAdmitted =
            if case .local(let user, let group, _) = request.peer { admission.admits(uid: user, gid: group) } else {
                false
            }
        switch route {
        case .health, .serverStatus, .unknown: return
        case .v1:
            if !isAdmitted { try tokens.check(authorization: request.header("Authorization"), now: Clock.wall()) }
        case .local:
            guard case .local = request.peer else { throw .notFound("Cannot \(request.method) \(request.path)") }
            guard isAdmitted else {
                throw .forbidden("Only the gateway's own user, root and members of its group may do this")
            }
        }
    }

    /// What a browser asks before it sends: no other site is allowed anything, so that there are no CORS headers.
    private static func options(_ route: Route) -> Response {
        var methods = route.methods.isEmpty ? ["GET"] : route.methods
        if methods.contains("GET") { methods.append("HEAD") }
        return Response(
            status: 204, headers: [(name: "Allow", value: (methods + ["OPTIONS"]).joined(separator: ", "))])
    }

    // MARK: for the routes

    /// Reads from the store; what goes wrong there is a 500 that names what was asked for.
    func read<T>(_ what: String, _ body: (Reader) throws -> T) throws(APIError) -> T {
        do {
            return try store.read(body)
        } catch let error as APIError {
            throw error
        } catch {
            throw .failed("Failed to retrieve \(what)")
        }
    }

    /// The source that a path names: the oldest enabled one, or any one by its UUID (2.3).
    func source(_ name: Route.SourceName, _ reader: Reader) throws -> (id: SourceID, source: Source) {
        switch name {
        case .preferred:
            guard let first = try reader.enabledSources().first else {
                throw APIError.notFound(
                    "No source found that this token has permission to access. Configure a source and/or grant permissions."
                )
            }
            return first
        case .id(let uuid):
            guard let found = try reader.source(uuid: uuid) else {
                throw APIError.notFound("Source \(uuid) not found")
            }
            return found
        }
    }
}

extension Reader {
    /// Oldest first.
    func enabledSources() throws -> [(id: SourceID, source: Source)] {
        try sources().filter { $0.1.isEnabled }.sorted {
            ($0.1.createdAt, $0.0.rawValue) < ($1.1.createdAt, $1.0.rawValue)
        }
        .map { (id: $0.0, source: $0.1) }
    }
}

extension RateLimit {
    /// Under which name a client is counted: its address, or the network of 64 bits that an IPv6 client has to itself.
    static func client(_ address: String) -> String {
        guard address.contains(":") else { return address }
        let head = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)[0]
        return head.split(separator: ":").prefix(4).joined(separator: ":") + "::/64"
    }
}
