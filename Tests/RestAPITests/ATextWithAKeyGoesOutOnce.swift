import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

/// `Idempotency-Key`: whoever got no answer asks again. The radio has been here once, and is away.
@Suite struct ATextWithAKeyGoesOutOnce {
    private func gateway(after earlier: TestGateway? = nil) throws -> TestGateway {
        var policy = ClientPolicy()
        policy.messageLimit = nil
        let test = try TestGateway(policy: policy, after: earlier)
        let id = test.id
        try test.store.commit { writer in try writer.update(id) { $0.nodeNumber = TestGateway.own } }
        return test
    }

    private static let hello = #"{"text":"hello","channel":0,"queue":true}"#

    private func post(
        _ test: TestGateway, _ key: String, _ body: String = hello, to path: String = "/api/v1/messages",
        as token: APIToken? = nil
    ) throws -> Answer {
        try test.ask(
            "POST", path,
            headers: [
                (name: "Authorization", value: "Bearer \((token ?? test.token).text)"),
                (name: "Content-Type", value: "application/json"), (name: "Idempotency-Key", value: key),
            ], body: Array(body.utf8))
    }

    private func texts(_ test: TestGateway) throws -> [String] {
        try test.get("/api/v1/messages").rows.compactMap { $0["text"] as? String }
    }

    @Test func askedAgainItIsTheAnswerOfTheFirstTime() throws {
        let test = try gateway()
        let first = try post(test, "one")
        #expect(first.status == 201)
        // As it was read, under each path, and whatever has become of the message.
        let spaced = #"{ "queue" : true, "channel":0 , "text":"hello" }"#
        for path in ["/api/v1", "/api/v1/sources/default", "/api/v1/sources/\(test.uuid)"] {
            let again = try post(test, "one", spaced, to: "\(path)/messages")
            #expect(again.status == 201 && again.text == first.text, "\(path)")
        }
        #expect(try texts(test) == ["hello"])
        let id = try #require(try first.data["messageId"] as? String)
        #expect(
            try test.ask("DELETE", "/api/messages/\(id)?sourceId=default", as: try test.token(["admin"])).status == 200)
        #expect(try post(test, "one").text == first.text)
        #expect(try texts(test) == [])
    }

    @Test func inPartsAndAsAnAlertLikewise() throws {
        let test = try gateway()
        let long = #"{"text":"\#(String(repeating: "long ", count: 60))","channel":1,"queue":true}"#
        let parts = try post(test, "long", long)
        #expect(parts.status == 202)
        #expect(try post(test, "long", long).text == parts.text)
        let alert = try post(test, "bell", to: "/api/v1/actions/alert")
        #expect(alert.status == 201)
        #expect(try post(test, "bell", to: "/api/v1/actions/alert").text == alert.text)
        #expect(try texts(test).count == 3)
        // A text is no alert.
        #expect(try post(test, "bell").status == 422)
    }

    @Test func forAnotherTextItIsRefused() throws {
        let test = try gateway()
        #expect(try post(test, "one").status == 201)
        for body in [
            #"{"text":"hello!","channel":0,"queue":true}"#, #"{"text":"hello","channel":1,"queue":true}"#,
            #"{"text":"hello","channel":0,"queue":true,"expiresIn":60}"#,
        ] {
            let answer = try post(test, "one", body)
            #expect(answer.status == 422, "\(body)")
            #expect(try answer.json["code"] as? String == "IDEMPOTENCY_KEY_REUSED")
        }
        #expect(try texts(test) == ["hello"])
    }

    @Test func whatWasRefusedIsNotKept() throws {
        let test = try gateway()
        #expect(try post(test, "one", #"{"text":"hello","channel":0}"#).status == 503)
        #expect(try post(test, "one", #"{"text":"","channel":0}"#).status == 400)
        #expect(try post(test, "one").status == 201)
    }

    @Test func eachTokenHasItsOwn() throws {
        let test = try gateway()
        let other = try test.token(["read", "send"])
        let answers = [try post(test, "one"), try post(test, "one", as: other)]
        #expect(answers.map(\.status) == [201, 201] && answers[0].text != answers[1].text)
        #expect(try texts(test).count == 2)
        // Without the right to write there a key is worth nothing.
        let reader = try test.token(["read"])
        #expect(try post(test, "one", as: reader).status == 403)
    }

    @Test func afterARestartAsBefore() throws {
        let test = try gateway()
        let first = try post(test, "one")
        test.stop()
        let again = try gateway(after: test)
        let token = test.token
        #expect(try post(again, "one", as: token).text == first.text)
        #expect(try texts(again) == ["hello"])
        // The folder goes with it.
        withExtendedLifetime(test) {}
    }

    /// The second waits for the first, and gets its answer.
    @Test func ofSeveralAtOnceOneGoesOut() async throws {
        let test = try gateway()
        for round in 0..<20 {
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 { group.addTask { try self.post(test, "round \(round)").text } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(Set(answers).count == 1, "\(answers)")
        }
        #expect(try texts(test).count == 20)
    }

    @Test(arguments: ["", String(repeating: "k", count: 129), "a\tb", "schlüssel"])
    func whatIsNoKeyIsAnError(_ key: String) throws {
        let test = try gateway()
        let answer = try post(test, key)
        #expect(answer.status == 400)
        #expect(answer.message == "Idempotency-Key must be 1 to 128 printable characters")
        #expect(try texts(test) == [])
    }

    @Test func theLongestAndTheShortestKeyAreTaken() throws {
        let test = try gateway()
        for key in ["~", String(repeating: "k", count: 128), "with blanks / and \"signs\""] {
            #expect(try post(test, key).status == 201, "\(key)")
        }
    }
}
