import Glibc
import HTTPServer
import Testing

private func server(_ limits: Limits = Limits(), over transport: Transport = .plain) throws -> TestServer {
    let knows: @Sendable (Request) -> Bool = { $0.header("Authorization") == "good" }
    return try TestServer(over: transport, limits: limits, rules: ClientRules(keepsBody: knows)) { request in
        guard !request.isBodyLeft else { return Response(status: 401, body: .bytes(Array("left".utf8))) }
        return Response(body: .bytes(Array("\(request.body.count)".utf8)))
    }
}

private func head(_ method: String, _ length: String, _ more: String = "") -> String {
    "\(method) / HTTP/1.1\r\nHost: x\r\n\(length)\r\n\(more)\r\n"
}

private let good = "Authorization: good\r\n"

@Suite struct ABodyIsKeptForAKnownClientOnly {
    /// The answer comes though the body does not.
    @Test(arguments: ["POST", "PUT"], Transport.allCases)
    func aLongOneOfAStrangerIsAnsweredByItsHead(method: String, over transport: Transport) throws {
        let server = try server(over: transport)
        let client = try server.client()
        try client.send(head(method, "Content-Length: 1000000") + String(repeating: "a", count: 5000))
        let answer = try client.readAnswer()
        #expect(answer.head.hasPrefix("HTTP/1.1 401"))
        #expect(answer.body == "left")
        #expect(field("connection", of: answer.head) == "close")
        #expect(server.becomesEmpty())
    }

    @Test(arguments: Transport.allCases) func soIsOneInHTTP10(over transport: Transport) throws {
        let server = try server(over: transport)
        let client = try server.client()
        try client.send("POST / HTTP/1.0\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "a", count: 5000))
        let text = client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.0 401") || text.hasPrefix("HTTP/1.1 401"), "\(text)")
        #expect(text.hasSuffix("left"))
        #expect(server.becomesEmpty())
    }

    @Test(arguments: ["PATCH", "DELETE", "GET"]) func othersAreThrownAway(method: String) throws {
        let server = try server()
        let client = try server.client()
        try client.send(head(method, "Content-Length: 50000") + String(repeating: "a", count: 50_000))
        #expect(try client.readAnswer().body == "left")
        try client.send(head("GET", "X: y"))
        #expect(try client.readAnswer().body == "0")
    }

    @Test(arguments: ["POST", "PATCH"]) func upToFourKilobytesItIsKept(method: String) throws {
        let server = try server()
        let client = try server.client()
        try client.send(head(method, "Content-Length: 4096") + String(repeating: "a", count: 4096))
        #expect(try client.readAnswer().body == "4096")
    }

    /// Its length is known at its end only, so it counts as it grows.
    @Test(arguments: [(4000, "4000"), (4096, "4096"), (4097, "left"), (90_000, "left")])
    func aChunkedOneCountsAsItGrows(length: Int, body: String) throws {
        let server = try server()
        let client = try server.client()
        try client.send(head("POST", "Transfer-Encoding: chunked"))
        var rest = length
        while rest > 0 {
            let size = min(rest, 1000)
            try client.send(String(size, radix: 16) + "\r\n" + String(repeating: "a", count: size) + "\r\n")
            rest -= size
        }
        try client.send("0\r\n\r\n")
        #expect(client.readToEnd().hasSuffix("\r\n\r\n" + body))
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"], ["Content-Length: 5000", "Transfer-Encoding: chunked"])
    func aStrangerIsNotAskedForIt(method: String, length: String) throws {
        let server = try server()
        let client = try server.client()
        try client.send(head(method, length, "Expect: 100-continue\r\n"))
        let text = client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 401"), "\(text)")
        #expect(text.hasSuffix("left"))
    }

    @Test(arguments: ["Content-Length: 5000", "Content-Length: 1000000"], Transport.allCases)
    func aKnownClientIs(length: String, over transport: Transport) throws {
        let server = try server(over: transport)
        let client = try server.client()
        try client.send(head("POST", length, good + "Expect: 100-continue\r\n"))
        #expect(try client.readAnswer().head.hasPrefix("HTTP/1.1 100"))
        let count = try #require(Int(length.split(separator: " ")[1]))
        try client.send(String(repeating: "a", count: count))
        #expect(try client.readAnswer().body == "\(count)")
    }

    /// Only the sending side has ended: the answer is read.
    @Test func aHalfClosedClientIsAnswered() throws {
        let server = try server()
        let client = try server.client()
        try client.send(head("POST", "Content-Length: 9000", good) + String(repeating: "a", count: 9000))
        shutdown(client.descriptor, Int32(SHUT_WR))
        #expect(try client.readAnswer().body == "9000")
    }

    /// In the middle of its body: nothing is waited for.
    @Test(arguments: [good, ""]) func oneThatSaysNoMoreInTheMiddleOfItIsGone(token: String) throws {
        let server = try server()
        let client = try server.client()
        try? client.send(head("POST", "Content-Length: 1000000", token) + String(repeating: "a", count: 100_000))
        shutdown(client.descriptor, Int32(SHUT_WR))
        _ = client.readToEnd()
        #expect(server.becomesEmpty())
    }

    @Test(arguments: Transport.allCases)
    func aMegabyteOfEachOfManyStrangersIsNotKept(over transport: Transport) throws {
        // Two hundred handshakes take their time under a sanitizer, and the first one waits for the last.
        var limits = Limits()
        (limits.requestTime, limits.idleSeconds) = (.seconds(600), 600)
        let server = try server(limits, over: transport)
        let clients = try (0..<200).map { try server.client(from: "127.0.1.\($0 % 4 + 1)") }
        let before = processStatus("VmRSS")
        let piece = String(repeating: "a", count: 500_000)
        for client in clients {
            // It may have been answered, and closed, before all of it is sent.
            try? client.send(head("POST", "Content-Length: 1000000") + piece)
        }
        #expect(server.becomesEmpty())
        #expect(processStatus("VmRSS") - before < 60_000)
    }
}
