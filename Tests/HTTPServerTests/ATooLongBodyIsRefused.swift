import HTTPServer
import Testing

@Suite struct ATooLongBodyIsRefused {
    private func server(over transport: Transport = .plain, discarded: Int = 1 << 20) throws -> TestServer {
        var limits = Limits()
        limits.bodyBytes = 1000
        limits.discardedBytes = discarded
        return try TestServer(over: transport, limits: limits)
    }

    @Test func theLimitItselfIsAllowed() throws {
        let server = try server()
        let client = try server.client()
        try client.send(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000))
        #expect(try client.readAnswer().head.hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: Transport.allCases, ["POST", "PUT"])
    func aDeclaredOneIsRefusedAtOnceAndTheConnectionClosed(transport: Transport, method: String) throws {
        let server = try server(over: transport)
        let head = "\(method) / HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n"
        // openssl reads nothing any more when it cannot write.
        for count in transport == .plain ? [0, 1, 500_000] : [0, 1] {
            let body = String(repeating: "x", count: count)
            let client = try server.client()
            try client.send(head)
            // It may be closed while this goes out.
            try? client.send(body)
            let text = client.readToEnd()
            #expect(
                text.hasPrefix("HTTP/1.1 413 ") && text.contains("\r\nConnection: close\r\n")
                    && text.hasSuffix("\r\n\r\nThe request body is longer than 1000 bytes.\n"),
                "with \(count) bytes of it: \(text)")
        }
        #expect(server.becomesEmpty())
    }

    /// libmicrohttpd would wait for the body although it has been answered.
    @Test func oneOfAnotherMethodIsReadAndRefusedAndTheConnectionKept() throws {
        let server = try server()
        let client = try server.client()
        let body = String(repeating: "x", count: 500_000)
        try client.send("PATCH / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n" + body)
        let answer = try client.readAnswer()
        #expect(answer.head.hasPrefix("HTTP/1.1 413 "))
        #expect(answer.body == "The request body is longer than 1000 bytes.\n")
        try client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.readAnswer().body == "GET /next\n")
    }

    @Test func aChunkedOneIsRefusedAtItsEnd() throws {
        let server = try server()
        let client = try server.client()
        try client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<3 { try client.send("200\r\n" + String(repeating: "x", count: 512) + "\r\n") }
        try client.send("0\r\n\r\n")
        #expect(try client.readAnswer().head.hasPrefix("HTTP/1.1 413 "))
    }

    @Test func oneThatWaitsForContinueIsNotAskedFor() throws {
        let server = try server()
        let text = try server.conversation(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 413 "))
        #expect(!text.contains("100 Continue"))
    }

    @Test func anImmenseOneIsNotReadAtAll() throws {
        let server = try server()
        let text = try server.conversation("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 413 "))
        #expect(server.becomesEmpty())
    }

    @Test func anEndlessChunkedOneIsCutOff() throws {
        let server = try server(discarded: 100_000)
        let client = try server.client()
        try client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
        #expect(throws: RawClient.Gone.self) {
            for _ in 0..<10_000 { try client.send(chunk) }
        }
        #expect(server.becomesEmpty())
    }
}
