import Testing

@testable import HTTPServer

@Suite struct ABodyArrivesHoweverItIsSent {
    @Test func withContentLengthInPieces() throws {
        let server = try TestServer()
        let client = try server.client()
        let body = String(repeating: "0123456789", count: 20_000)
        try client.send("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
        try client.send(body)
        #expect(try client.readAnswer().body == "POST /p\n" + body)
    }

    @Test func chunked() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        // libmicrohttpd 1.0.1 reads a chunk's extension one byte too short, and refuses the chunk behind it.
        try client.send(RequestHead.isOf1_0 ? "5\r\n" : "5;note=1\r\n")
        try client.send("defgh\r\n0\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.body == "POST /p\nabcdefgh")
        // Where it ends is a matter of opinion when somebody wants it to be.
        #expect(field("Connection", of: answer.head) == "close")
        #expect(client.isAtEnd())
    }

    @Test func afterContinue() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readAnswer(hasBody: false).head.hasPrefix("HTTP/1.1 100 "))
        try client.send("abc")
        #expect(try client.readAnswer().body == "POST /p\nabc")
    }

    @Test(arguments: ["PUT", "PATCH", "DELETE", "POST"]) func withAnyMethod(method: String) throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("\(method) /p HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
        #expect(try client.readAnswer().body == "\(method) /p\nhi")
    }
}
