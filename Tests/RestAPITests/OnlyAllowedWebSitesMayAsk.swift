import HTTPServer
import Platform
import Routes
import Testing

@testable import RestAPI

/// What a browser sees (Contract 2.1).
@Suite struct OnlyAllowedWebSitesMayAsk {
    private func origin(_ value: String) -> (name: String, value: String) { (name: "Origin", value: value) }

    private func accessHeaders(_ answer: Answer) -> [String] {
        answer.response.headers.map(\.name).filter { $0.lowercased().hasPrefix("access-control") }
    }

    @Test func anAllowedOneReadsTheAnswer() throws {
        let test = try TestGateway()
        let answer = try test.get("/api/v1/nodes", headers: [origin("http://localhost:3001")])
        #expect(answer.status == 200)
        #expect(answer.header("Access-Control-Allow-Origin") == "http://localhost:3001")
        #expect(answer.header("Access-Control-Allow-Credentials") == "true")
        #expect(answer.header("Vary") == "Origin")
        // Failures and unchanged answers are read by pages, too.
        let failure = try test.ask("GET", "/api/v1/nodes", headers: [origin("http://localhost:3001")])
        #expect(failure.status == 401)
        #expect(failure.header("Access-Control-Allow-Origin") == "http://localhost:3001")
        let tag = try #require(answer.header("ETag"))
        let unchanged = try test.get(
            "/api/v1/nodes", headers: [origin("http://localhost:3001"), (name: "If-None-Match", value: tag)])
        #expect(unchanged.status == 304)
        #expect(unchanged.header("Access-Control-Allow-Origin") == "http://localhost:3001")
    }

    @Test(arguments: [
        "https://evil.example", "null", "http://localhost:3002", "https://localhost:3001", "http://localhost",
        "http://localhost:3001.evil.example", "file://", "http://LOCALHOST:3001x",
    ])
    func anotherOneIsRefusedWithoutADeed(_ site: String) throws {
        let test = try TestGateway()
        for (method, path) in [("GET", "/api/status"), ("GET", "/api/v1/nodes"), ("OPTIONS", "/api/v1/messages")] {
            let answer = try test.ask(method, path, headers: [test.bearer, origin(site)])
            #expect(answer.status == 500)
            #expect(answer.text == #"{"error":"Internal server error","message":"Something went wrong"}"#)
            #expect(answer.header("Content-Type") == "application/json; charset=utf-8")
            #expect(answer.header("Vary") == "Origin")
            #expect(accessHeaders(answer).isEmpty)
        }
        let made = try test.ask(
            "POST", "/local/tokens", headers: [origin(site)], body: Array(#"{"name":"theirs"}"#.utf8),
            peer: LocalPathsExistOnlyOnTheLocalSocket.me)
        #expect(made.status == 500)
        #expect(try test.store.read { try $0.tokens() }.map(\.name) == ["test"])
    }

    @Test func whoIsNoBrowserNeedsNoPermission() throws {
        let test = try TestGateway()
        for headers in [[], [origin("")]] {
            let answer = try test.get("/api/v1/nodes", headers: headers)
            #expect(answer.status == 200)
            #expect(accessHeaders(answer).isEmpty)
            #expect(answer.header("Vary") == "Origin")
        }
    }

    /// Origin, Host
    @Test(arguments: [
        ("http://box:8080", "box:8080"), ("http://box", "box"), ("http://box", "box:80"), ("https://box", "box:443"),
        ("https://mesh.example.org", "mesh.example.org"), ("http://box:8080", "BOX:8080"),
        ("http://[fd00::1]:8080", "[fd00::1]:8080"),
    ])
    func aPageOfTheGatewaysOwnAddressMay(_ site: String, _ host: String) throws {
        var policy = ClientPolicy()
        policy.allowedOrigins = ["https://else.example.org"]
        let test = try TestGateway(policy: policy)
        let answer = try test.get("/api/v1/nodes", headers: [origin(site), (name: "Host", value: host)])
        #expect(answer.status == 200)
        #expect(answer.header("Access-Control-Allow-Origin") == site)
    }

    @Test(arguments: [
        ("http://box:8081", "box:8080"), ("http://box", "box:8080"), ("http://boxes", "box"), ("ftp://box", "box"),
        ("box", "box"), ("http://", ""), ("http://box:443", "box"), ("https://box:80", "box"),
    ])
    func aPageOfAnotherAddressMayNot(_ site: String, _ host: String) throws {
        let test = try TestGateway()
        #expect(try test.get("/api/status", headers: [origin(site), (name: "Host", value: host)]).status == 500)
    }

    @Test func aTrustedProxyNamesTheHostThatWasAskedFor() throws {
        var policy = ClientPolicy()
        policy.trustedProxies = [IPNetwork(try #require(IPAddress("10.0.0.1")), prefixLength: 128)]
        let test = try TestGateway(policy: policy)
        let headers = [
            origin("https://mesh.example.org"), (name: "Host", value: "127.0.0.1:8080"),
            (name: "X-Forwarded-Host", value: "mesh.example.org"),
        ]
        #expect(try test.ask("GET", "/api/status", headers: headers, peer: .tcp(address: "10.0.0.1")).status == 200)
        #expect(try test.ask("GET", "/api/status", headers: headers, peer: .tcp(address: "10.0.0.2")).status == 500)
    }

    @Test func everySiteMayWhenTheOwnerWantsIt() throws {
        var policy = ClientPolicy()
        policy.allowedOrigins = ["*"]
        let test = try TestGateway(policy: policy)
        let answer = try test.get("/api/v1/nodes", headers: [origin("https://anywhere.example")])
        #expect(answer.status == 200)
        #expect(answer.header("Access-Control-Allow-Origin") == "https://anywhere.example")
    }

    @Test(arguments: ["/api/v1/messages", "/api/v1/nothing", "/api/status", "/", "/local/tokens", "*", "/api/v1/%"])
    func whatABrowserAsksBeforehandIsTheSameOnEveryPath(_ path: String) throws {
        let test = try TestGateway()
        for headers in [[], [origin("http://localhost:8080")]] {
            let answer = try test.ask("OPTIONS", path, headers: headers)
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(
                answer.header("Access-Control-Allow-Headers")
                    == "Content-Type, X-CSRF-Token, Authorization, Idempotency-Key")
            #expect(answer.header("Access-Control-Allow-Methods") == "GET, HEAD, POST, PUT, PATCH, DELETE")
            #expect(answer.header("Access-Control-Allow-Origin") == headers.first?.value)
            #expect(answer.header("Vary") == "Origin")
        }
    }

    @Test func overARealConnection() throws {
        let served = try ServedGateway()
        let preflight = try served.ask(
            "OPTIONS /api/v1/messages",
            headers: ["Origin: http://localhost:3001", "Access-Control-Request-Method: POST"])
        #expect(preflight.status == 200)
        #expect(preflight.header("Content-Length") == "0")
        #expect(preflight.header("Access-Control-Allow-Origin") == "http://localhost:3001")
        // The test's requests say "Host: test".
        #expect(try served.ask("GET /api/status", headers: ["Origin: http://test"]).status == 200)
        let refused = try served.ask("GET /api/status", headers: ["Origin: http://evil.example"])
        #expect(refused.status == 500)
        #expect(refused.body == #"{"error":"Internal server error","message":"Something went wrong"}"#)
    }
}
