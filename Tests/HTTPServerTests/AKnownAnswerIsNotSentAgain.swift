import HTTPServer
import Testing

@Suite struct AKnownAnswerIsNotSentAgain {
    /// If-None-Match, whether it names W/"v,1".
    @Test(arguments: [
        (#"W/"v,1""#, true), (#""v,1""#, true), (#""a", W/"v,1" , "b""#, true), ("*", true), (" * ", true),
        (#""v,2""#, false), (#""v""#, false), (#"v,1"#, false), ("", false), (#""v,1"#, false), (#""a" "v,1""#, true),
        (#"W/"#, false), (#"junk, "v,1""#, false),
    ]) func theTagsAreComparedWeakly(known: String, isKnown: Bool) {
        let request = Request(target: "/", headers: [("if-none-match", known)])
        let response = Response(
            headers: [("Content-Type", "text/plain"), ("etag", #"W/"v,1""#)], body: .bytes([1, 2, 3]))
        let answer = response.unlessKnown(to: request)
        #expect(answer.status == (isKnown ? 304 : 200), "\(known)")
        if isKnown {
            #expect(answer.header("ETag") == #"W/"v,1""#)
            #expect(answer.header("Content-Type") == nil)
        }
    }

    @Test func onlyAGoodAnswerToAReaderIsReplaced() {
        let known: [(name: String, value: String)] = [("If-None-Match", "*")]
        let tagged = Response(headers: [("ETag", "\"1\"")])
        #expect(tagged.unlessKnown(to: Request(method: "HEAD", target: "/", headers: known)).status == 304)
        #expect(tagged.unlessKnown(to: Request(method: "POST", target: "/", headers: known)).status == 200)
        #expect(tagged.unlessKnown(to: Request(target: "/")).status == 200)
        #expect(Response().unlessKnown(to: Request(target: "/", headers: known)).status == 200)
        let missing = Response(status: 404, headers: [("ETag", "\"1\"")])
        #expect(missing.unlessKnown(to: Request(target: "/", headers: known)).status == 404)
    }

    @Test func onTheWireItHasNoBody() throws {
        let server = try TestServer { request in
            Response(headers: [("ETag", #""1""#)], body: .bytes(Array("long".utf8))).unlessKnown(to: request)
        }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"1\"\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = try client.readAnswer()
        #expect(answer.head.hasPrefix("HTTP/1.1 304 "))
        #expect(field("ETag", of: answer.head) == #""1""#)
        #expect(answer.body.isEmpty)
        #expect(try client.readAnswer().body == "long")
    }
}
