import Glibc
import HTTPServer
import Synchronization
import Testing

@Suite struct AConnectionIsKeptAndPipelined {
    @Test(arguments: Transport.allCases) func requestsFollowEachOtherOnOneConnection(over transport: Transport) throws {
        let server = try TestServer(over: transport)
        let client = try server.client()
        for number in 1...3 {
            try client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            let answer = try client.readAnswer()
            #expect(answer.head.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.body == "GET /\(number)\n")
        }
        #expect(server.server.connections == 1)
    }

    @Test(arguments: Transport.allCases) func threeRequestsInOnePacketAreAnsweredInOrder(over transport: Transport)
        throws
    {
        let server = try TestServer(over: transport)
        let client = try server.client()
        try client.send((1...3).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        for number in 1...3 { #expect(try client.readAnswer().body == "GET /\(number)\n") }
    }

    @Test(arguments: Transport.allCases) func aClientThatWantsToCloseIsObeyed(over transport: Transport) throws {
        let server = try TestServer(over: transport)
        let text = try server.conversation("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(server.becomesEmpty())
    }

    @Test func theHandlersStatusArrives() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /missing HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.head.hasPrefix("HTTP/1.1 404 "))
        #expect(answer.body == "nothing here")
    }

    @Test func headGetsTheHeadOfGet() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        let head = try client.readAnswer(hasBody: false).head
        #expect(head.hasPrefix("HTTP/1.1 200 "))
        #expect(field("Content-Length", of: head) == "8")
        // The next answer begins right after the head: there was no body.
        #expect(try client.readAnswer().body == "GET /b\n")
    }

    @Test func whoSendsHundredsAtOnceDoesNotKeepOthersWaiting() throws {
        let asked = Atomic(0), isHeld = Atomic(true)
        let server = try TestServer { request in
            let before = asked.load(ordering: .relaxed)
            if request.path == "/honest" { return Response(body: .bytes(Array("\(before)".utf8))) }
            asked.add(1, ordering: .relaxed)
            while isHeld.load(ordering: .acquiring) { usleep(1000) }
            return echo(request)
        }
        // As many as are read at once.
        let atOnce = 560
        let pipelining = try (0..<4).map { _ in
            let client = try server.client()
            try client.send(String(repeating: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", count: atOnce))
            // The server's thread is in the midst of the first.
            try #require(eventually { asked.load(ordering: .relaxed) == 1 })
            return client
        }
        let honest = try server.client()
        try honest.send("GET /honest HTTP/1.1\r\nHost: x\r\n\r\n")
        isHeld.store(false, ordering: .releasing)
        // Each of the four has had a turn or two.
        let before = try #require(Int(honest.readAnswer().body))
        #expect(before < 400)
        for client in pipelining {
            for _ in 0..<atOnce { #expect(try client.readAnswer().body == "GET /a\n") }
        }
    }

    /// Nor gets it all of its answers made, whose bytes the kernel would keep.
    @Test func whoNeverReadsIsNotAnsweredAnyFurther() throws {
        let asked = Atomic(0)
        let server = try TestServer { request in
            if request.path != "/honest" { asked.add(1, ordering: .relaxed) }
            return Response(body: .bytes([UInt8](repeating: 0x78, count: 1000)))
        }
        let silent = try RawClient(host: "127.0.0.1", port: server.port, receiveBuffer: 32_768)
        let atOnce = 500
        try silent.send(String(repeating: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", count: atOnce))
        // With each of these it has a turn as well.
        let honest = try server.client()
        for _ in 0..<2 * atOnce {
            try honest.send("GET /honest HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try honest.readAnswer()
        }
        #expect(asked.load(ordering: .relaxed) < atOnce / 2)
        for _ in 0..<atOnce { #expect(try silent.readAnswer().body.utf8.count == 1000) }
    }
}
