import Foundation
import MeshModel
import Nettle
import Testing

@testable import Gateway
@testable import RestAPI

/// `POST P/nodes/{id}/key`: with the words of `mesh-gateway keys`, for tokens with everything.
@Suite struct AKeyIsDecidedThroughTheAPI {
    private static let (known, other, third) = ([UInt8](1...32), [UInt8](2...33), [UInt8](3...34))
    private static let path = "/api/v1/nodes/!abcdef12/key"

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { writer in try writer.update(id) { $0.nodeNumber = TestGateway.own } }
        test.gateway.apply(.hold)
        try test.update(TestGateway.peer) { node in
            node.longName = "Ridge"
            node.pin(PublicKey(Self.known)!)
            node.saw(PublicKey(Self.other)!, .announced, at: TestGateway.now)
        }
        return test
    }

    private func decide(
        _ test: TestGateway, _ decision: String, _ key: [UInt8] = other, scopes: [String] = ["admin"]
    ) throws -> Answer {
        try test.ask(
            "POST", Self.path, as: try test.token(scopes),
            #"{"decision":"\#(decision)","key":"\#(Base64.encoded(key))"}"#)
    }

    private func key(of answer: Answer) throws -> [String: Any] {
        try #require(try answer.data["key"] as? [String: Any])
    }

    @Test func theOtherOneIsAcceptedAndWhatWaitsIsCounted() throws {
        let test = try gateway()
        for text in ["one", "two"] {
            let body = #"{"text":"\#(text)","toNodeId":"!abcdef12","queue":true}"#
            #expect(try test.post("/api/v1/messages", body).status == 201)
        }
        let answer = try decide(test, "accept")
        #expect(answer.status == 200)
        #expect(try answer.data["messagesSent"] as? Int == 2 && answer.data["messagesRefused"] as? Int == 0)
        let key = try key(of: answer)
        #expect(key["publicKey"] as? String == Base64.encoded(Self.other))
        #expect(key["isInDoubt"] as? Bool == false && key["isVerified"] as? Bool == false)
        let id = test.id
        let waiting = try test.store.read { try $0.outbox(in: id) }.filter { $0.packet.to == TestGateway.peer }
        #expect(waiting.map(\.hold) == [nil, nil])
        #expect(waiting.allSatisfy { $0.packet.publicKey == PublicKey(Self.other) })
        // Nothing is in doubt any more.
        let again = try decide(test, "accept")
        #expect(again.status == 409 && (try again.json["code"] as? String) == "KEY_NOT_IN_DOUBT")
    }

    @Test func theKnownOneIsKeptAsVerified() throws {
        let test = try gateway()
        let answer = try decide(test, "verify")
        #expect(answer.status == 200)
        let key = try key(of: answer)
        #expect(key["publicKey"] as? String == Base64.encoded(Self.known) && key["isVerified"] as? Bool == true)
        #expect(key["otherKey"] is NSNull && key["state"] as? String == "verified")
    }

    /// Between looking and deciding a third key was seen: nobody has compared that.
    @Test(arguments: ["accept", "verify"]) func onlyAboutTheKeyThatWasLookedAt(_ decision: String) throws {
        let test = try gateway()
        let answer = try decide(test, decision, Self.third)
        #expect(answer.status == 409 && (try answer.json["code"] as? String) == "KEY_CHANGED")
        // The known one is not the other one.
        #expect(try decide(test, decision, Self.known).status == 409)
        let node = try test.get(Self.path).data
        #expect(node["isInDoubt"] as? Bool == true && node["publicKey"] as? String == Base64.encoded(Self.known))
    }

    @Test func onlyWithEverything() throws {
        let test = try gateway()
        let answer = try decide(
            test, "accept",
            scopes: [
                "read", "send", "nodes:write", "configuration:read", "configuration:write", "channel_database:read",
            ])
        #expect(answer.status == 403)
        let required = try #require(try answer.json["required"] as? [String: String])
        #expect(required["resource"] == "admin" && required["sourceId"] == test.uuid)
        #expect(try test.ask("POST", Self.path).status == 401)
        #expect(try test.get(Self.path).data["isInDoubt"] as? Bool == true)
    }

    @Test(arguments: [
        "{}", #"{"decision":"perhaps","key":"AgM="}"#, #"{"decision":"accept"}"#,
        #"{"decision":"accept","key":"AgM="}"#,
    ])
    func nonsenseIsRefused(_ body: String) throws {
        let test = try gateway()
        #expect(try test.ask("POST", Self.path, as: try test.token(["admin"]), body).status == 400)
        #expect(try test.get(Self.path).data["isInDoubt"] as? Bool == true)
    }

    @Test func theHistorySaysWhoDecided() throws {
        let test = try gateway()
        let token = try test.token(["admin"])
        let body = #"{"decision":"accept","key":"\#(Base64.encoded(Self.other))"}"#
        let listener = test.gateway.events.listen(to: [.key])
        #expect(try test.ask("POST", Self.path, as: token, body).status == 200)
        func history(_ token: APIToken) throws -> [[String: Any]] {
            try #require(try test.ask("GET", Self.path, as: token).data["history"] as? [[String: Any]])
        }
        let row = try #require(try history(token).first)
        #expect(row["event"] as? String == "key-accepted")
        #expect((row["by"] as? String)?.hasPrefix("rest:token ") == true)
        // Who it was is for those who may read how the gateway is set up.
        #expect(try history(try test.token(["read"])).first?["by"] as? String == "rest")
        guard case .key(let node, let name, let text)? = listener.nextEvents {}.events.last?.what else {
            Issue.record("no event")
            return
        }
        #expect(node == TestGateway.peer && name == "key-accepted" && text.contains("(rest:token "))
    }
}
