import HTTPServer
import Routes
import Testing

@testable import RestAPI

/// Up to 4 kB the contract's order stands: bad JSON is 400 before the token is asked for. What is longer is kept for a valid
/// token only, and without one the head decides.
@Suite struct AStrangersLongBodyIsNotRead {
    private let path = "/api/v1/messages"
    private let wrong = "Authorization: Bearer mm_v1_00000000000000000000000000000000"

    private func send(
        _ served: ServedGateway, _ body: String, method: String = "POST", headers: [String] = []
    ) throws -> RawAnswer {
        try served.ask(
            "\(method) \(path)",
            headers: ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] + headers, body: body)
    }

    @Test func badJSONIs401ThenInPlaceOf400() throws {
        let served = try ServedGateway()
        #expect(try send(served, "{" + String(repeating: " ", count: 4095)).status == 400)
        let answer = try send(served, "{" + String(repeating: " ", count: 4096))
        #expect(answer.status == 401)
        #expect(answer.header("WWW-Authenticate") == "Bearer")
        #expect(try send(served, "{" + String(repeating: " ", count: 4096), method: "PATCH").status == 401)
        #expect(try send(served, "{" + String(repeating: " ", count: 4096), headers: [served.bearer]).status == 400)
    }

    /// Only its head is sent; the answer comes all the same.
    @Test func itsEndIsNotWaitedFor() throws {
        let served = try ServedGateway()
        let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n"
        #expect(try served.exchange(head + "\r\n{").status == 401)
        #expect(try served.exchange(head + wrong + "\r\n\r\n{").status == 401)
    }

    @Test func aTokenThatIsRevokedMeanwhileCountsNoMore() throws {
        let served = try ServedGateway()
        let body = #"{"text":""# + String(repeating: "a", count: 9000) + #""}"#
        let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(served.bearer)\r\n"
        let request = head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
        let whole = try served.exchange(request)
        #expect(whole.status != 401, "\(whole.text)")
        let answer = try served.exchange(request, pauseAfter: request.utf8.count - 3000) {
            let isRevoked = try TokenRegister(store: served.test.store).revoke(name: "test") != nil
            #expect(isRevoked)
        }
        #expect(answer.status == 401)
    }

    /// Its head is looked at twice, and counts once.
    @Test(arguments: [100, 5000]) func aWrongTokenCountsOnce(length: Int) throws {
        let served = try ServedGateway()
        let answers = try (0..<WrongTokens.free).map { _ in
            try send(served, String(repeating: " ", count: length), headers: [wrong]).status
        }
        #expect(answers.allSatisfy { $0 == (length > 4096 ? 401 : 400) })
        #expect(
            try send(served, String(repeating: " ", count: 5000), headers: [wrong]).status
                == (length > 4096 ? 429 : 401))
    }

    @Test func whatIsOpenToAllIsAnsweredByItsHead() throws {
        let served = try ServedGateway()
        let answer = try served.ask(
            "GET /api/health", headers: ["Content-Length: 5000"], body: String(repeating: "{", count: 5000))
        #expect(answer.status == 200)
    }
}
