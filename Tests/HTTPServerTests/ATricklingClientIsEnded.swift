import Glibc
import HTTPServer
import Testing

/// libmicrohttpd's timeout starts anew with each byte; the deadline of a request does not.
@Suite struct ATricklingClientIsEnded {
    /// Sends a byte at a time until the server has had enough. The idle timeout alone would never come.
    private func trickle(_ beginning: String, _ server: TestServer) throws {
        let client = try server.client()
        try client.send(beginning)
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

    private func impatient() throws -> TestServer {
        var limits = Limits()
        limits.idleSeconds = 1
        limits.requestTime = .milliseconds(200)
        return try TestServer(limits: limits)
    }

    @Test func inItsRequestLine() throws { try trickle("", impatient()) }

    @Test func inItsHeaders() throws { try trickle("GET / HTTP/1.1\r\nX: ", impatient()) }

    @Test func inItsBody() throws {
        try trickle("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", impatient())
    }

    @Test func inItsSecondRequest() throws {
        try trickle("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /", impatient())
    }

    @Test func aSilentOneIsEndedByTheIdleTimeout() throws {
        let server = try impatient()
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try client.readAnswer()
        #expect(client.isAtEnd())
    }
}
