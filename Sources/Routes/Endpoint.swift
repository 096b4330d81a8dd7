import HTTPServer

/// One thing that the API answers: a method, a path, who may ask, and the function that does it.
public struct Endpoint: Sendable {
    public typealias Handler = @Sendable (API) -> (Call) throws(APIError) -> Response

    public enum Method: String, Sendable {
        case get = "GET", post = "POST", put = "PUT", patch = "PATCH", delete = "DELETE"
    }

    public enum Access: Sendable {
        /// Nobody needs a token.
        case open
        /// A token, and what it must be allowed to; refusals look as the contract wants them below `/api/v1`.
        case token(Permission?)
        /// A token that may everything: what it decides counts for everybody who uses the gateway, or outlives it.
        case everything
        /// As ``token(_:)``, with the refusals of MeshMonitor's other routes (Contract 2.3).
        case session(Permission?)
        /// The same, or in place of the token the cookie that it was answered with.
        case cookie(Permission?)
        /// A user of this machine, over the local socket.
        case local
    }

    public let method: Method
    /// With `{name}` for a segment that may be anything. Of an endpoint that belongs to a source this is the canonical
    /// form, below `/api/v1/sources/{sourceId}`.
    public let path: String
    public let access: Access
    /// Answers for one source: below its id, below `default`, and without a source as in MeshMonitor 3.
    public let isPerSource: Bool
    /// It is asked so often that what waits for its group must not be committed for it.
    public private(set) var leavesGroupOpen = false
    /// The 403's message for a token that may not do this, where it is not the usual one.
    let refusal: String?
    public let handler: Handler

    public static let sourcePrefix = "/api/v1/sources/{sourceId}"

    private init(
        _ method: Method, _ path: String, _ access: Access, isPerSource: Bool = false, refusal: String? = nil,
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.isPerSource = isPerSource
        self.refusal = refusal
        self.handler = handler
    }

    /// Below a source; the path begins behind it.
    public static func perSource(
        _ method: Method, _ path: String, _ resource: Resource, _ action: Action, _ handler: @escaping Handler
    ) -> Endpoint {
        Endpoint(
            method, "\(sourcePrefix)/\(path)", .token(Permission(resource, action)), isPerSource: true, handler)
    }

    /// The same for any token: what is answered goes by its rights.
    public static func perSource(_ method: Method, _ path: String, _ handler: @escaping Handler) -> Endpoint {
        Endpoint(method, "\(sourcePrefix)/\(path)", .token(nil), isPerSource: true, handler)
    }

    /// The same for tokens with everything.
    public static func perSourceForAdmins(_ method: Method, _ path: String, _ handler: @escaping Handler) -> Endpoint {
        Endpoint(method, "\(sourcePrefix)/\(path)", .everything, isPerSource: true, handler)
    }

    /// The same, asked so often that what waits for its group must not be committed for it.
    public func leavingGroupOpen() -> Endpoint {
        var endpoint = self
        endpoint.leavesGroupOpen = true
        return endpoint
    }

    /// Below `/api/v1` only.
    public static func v1(
        _ method: Method, _ path: String, _ permission: Permission?, refusal: String? = nil,
        _ handler: @escaping Handler
    ) -> Endpoint {
        Endpoint(
            method, path.isEmpty ? "/api/v1" : "/api/v1/\(path)", .token(permission), refusal: refusal, handler)
    }

    /// The same for tokens with everything.
    public static func v1ForAdmins(_ method: Method, _ path: String, _ handler: @escaping Handler) -> Endpoint {
        Endpoint(method, "/api/v1/\(path)", .everything, handler)
    }

    public static func session(
        _ method: Method, _ path: String, _ permission: Permission?, _ handler: @escaping Handler
    ) -> Endpoint {
        Endpoint(method, path, .session(permission), handler)
    }

    public static func cookie(
        _ method: Method, _ path: String, _ permission: Permission?, _ handler: @escaping Handler
    ) -> Endpoint {
        Endpoint(method, path, .cookie(permission), handler)
    }

    public static func open(_ path: String, _ handler: @escaping Handler) -> Endpoint { open(.get, path, handler) }

    public static func open(_ method: Method, _ path: String, _ handler: @escaping Handler) -> Endpoint {
        Endpoint(method, path, .open, handler)
    }

    public static func local(_ method: Method, _ path: String, _ handler: @escaping Handler) -> Endpoint {
        Endpoint(method, path, .local, handler)
    }

    /// What a token must be allowed to.
    public var permission: Permission? {
        switch access {
        case .token(let permission), .session(let permission), .cookie(let permission): permission
        case .open, .everything, .local: nil
        }
    }

    /// The scope that a token needs, as a word; nil: none.
    public var scope: String? { if case .everything = access { "admin" } else { permission?.description } }
}
