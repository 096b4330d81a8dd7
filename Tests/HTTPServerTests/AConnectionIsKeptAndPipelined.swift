import HTTPServer
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
}
