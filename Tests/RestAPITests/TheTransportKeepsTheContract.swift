import Testing

@testable import RestAPI

/// What only a real connection can meet (Contract 2.1 and 7.3).
@Suite struct TheTransportKeepsTheContract {
    @Test func headHasTheHeadersOfGetAndNoBody() throws {
        let served = try ServedGateway()
        let get = try served.ask("GET /api/v1/channels", headers: [served.bearer])
        let head = try served.ask("HEAD /api/v1/channels", headers: [served.bearer])
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        for name in ["Content-Type", "Content-Length", "ETag"] { #expect(head.header(name) == get.header(name)) }
        #expect(get.header("Content-Type") == "application/json; charset=utf-8")
    }

    @Test func anUnchangedAnswerIs304WithoutABody() throws {
        let served = try ServedGateway()
        let tag = try #require(try served.ask("GET /api/v1/nodes", headers: [served.bearer]).header("ETag"))
        let again = try served.ask("GET /api/v1/nodes", headers: [served.bearer, "If-None-Match: \(tag)"])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        // RFC 9110 would have none; the library writes one whatever it is told.
        #expect(["0", nil].contains(again.header("Content-Length")))
    }

    /// Upstream gives one to everybody; here only who has shown a token, and has none yet.
    @Test func strangersGetNoCookie() throws {
        let served = try ServedGateway()
        #expect(try served.ask("GET /api/status").header("Set-Cookie") == nil)
        #expect(try served.ask("GET /api/v1/nodes").header("Set-Cookie") == nil)
        let given = try served.ask("GET /api/v1/nodes", headers: [served.bearer]).header("Set-Cookie")
        let cookie = try #require(given).prefix { $0 != ";" }
        let again = try served.ask("GET /api/v1/nodes", headers: [served.bearer, "Cookie: \(cookie)"])
        #expect(again.header("Set-Cookie") == nil)
    }

    @Test func aChallengeComesWith401() throws {
        let served = try ServedGateway()
        let answer = try served.ask("GET /api/v1/nodes")
        #expect(answer.status == 401)
        #expect(answer.header("WWW-Authenticate") == "Bearer")
        #expect(answer.body.hasPrefix("{\"error\":\"Unauthorized\""))
    }

    @Test func malformedJSONIs400WithoutAToken() throws {
        let served = try ServedGateway()
        let answer = try served.ask(
            "POST /api/v1/messages", headers: ["Content-Type: application/json", "Content-Length: 1"], body: "{")
        #expect(answer.status == 400)
        #expect(answer.body.hasPrefix("{\"error\":\"Bad Request\""))
    }

    @Test func percentEncodedIDsAreDecoded() throws {
        let served = try ServedGateway()
        try served.test.update(TestGateway.peer) { $0.longName = "Ridge" }
        for id in ["!abcdef12", "%21abcdef12", "%21%61bcdef12"] {
            #expect(try served.ask("GET /api/v1/sources/default/nodes/\(id)", headers: [served.bearer]).status == 200)
        }
    }

    /// What the server refuses by itself has a body in JSON, too.
    @Test(
        arguments: [
            ("GET /api/v1/nodes%00", [], "", 400),
            (
                "POST /api/v1/messages", ["Content-Length: 2", "Transfer-Encoding: chunked"], "2\r\n{}\r\n0\r\n\r\n",
                400
            ),
            ("POST /api/v1/messages", ["Content-Length: 2", "Content-Length: 3"], "{}", 400),
            ("POST /api/v1/messages", ["Content-Length: -1"], "{}", 400),
            ("POST /api/v1/messages", ["Content-Length: abc"], "{}", 400),
            ("POST /api/v1/messages", ["Content-Length: 99999999999999999999"], "{}", 413),
            ("GET /api/v1/nodes", ["X-Folded: a", " b"], "", 400),
            ("GET /api/v1/nodes", ["X-Bare: a\nX-B: b"], "", 400),
            ("POST /api/v1/messages", ["Content-Length: 20000000", "Content-Type: application/json"], "", 413),
        ] as [(String, [String], String, Int)])
    func refusals(_ line: String, _ headers: [String], _ body: String, _ status: Int) throws {
        let served = try ServedGateway()
        let answer = try served.ask(line, headers: headers + [served.bearer], body: body)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.text.split(separator: "HTTP/1.1 ").count == 1, "\(answer.text)")
        #expect(answer.body.hasPrefix("{\"success\":false,\"error\":\""))
        #expect(try served.ask("GET /api/health").status == 200)
    }

    @Test func aBodyOfAMegabyteIsReadAndOneMoreByteIsNot() throws {
        let served = try ServedGateway()
        let post = { (count: Int) in
            let json = #"{"channel":0,"text":"a"}"#
            return try served.ask(
                "POST /api/v1/messages",
                headers: [served.bearer, "Content-Type: application/json", "Content-Length: \(count)"],
                body: json + String(repeating: " ", count: count - json.utf8.count))
        }
        #expect(try post(1 << 20).status == 503)
        let refused = try post(1 << 20 + 1)
        #expect(refused.status == 413)
        #expect(refused.body.hasPrefix("{\"success\":false,\"error\":\"Payload Too Large\""))
    }

    @Test func manyNodesComeWhole() throws {
        let served = try ServedGateway()
        let id = served.test.id
        try served.test.store.commit { writer in
            for number in 1...500 { try writer.updateNode(.init(UInt32(number)), in: id, at: 1) { $0.longName = "n" } }
        }
        let answer = try served.ask("GET /api/v1/nodes", headers: [served.bearer])
        #expect(answer.status == 200)
        #expect(answer.text.hasSuffix("0\r\n\r\n"))
    }
}
