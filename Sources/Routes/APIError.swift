import Gateway
import HTTPServer
import JSON
import MeshModel

/// Every way in which a request can fail, each with MeshMonitor's status and body (Contract 2.2, 2.3 and 2.5).
///
/// The shapes differ by layer: failures from before a route is known carry no `success`.
public enum APIError: Error, Equatable {
    case invalidJSON
    case tokenMissing
    case tokenInvalid
    case tokenCheckFailed
    case badRequest(String)
    case forbidden(String)
    /// What the token must be allowed to: a resource by its name, an action, and the source's UUID when the whole
    /// source is closed to it.
    case insufficient(String = "Insufficient permissions", resource: String, action: Action, source: String? = nil)
    /// The token must be allowed to everything; with the source that it was to be for, if it was for one.
    case notAdmin(source: String?)
    /// The refusals of MeshMonitor's routes outside v1 (Contract 2.3).
    case authenticationRequired
    case insufficientForSession(Permission)
    case coded(Int, String, code: String)
    /// The sources in which something is closed to the token that an action on all of them would touch.
    case deniedSources(String, [String])
    /// The only ones of them without a code, and with `success` (seen in answers of 4.15.1).
    case uncoded(Int, String)
    case codedFailure(Int, String, code: String)
    /// The short form of actions and status: no `message` (Contract 7.2). Seconds to wait, if that helps.
    case brief(Int, String, retryAfter: Int? = nil)
    /// A node that may not be asked for its neighbours, at the path of MeshMonitor's own pages.
    case notEligible(String)
    case notFound(String)
    case conflict(String)
    /// A text that would need so many parts.
    case tooManyParts(Int)
    /// A text over a broker of more characters.
    case textTooLong(limit: Int)
    case bodyTooLarge(limit: Int)
    /// A body with a `Content-Encoding`; upstream inflates some.
    case unsupportedCoding
    case notConnected
    /// Too many wait for the same; with the seconds after which to try again.
    case busy(String, retryAfter: Int)
    /// The radio has not answered in time.
    case radioTooSlow
    /// The same after a change, which may have been written.
    case changeTooSlow
    case transmitDisabled
    /// A message to this node has to wait for a person's decision about its key.
    case keyInDoubt(NodeNumber)
    /// A web site that is not allowed; upstream answers as if it had failed itself (Contract 2.1).
    case originRefused
    /// With the seconds after which a wrong token is looked at again.
    case tooManyWrongTokens(retryAfter: Int)
    /// A limiter's refusal, with the seconds after which it lets the client in again.
    case tooManyRequests(RateLimit.Kind, retryAfter: Int)
    case failed(String)
    /// It has to be read elsewhere (LongReads). Nobody is answered so.
    case takesLong

    public var status: Int {
        switch self {
        case .invalidJSON, .badRequest: 400
        case .tokenMissing, .tokenInvalid, .authenticationRequired: 401
        case .forbidden, .insufficient, .notAdmin, .insufficientForSession, .notEligible, .deniedSources: 403
        case .notFound: 404
        case .conflict, .transmitDisabled, .keyInDoubt: 409
        case .tooManyParts, .textTooLong, .bodyTooLarge: 413
        case .unsupportedCoding: 415
        case .tooManyRequests, .tooManyWrongTokens: 429
        case .tokenCheckFailed, .originRefused, .failed, .takesLong: 500
        case .notConnected, .busy: 503
        case .radioTooSlow, .changeTooSlow: 504
        case .coded(let status, _, _), .codedFailure(let status, _, _): status
        case .uncoded(let status, _), .brief(let status, _, _): status
        }
    }

    public var response: Response {
        var writer = JSONWriter(capacity: 256)
        writer.object { body(&$0) }
        var headers = [Header.json, Header.noSniff]
        switch self {
        case .tokenMissing, .tokenInvalid, .authenticationRequired:
            // Without it Emacs asks its user for a name and a password.
            headers.append((name: "WWW-Authenticate", value: "Bearer"))
        case .unsupportedCoding:
            // What would do (RFC 9110, 15.5.16).
            headers.append((name: "Accept-Encoding", value: "identity"))
        case .tooManyRequests(_, let seconds), .tooManyWrongTokens(let seconds), .brief(_, _, let seconds?),
            .busy(_, let seconds):
            headers.append((name: "Retry-After", value: String(seconds)))
        default: break
        }
        return Response(status: status, headers: headers, body: .bytes(writer.bytes))
    }

    private func body(_ json: inout JSONWriter) {
        switch self {
        case .invalidJSON:
            json.member("error", "Bad Request")
            json.member("message", "Invalid JSON in request body. Please check your JSON syntax.")
        case .tokenMissing:
            json.member("error", "Unauthorized")
            json.member("message", "API token required. Use Authorization: Bearer <token>")
        case .tokenInvalid:
            json.member("error", "Unauthorized")
            json.member("message", "Invalid or expired API token")
        case .tokenCheckFailed:
            json.member("error", "Internal Server Error")
            json.member("message", "Failed to authenticate API token")
        case .transmitDisabled:
            json.member("success", false)
            json.member("error", "Transmit is disabled on this source")
            json.member("code", "TX_DISABLED")
        case .keyInDoubt(let node):
            json.member("success", false)
            json.member("error", "The key of the recipient has changed")
            json.member("code", "KEY_MISMATCH")
            json.member(
                "message",
                "Another key than the known one was seen for \(node.id): it was set up again, or somebody else claims to "
                    + "be it. Compare the keys with its owner and decide, in the page or on the gateway: "
                    + "mesh-gateway keys verify '\(node.id)' shows both, mesh-gateway keys accept '\(node.id)' takes "
                    + "the other one")
        case .originRefused:
            json.member("error", "Internal server error")
            json.member("message", "Something went wrong")
        case .tooManyWrongTokens(let seconds):
            json.member("error", "Too many wrong API tokens from this IP, please try again later")
            json.member("retryAfter", seconds == 1 ? "1 second" : "\(seconds) seconds")
        case .tooManyRequests(let kind, _):
            json.member("error", kind.refusal)
            json.member("retryAfter", kind.windowInWords)
        case .authenticationRequired:
            json.member("error", "Authentication required")
            json.member("code", "UNAUTHORIZED")
        case .insufficientForSession(let permission):
            json.member("error", "Insufficient permissions")
            json.member("code", "FORBIDDEN")
            json.required(permission.resource.name, permission.action, source: nil)
        case .uncoded(_, let error): json.member("error", error)
        case .codedFailure(_, let error, let code):
            json.member("success", false)
            json.member("error", error)
            json.member("code", code)
        case .coded(_, let error, let code):
            json.member("error", error)
            json.member("code", code)
        case .deniedSources(let message, let sources):
            json.member("success", false)
            json.member("error", reason)
            json.member("code", "FORBIDDEN_SOURCE_SCOPE")
            json.member("message", message)
            json.key("deniedSourceIds")
            json.array { json in for source in sources { json.value(source) } }
        case .brief(_, let error, let seconds):
            json.member("success", false)
            json.member("error", error)
            if let seconds { json.member("retryAfter", seconds) }
        case .notEligible(let error):
            json.member("success", false)
            json.member("error", error)
            json.member("eligible", false)
        case .notAdmin(let source):
            json.member("success", false)
            json.member("error", reason)
            json.member("message", "This needs a token with everything (admin)")
            json.required("admin", nil, source: source)
        case .insufficient(let message, let resource, let action, let source):
            json.member("success", false)
            json.member("error", reason)
            json.member("message", message)
            json.required(resource, action, source: source)
        default:
            json.member("success", false)
            json.member("error", reason)
            json.member("message", message)
        }
    }

    /// What kind of failure it is.
    public var reason: String {
        switch self {
        case .forbidden, .insufficient, .notAdmin, .deniedSources: "Forbidden"
        case .notFound: "Not Found"
        case .conflict: "Conflict"
        case .tooManyParts, .textTooLong, .bodyTooLarge: "Payload Too Large"
        case .unsupportedCoding: "Unsupported Media Type"
        case .notConnected, .busy: "Service Unavailable"
        case .radioTooSlow, .changeTooSlow: "Gateway Timeout"
        case .failed, .takesLong: "Internal Server Error"
        default: "Bad Request"
        }
    }

    /// For a person.
    public var message: String {
        switch self {
        case .badRequest(let message), .forbidden(let message), .notFound(let message), .conflict(let message),
            .failed(let message):
            message
        case .tooManyParts(let count):
            "Message too long. Would require \(count) parts but maximum is \(MessageSplitter.maximumParts) parts "
                + "(~\(MessageSplitter.maximumParts * MessageSplitter.maximumBytes) bytes)"
        case .textTooLong(let limit):
            "Message too long. A text over a broker has at most \(limit) characters, and \(limit * 4) bytes"
        case .bodyTooLarge(let limit): "The request body is larger than \(limit) bytes"
        case .unsupportedCoding: "A body must come as it is, without a Content-Encoding"
        case .notConnected: "Not connected to Meshtastic node"
        case .busy(let message, _): "\(message); try again later"
        case .radioTooSlow: "The radio has not answered in time"
        case .changeTooSlow:
            "The radio has not answered in time. The change may have been written; radio/settings says what the radio has"
        default: ""
        }
    }
}

extension JSONWriter {
    /// - Parameter action: nil: `resource` is a scope by itself.
    fileprivate mutating func required(_ resource: String, _ action: Action?, source: String?) {
        key("required")
        object { json in
            json.member("resource", resource)
            if let action { json.member("action", action.rawValue) }
            if let source { json.member("sourceId", source) }
        }
    }
}
