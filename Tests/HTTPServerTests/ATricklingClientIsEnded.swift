import Glibc
import HTTPServer
import Testing

/// libmicrohttpd's timeout starts anew with each byte; the deadline of a request does not.
@Suite struct ATricklingClientIsEnded {
    /// Sends a byte at a time until the server has had enough. The idle timeout alone would never come.
    private func trickle(_ beginning: String, _ server: TestServer) throws {
        let client = try server.client()
        try client.send(beginning)
        try trickle(on: client, server)
    }

    private func trickle(on client: RawClient, _ server: TestServer) throws {
        var sent = 0
        #expect(throws: RawClient.Gone.self) {
            while sent < 10_000 {
                try client.send("x")
                sent += 1
                usleep(1000)
            }
        }
        #expect(server.becomesEmpty())
    }

    private func impatient(_ transport: Transport) throws -> TestServer {
        var limits = Limits()
        limits.idleSeconds = 1
        limits.requestTime = .milliseconds(200)
        return try TestServer(over: transport, limits: limits)
    }

    @Test(arguments: Transport.allCases) func inItsRequestLine(over transport: Transport) throws {
        try trickle("", impatient(transport))
    }

    @Test(arguments: Transport.allCases) func inItsHeaders(over transport: Transport) throws {
        try trickle("GET / HTTP/1.1\r\nX: ", impatient(transport))
    }

    @Test(arguments: Transport.allCases) func inItsBody(over transport: Transport) throws {
        try trickle("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", impatient(transport))
    }

    @Test(arguments: Transport.allCases) func inItsSecondRequest(over transport: Transport) throws {
        try trickle("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /", impatient(transport))
    }

    /// It has said what a TLS client says first, and how long that is.
    @Test func inItsHandshake() throws {
        let server = try impatient(.tls)
        let client = try RawClient(host: "127.0.0.1", port: server.port)
        try client.send([0x16, 0x03, 0x01, 0x20, 0x00, 0x01, 0x00, 0x1F, 0xFC])
        try trickle(on: client, server)
    }

    @Test(arguments: Transport.allCases) func aSilentOneIsEndedByTheIdleTimeout(over transport: Transport) throws {
        let server = try impatient(transport)
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try client.readAnswer()
        #expect(client.isAtEnd())
    }
}
