import HTTPServer
import Testing

@Suite struct ATargetIsReadAsItWasSent {
    /// Target, path, segments (nil: not decodable), query.
    static let targets: [(String, String, [String]?, [(String, String)])] = [
        ("/", "/", [], []),
        ("/a/b", "/a/b", ["a", "b"], []),
        ("/a/b/", "/a/b/", ["a", "b"], []),
        ("/a/b//", "/a/b//", ["a", "b"], []),
        ("/a#b", "/a", ["a"], []),
        ("/a?b=c#d?e=f", "/a", ["a"], [("b", "c")]),
        ("http://host#/a", "/", [], []),
        ("//a", "//a", ["", "a"], []),
        ("/%21abcdef12", "/%21abcdef12", ["!abcdef12"], []),
        ("/a%2Fb", "/a%2Fb", ["a/b"], []),
        ("/a+b", "/a+b", ["a+b"], []),
        ("/%", "/%", nil, []),
        ("/%4", "/%4", nil, []),
        ("/%zz", "/%zz", nil, []),
        ("/%00", "/%00", nil, []),
        ("/%ff", "/%ff", nil, []),
        ("/%C3%A9", "/%C3%A9", ["é"], []),
        ("/a?b=c", "/a", ["a"], [("b", "c")]),
        ("/a?b=c&b=d&e&=f", "/a", ["a"], [("b", "c"), ("b", "d"), ("e", ""), ("", "f")]),
        ("/a?b=1+2%2B3&c=%F0%9F%90%9D", "/a", ["a"], [("b", "1 2+3"), ("c", "🐝")]),
        ("/a?b=%&c=%zz&d=%ff", "/a", ["a"], [("b", "%"), ("c", "%zz"), ("d", "%ff")]),
        ("/a?b=c=d?e", "/a", ["a"], [("b", "c=d?e")]),
        ("/a?", "/a", ["a"], []),
        ("/a?&&", "/a", ["a"], []),
        ("http://host:80/a?b=c", "/a", ["a"], [("b", "c")]),
        ("http://host", "/", [], []),
        ("http://host?a=b", "/", [], [("a", "b")]),
        ("*", "*", [], []),
    ]

    @Test(arguments: targets) func inItsParts(
        target: String, path: String, segments: [String]?, query: [(String, String)]
    ) {
        let request = Request(target: target)
        #expect(request.path == path)
        #expect(request.pathSegments == segments)
        #expect(request.query == query.map { Request.QueryItem(key: $0.0, value: $0.1) })
    }

    @Test func overTheWire() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /a%2Fb?x=%2B&y=%26 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().body == "GET /a%2Fb\nx=+\ny=&\n")
    }

    @Test func headersAreFoundInAnyCase() throws {
        let server = try TestServer { request in
            let values = ["authorization", "X-EMPTY", "x-twice", "x-none"].map { request.header($0) ?? "-" }
            return Response(body: .bytes(Array(values.joined(separator: "|").utf8)))
        }
        let client = try server.client()
        try client.send(
            "GET / HTTP/1.1\r\nHost: x\r\nAUTHORIZATION:\t Bearer a \t\r\nx-empty:\r\nX-Twice: 1\r\nX-Twice: 2\r\n\r\n")
        #expect(try client.readAnswer().body == "Bearer a||1|-")
    }

    @Test func aHeaderThatSmugglesALineIsNotSent() throws {
        let server = try TestServer { _ in Response(headers: [("X-Name", "a\r\nX-Evil: b")]) }
        let text = try server.conversation("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 500 "))
        #expect(!text.contains("Evil"))
    }
}
