import Testing

@testable import RestAPI

@Suite struct UnknownPathsAndMethodsAreAnsweredInJSON {
    @Test(arguments: [
        ("GET", "/api/v1/nothing"), ("GET", "/api/v1/nodes/a/b"), ("PUT", "/api/v1/nodes"),
        ("DELETE", "/api/v1/messages/1"), ("POST", "/api/v1/nodes"), ("PATCH", "/api/v1/"), ("GET", "/api/v1//nodes"),
        ("POST", "/api/status"), ("DELETE", "/api/health"), ("GET", "/"), ("GET", "/favicon.ico"), ("GET", "/api"),
        ("TRACE", "/api/v1/nodes"), ("GET", "/api/v1/\"<script>"),
    ])
    func unknown(_ method: String, _ path: String) throws {
        let test = try TestGateway()
        let answer = try test.ask(method, path, headers: [test.bearer])
        #expect(answer.status == 404)
        #expect(answer.header("Content-Type") == "application/json; charset=utf-8")
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        #expect(JSONText(answer.body).keys == ["success", "error", "message"])
        #expect(answer.message == "Cannot \(method) \(path)")
    }

    @Test func aPathWithABrokenEscapeIs400() throws {
        let test = try TestGateway()
        for path in ["/api/v1/nodes/%", "/api/v1/nodes/%zz", "/api/v1/nodes/%ff", "/api/v1/nodes/%00"] {
            let answer = try test.get(path)
            #expect(answer.status == 400)
            #expect(answer.message != nil)
        }
    }

    @Test func headIsLikeGet() throws {
        let test = try TestGateway()
        for endpoint in Endpoints.served where endpoint.method == .get {
            let path = endpoint.path.replacing("{sourceId}", with: "default").replacing(/\{[A-Za-z]+\}/, with: "1")
            let answers = try ["GET", "HEAD"].map {
                try test.ask($0, path, headers: [test.bearer], peer: LocalPathsExistOnlyOnTheLocalSocket.me)
            }
            #expect(answers[0].status == answers[1].status, "\(path)")
            // Cannot HEAD: no such path.
            #expect(!answers[1].text.contains("Cannot HEAD"), "\(path)")
        }
    }
}
