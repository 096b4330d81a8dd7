import Testing

@testable import HTTPServer

/// libmicrohttpd 0.9.75 takes a field without a name for the end of the headers: what the sender, or a proxy in between,
/// holds for more header fields would be a request of its own, which somebody else may have written.
@Suite struct NothingIsReadBehindAnOddHeader {
    /// What is odd, the request line and fields up to the odd one; "\0" stands for a NUL.
    static let beginnings: [(String, String)] = [
        ("no name", "GET /a HTTP/1.1\r\nHost: x\r\n: b\r\n"),
        ("no name and no value", "GET /a HTTP/1.1\r\nHost: x\r\n:\r\n"),
        ("a NUL for a name", "GET /a HTTP/1.1\r\nHost: x\r\n\0: b\r\n"),
        ("nothing but a NUL", "GET /a HTTP/1.1\r\nHost: x\r\n\0\r\n"),
        ("a NUL before a name", "GET /a HTTP/1.1\r\nHost: x\r\n\0Cookie: b\r\n"),
        ("no name, HTTP/1.0", "GET /a HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n: b\r\n"),
        ("a NUL in a value", "GET /a HTTP/1.1\r\nHost: x\r\nCookie: a\0b\r\n\r\n"),
        ("a NUL after the method", "GET\0b /a HTTP/1.1\r\nHost: x\r\n\r\n"),
    ]

    @Test(arguments: beginnings) func andTheConnectionEnds(what: String, beginning: String) throws {
        let server = try TestServer()
        let text = try server.conversation(beginning + "GET /smuggled HTTP/1.1\r\nHost: y\r\n\r\n")
        // 1.0 does not even answer to a method that is none.
        if RequestHead.isOf1_0, what == "a NUL after the method" {
            #expect(text.isEmpty)
            return
        }
        #expect(text.hasPrefix("HTTP/1."), "\(what): \(text)")
        #expect(!text.contains("smuggled"), "\(what): \(text)")
        #expect(text.contains("\r\nConnection: close\r\n"), "\(what): \(text)")
        #expect(server.becomesEmpty())
    }

    @Test func aPlainConnectionIsKept() throws {
        let server = try TestServer()
        let client = try server.client()
        for name in ["a", "b"] {
            try client.send(
                "POST /\(name) HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nX-Empty: \r\nContent-Length: 3\r\n\r\nabc")
            #expect(try client.readAnswer().head.contains("\r\nConnection: close") == false)
        }
    }
}
