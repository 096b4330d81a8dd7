/// What a handler answers.
public struct Response: Sendable {
    /// 200...599.
    public var status: Int
    /// Sent in this order. Content-Length, Transfer-Encoding, Connection and Date are the server's own business.
    public var headers: [(name: String, value: String)]
    public var body: Body
    /// The client has shown a valid token. Its connection stays longer than those of strangers when places run short.
    public var isForKnownClient = false
    /// What a stream keeps in memory for as long as it lasts, beside what it has just produced.
    public var streamedFromBytes = 0

    public enum Body: Sendable {
        case empty
        /// Sent as it is, without a copy.
        case bytes([UInt8])
        /// Produced while it is sent: each call gives the next chunk, nil ends the body. Without a length the answer
        /// is chunked. An error, or a length that is not kept, breaks the connection off, so that the client cannot
        /// take a half for the whole. Called on the server's thread, never after the connection has gone; the closure
        /// is released when the body is sent or the client has left.
        case stream(length: UInt64?, @Sendable () throws -> [UInt8]?)
        /// Sent as it comes, chunked, until it ends, the client leaves or the server stops. It takes no thread while it
        /// has nothing to say. There can be `Limits.liveBodies` of them at once; others are refused with
        /// `RefusalReason.tooManyLiveBodies`.
        case live(LiveBody)
        /// Not there yet: the connection waits, without a thread, for at most `Limits.answerTime`, after which it is refused
        /// with `RefusalReason.answerTooLate`. Status and body are those of the response that comes; its headers are sent
        /// before the ones here. A client that has left (also one that only ends its sending side), and a server that
        /// stops, make it unwanted.
        case later(LaterAnswer)
    }

    public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .empty) {
        precondition((200...599).contains(status), "an HTTP status for a final answer is 200...599")
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of a header, its name in any case.
    public func header(_ name: String) -> String? {
        headers.first { HeaderFields.equal($0.name.utf8, name.utf8) }?.value
    }

    /// This response, or 304 without a body when the client already has what this `ETag` names (RFC 9110, 13.1.2: weak
    /// comparison, lists, "*"). Only a 200 to GET or HEAD is ever replaced.
    public func unlessKnown(to request: Request) -> Response {
        guard status == 200, request.method == "GET" || request.method == "HEAD",
            let known = request.header("If-None-Match"), let tag = header("ETag"),
            IfNoneMatch.list(known, contains: tag)
        else { return self }
        let kept = headers.filter {
            !HeaderFields.equal($0.name.utf8, "Content-Type".utf8)
                && !HeaderFields.equal($0.name.utf8, "Content-Encoding".utf8)
        }
        return Response(status: 304, headers: kept)
    }
}
