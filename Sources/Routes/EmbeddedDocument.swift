import HTTPServer

/// A document or script that is embedded twice, as it is and packed with gzip: each browser gets the one that it can read,
/// under a tag of its own. What is read from it is read from the executable, and copied while it is sent.
public struct EmbeddedDocument: Sendable {
    private let plain: Form
    private let packed: Form
    private let headers: [(name: String, value: String)]

    private struct Form: Sendable {
        // Unsafe in name only: constant data of the executable, which any thread may read because nobody writes or frees it.
        nonisolated(unsafe) let bytes: UnsafeBufferPointer<UInt8>
        let tag: String

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
            tag = EntityTag(of: Array(bytes)).text
        }
    }

    /// - Parameters:
    ///   - plain: constant data of the executable, as `packed`.
    ///   - packed: the same with gzip.
    ///   - type: its media type.
    ///   - policy: what the document may do (Content-Security-Policy).
    public init(
        plain: UnsafeBufferPointer<UInt8>, packed: UnsafeBufferPointer<UInt8>,
        type: String = "text/html; charset=utf-8",
        policy: String, headers: [(name: String, value: String)] = []
    ) {
        self.plain = Form(plain)
        self.packed = Form(packed)
        self.headers =
            [
                (name: "Content-Type", value: type), Header.noSniff,
                (name: "Content-Security-Policy", value: policy), (name: "Referrer-Policy", value: "no-referrer"),
                (name: "Vary", value: "Accept-Encoding"),
            ] + headers
    }

    /// The document in the form that the client can read, or 304.
    public func response(to request: Request) -> Response {
        let isPacked = request.acceptsGzip
        let form = isPacked ? packed : plain
        var answer = Response(headers: headers + [(name: "ETag", value: form.tag)])
        if isPacked { answer.headers.append((name: "Content-Encoding", value: "gzip")) }
        answer = answer.unlessKnown(to: request)
        if answer.status == 200 { answer.body = .bytes(Array(form.bytes)) }
        return answer
    }
}
