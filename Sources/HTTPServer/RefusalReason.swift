/// Why the server answers a request itself, before any handler.
public enum RefusalReason: Sendable, Equatable {
    /// %00 in the target: a path that is cut at the NUL is another path.
    case nulInTarget
    /// A blank or a control character in the target.
    case malformedTarget
    /// More arguments in the query than anybody needs.
    case tooManyArguments(limit: Int)
    /// HTTP/1.1 without Host, or any request with two (RFC 9112, 3.2).
    case badHost
    /// A field name that is no token, for example with a blank before the colon, which a proxy may read as another
    /// field or none (RFC 9112, 5.1).
    case malformedHeader
    /// A request line or a header field that is not written as HTTP/1.1 has it: a line that ends with a bare line feed or is
    /// continued on the next one, a control character, a field without a name (RFC 9112, 2.2, 3 and 5.2).
    case malformedHead
    /// A Content-Length that is no number (RFC 9112, 6.3).
    case malformedLength
    /// Content-Length together with Transfer-Encoding, either of them twice, or Transfer-Encoding in HTTP/1.0: two
    /// readers of the same bytes would disagree where the request ends (RFC 9112, 6.3 and 11.2).
    case ambiguousLength
    /// A transfer coding other than chunked.
    case unsupportedTransferEncoding
    /// The body is longer than `Limits.bodyBytes`.
    case bodyTooLarge(limit: Int)
    /// So many bodies that go on for ever are being sent already (`Limits.liveBodies`, `Limits.localLiveBodies`).
    case tooManyLiveBodies(limit: Int)
    /// An answer that was to come later has not come within `Limits.answerTime`.
    case answerTooLate
    /// Bodies and answers of other requests take the memory that there is for them (`Limits.memoryBytes`).
    case noMemory

    /// The customary status.
    public var status: Int {
        switch self {
        case .nulInTarget, .malformedTarget, .tooManyArguments, .badHost, .malformedHeader, .malformedHead,
            .malformedLength, .ambiguousLength:
            400
        case .unsupportedTransferEncoding: 501
        case .bodyTooLarge: 413
        case .tooManyLiveBodies, .answerTooLate, .noMemory: 503
        }
    }

    /// A sentence for the client.
    public var message: String {
        switch self {
        case .nulInTarget: "The path or query contains a NUL character."
        case .malformedTarget: "The path or query contains a blank or a control character."
        case .tooManyArguments(let limit): "The query has more than \(limit) arguments."
        case .badHost: "The request must have one Host header."
        case .malformedHeader: "A header name contains a character that is not allowed."
        case .malformedHead: "The request line or a header is malformed."
        case .malformedLength: "The length of the request body is not a number."
        case .ambiguousLength: "The length of the request body is ambiguous."
        case .unsupportedTransferEncoding: "The only supported transfer encoding is chunked."
        case .bodyTooLarge(let limit): "The request body is longer than \(limit) bytes."
        case .noMemory: "The gateway has no memory left for this request; try again later."
        case .answerTooLate: "The answer took too long; try again later."
        case .tooManyLiveBodies(let limit): "The gateway sends \(limit) live streams already; end one of them."
        }
    }

    /// Whether the bytes after this request cannot be trusted to be a next one.
    var breaksFraming: Bool {
        switch self {
        case .ambiguousLength, .unsupportedTransferEncoding, .malformedHeader, .malformedHead, .malformedLength: true
        case .nulInTarget, .malformedTarget, .tooManyArguments, .badHost, .bodyTooLarge, .tooManyLiveBodies,
            .answerTooLate, .noMemory:
            false
        }
    }
}
