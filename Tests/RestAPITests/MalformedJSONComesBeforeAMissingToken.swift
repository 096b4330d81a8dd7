import Testing

@testable import RestAPI

@Suite struct MalformedJSONComesBeforeAMissingToken {
    static let body =
        #"{"error":"Bad Request","message":"Invalid JSON in request body. Please check your JSON syntax."}"#

    @Test(arguments: [
        "{", "{\"text\":}", "nonsense", "\"text\"", "5", "null", "{'a':1}", "\u{FF}", "[[[[[[[[[[[[[[[[[[",
    ])
    func malformed(_ json: String) throws {
        let test = try TestGateway()
        for headers in [[], [test.bearer]] {
            for type in ["application/json", "Application/JSON; charset=utf-8", " application/json ;x"] {
                let answer = try test.ask(
                    "POST", "/api/v1/messages", headers: headers + [(name: "Content-Type", value: type)],
                    body: Array(json.utf8))
                #expect(answer.status == 400)
                #expect(answer.text == Self.body)
            }
        }
    }

    @Test func aContentTypeAloneIsNoBody() throws {
        let test = try TestGateway()
        // Emacs and the quiz say so on every GET.
        let type = (name: "Content-Type", value: "application/json")
        #expect(try test.get("/api/v1/nodes", headers: [type]).status == 200)
        #expect(try test.ask("POST", "/api/v1/messages", headers: [type]).status == 401)
    }
}
