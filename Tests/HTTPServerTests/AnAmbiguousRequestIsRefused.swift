import Testing

@testable import HTTPServer

/// Two readers of the same bytes must not find different requests in them.
@Suite struct AnAmbiguousRequestIsRefused {
    /// libmicrohttpd 1.0 refuses it by itself.
    private static let unknownCoding = RequestHead.isOf1_0 ? "400" : "501"

    /// What is wrong, the request, the beginning of the answer's status.
    static let requests: [(String, String, String)] = [
        (
            "length and chunked",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"
        ),
        (
            "chunked and length",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", "400"
        ),
        ("two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "400"),
        ("one length twice", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\ncontent-length: 3\r\n\r\nabc", "400"),
        ("two lengths, GET", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "400"),
        (
            "two codings",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400"
        ),
        ("chunked in 1.0", "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        (
            "other coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            unknownCoding
        ),
        ("odd coding", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", unknownCoding),
        ("length no number", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3x\r\n\r\nabc", "400"),
        ("negative length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\nabc", "400"),
        ("length list", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc", "400"),
        (
            "length beyond 64 bits", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\nabc",
            "413"
        ),
        ("no host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "400"),
        ("NUL in the path", "GET /status%00/../x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "400"),
        ("NUL in the query", "GET /status?a=%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "400"),
        ("two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n", "400"),
        ("blank in the path", "GET /a b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "400"),
        ("control character in the path", "GET /a\u{1}b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "400"),
        ("bad chunk size", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", "400"),
        (
            "chunk longer than its size",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", "400"
        ),
        ("version from the future", "GET / HTTP/3.7\r\nHost: x\r\n\r\n", "505"),
        (
            "space before the colon",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\nConnection: close\r\n\r\nabc", "400"
        ),
    ]

    @Test(arguments: requests) func withTheRightStatusAndNoSecondAnswer(
        what: String, request: String, status: String
    ) throws {
        let server = try TestServer()
        // If the refused body were taken for a next request, there would be two answers.
        let text = try server.conversation(request)
        #expect(text.hasPrefix("HTTP/1.1 \(status) ") || text.hasPrefix("HTTP/1.0 \(status) "), "\(what): \(text)")
        #expect(
            text.split(separator: "HTTP/1.1 ").filter { $0.first?.isNumber == true }.count == 1
                && !text.contains("POST /"), "\(what): \(text)")
        #expect(server.becomesEmpty())
    }

    /// An empty line before a request is skipped (RFC 9112, 2.2).
    @Test func butNotAMerelySloppyOne() throws {
        let server = try TestServer()
        let text = try server.conversation("\r\nGET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(text.hasSuffix("GET /a\n"))
    }
}
