// What of a head decides where the request ends and whose it is, and is refused when two readers could differ.

/// How the end of a request's body is marked (RFC 9112, 6.3).
struct Framing {
    /// Content-Length, 0 without one.
    private(set) var announcedLength = 0
    private(set) var hasBody = false
    private(set) var isChunked = false
    private(set) var awaitsContinue = false
    private(set) var refusal: RefusalReason?

    init() {}

    init(fields: HeaderFields, isHTTP10: Bool) {
        let lengths = fields.count(of: "Content-Length")
        let codings = fields.count(of: "Transfer-Encoding")
        hasBody = lengths + codings > 0
        isChunked = codings > 0
        guard fields.hasTokenNames else {
            refusal = .malformedHeader
            return
        }
        guard hasBody else { return }
        awaitsContinue = fields.first("Expect").map { HeaderFields.equal($0.utf8, "100-continue".utf8) } ?? false
        // libmicrohttpd has refused what is no number; one beyond Int is beyond any limit.
        if let text = fields.first("Content-Length") { announcedLength = Int(text) ?? .max }
        if lengths + codings > 1 || (codings > 0 && isHTTP10) {
            refusal = .ambiguousLength
        } else if codings == 1, !HeaderFields.equal((fields.first("Transfer-Encoding") ?? "").utf8, "chunked".utf8) {
            refusal = .unsupportedTransferEncoding
        }
    }
}

/// Nil: the target is one word of visible bytes.
func flaw(ofTarget target: [UInt8]) -> RefusalReason? {
    var separators = 0
    for (index, byte) in target.enumerated() {
        if byte == UInt8(ascii: "&") { separators += 1 }
        if separators >= Request.argumentLimit { return .tooManyArguments(limit: Request.argumentLimit) }
        if byte <= 0x20 || byte == 0x7f { return .malformedTarget }
        if byte == UInt8(ascii: "%"), target[index...].starts(with: "%00".utf8) { return .nulInTarget }
    }
    return nil
}

extension HeaderFields {
    /// Nil: there is one Host, or none in HTTP/1.0.
    func flawOfHost(isHTTP10: Bool) -> RefusalReason? {
        let hosts = count(of: "Host")
        return hosts == 1 || (hosts == 0 && isHTTP10) ? nil : .badHost
    }
}
