import HTTPServer
import Testing

private let knows = "GET /known HTTP/1.1\r\nHost: x\r\n\r\n"

@Suite struct TheNetworkWithMostPlacesLosesOne {
    /// Thirty of 32 places are taken when it begins.
    private func server() throws -> TestServer {
        var limits = Limits()
        limits.connections = 32
        return try TestServer(limits: limits) { request in
            var response = echo(request)
            response.isForKnownClient = request.path == "/known"
            return response
        }
    }

    private func arrivals(_ count: Int, at server: TestServer, from source: String) throws -> [RawClient] {
        try (0..<count).map { _ in
            let client = try server.client(from: source)
            try client.send("GET /new HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.readAnswer().body == "GET /new\n")
            return client
        }
    }

    private func isOpen(_ client: RawClient) -> Bool {
        guard (try? client.send("GET /still HTTP/1.1\r\nHost: x\r\n\r\n")) != nil else { return false }
        return (try? client.readAnswerOrEnd())?.body == "GET /still\n"
    }

    @Test func oneAddressMayHaveAllOfThemWhileNobodyElseNeedsOne() throws {
        let server = try server()
        let all = try arrivals(30, at: server, from: "127.0.1.1")
        #expect(all.allSatisfy(isOpen))
    }

    @Test func whoHasFewKeepsThemThoughIdleForLongest() throws {
        let server = try server()
        let few = try arrivals(2, at: server, from: "127.0.9.9")
        let many = try arrivals(28, at: server, from: "127.0.1.1")
        let others = try arrivals(10, at: server, from: "127.0.5.5")
        #expect(few.allSatisfy(isOpen))
        #expect(others.allSatisfy(isOpen))
        #expect(many.filter(isOpen).count <= 18)
    }

    @Test func withinANetworkItIsTheAddressWithMost() throws {
        let server = try server()
        let few = try arrivals(4, at: server, from: "127.0.1.2")
        let many = try arrivals(26, at: server, from: "127.0.1.1")
        let others = try arrivals(8, at: server, from: "127.0.5.5")
        #expect(few.allSatisfy(isOpen))
        #expect(others.allSatisfy(isOpen))
        #expect(many.filter(isOpen).count <= 18)
    }

    @Test func withinAnAddressAValidTokenStays() throws {
        let server = try server()
        let known = try server.client(from: "127.0.1.1")
        try known.send(knows)
        #expect(try known.readAnswer().body == "GET /known\n")
        let many = try arrivals(29, at: server, from: "127.0.1.1")
        _ = try arrivals(20, at: server, from: "127.0.1.1")
        #expect(isOpen(known))
        #expect(!isOpen(many[0]))
    }
}
