import Glibc
import HTTPServer
import Routes
import Testing

@testable import RestAPI

/// Tokens are made and revoked over the local socket, and everything takes effect at once.
@Suite struct ARevokedTokenFailsOnItsNextRequest {
    static let local = Peer.local(user: geteuid(), group: getegid(), process: 1)

    private func create(_ test: TestGateway, _ body: String) throws -> Answer {
        try test.ask("POST", "/local/tokens", body: Array(body.utf8), peer: Self.local)
    }

    private func tokens(_ page: Answer) throws -> [[String: Any]] {
        try #require(page.json["tokens"] as? [[String: Any]])
    }

    private func status(_ test: TestGateway, _ token: String) throws -> Int {
        try test.ask("GET", "/api/v1/", headers: [(name: "Authorization", value: "Bearer " + token)]).status
    }

    @Test func fromMakingToRevoking() throws {
        let test = try TestGateway()
        let answer = try create(test, #"{"name":"phone"}"#)
        #expect(answer.status == 201)
        let token = try #require(try answer.json["token"] as? String)
        #expect(APIToken(token) != nil)
        #expect(try status(test, token) == 200)
        #expect(try status(test, token) == 200)

        let list = try test.ask("GET", "/local/tokens", peer: Self.local)
        #expect(
            try tokens(list).contains {
                $0["name"] as? String == "phone" && $0["prefix"] as? String == String(token.prefix(12))
            })
        #expect(!list.text.contains(token))

        #expect(try test.ask("DELETE", "/local/tokens/phone", peer: Self.local).status == 200)
        #expect(try status(test, token) == 401)
        #expect(try test.ask("DELETE", "/local/tokens/phone", peer: Self.local).status == 404)
        // The name is free again, and the other token never stopped working.
        #expect(try create(test, #"{"name":"phone"}"#).status == 201)
        #expect(try test.get("/api/v1/").status == 200)
    }

    @Test func aTokenThatPhonesHoldAlreadyIsTakenOver() throws {
        let test = try TestGateway()
        let token = "mm_v1_0123456789abcdef0123456789abcdef"
        #expect(try status(test, token) == 401)
        #expect(try create(test, #"{"name":"old phone","token":"\#(token)"}"#).status == 201)
        #expect(try status(test, token) == 200)
        #expect(try create(test, #"{"name":"other","token":"\#(token)"}"#).status == 409)
        #expect(try create(test, #"{"name":"old phone"}"#).status == 409)
        #expect(try test.ask("DELETE", "/local/tokens/old%20phone", peer: Self.local).status == 200)
        #expect(try status(test, token) == 401)
        #expect(try create(test, #"{"name":"old phone","token":"\#(token)"}"#).status == 201)
        #expect(try status(test, token) == 200)
    }

    @Test(arguments: [
        "{}", #"{"name":""}"#, #"{"name":"  "}"#, #"{"name":5}"#, #"{"name":"a\nb"}"#, #"{"name":"a\u0007"}"#,
        #"{"name":"x","token":"changeme"}"#, #"{"name":"x","token":5}"#, "[]", #"{"name":"x","scopes":"read"}"#,
        #"{"name":"x","scopes":[5]}"#, #"{"name":"x","scopes":["nods:read"]}"#, #"{"name":"x","scopes":[null]}"#,
        #"{"name":"x","expiresAt":1000}"#, #"{"name":"x","expiresAt":"2097-01-31"}"#, #"{"name":"x","expiresAt":-1}"#,
        #"{"name":"12345678901234567890123456789012345678901234567890123456789012345"}"#,
    ])
    func nonsenseIsRefused(_ body: String) throws {
        let test = try TestGateway()
        #expect(try create(test, body).status == 400)
        #expect(try test.store.read { try $0.tokens() }.map(\.name) == ["test"])
    }

    @Test func scopesAndExpiryAreKept() throws {
        let test = try TestGateway()
        let answer = try create(test, #"{"name":"map","scopes":["nodes:read"],"expiresAt":4102444800000}"#)
        #expect(answer.status == 201)
        #expect(try answer.json["scopes"] as? [String] == ["nodes:read"])
        let text = try #require(try answer.json["token"] as? String)
        let token = try #require(APIToken(text))
        #expect(try test.ask("GET", "/api/v1/nodes", as: token).status == 200)
        #expect(try test.ask("GET", "/api/v1/messages", as: token).status == 403)
        let row = try #require(try tokens(test.ask("GET", "/local/tokens", peer: Self.local)).last)
        #expect(row["scopes"] as? [String] == ["nodes:read"])
        #expect(row["expiresAt"] as? String == "2100-01-01T00:00:00.000Z" && row["state"] as? String == "active")
    }
}
