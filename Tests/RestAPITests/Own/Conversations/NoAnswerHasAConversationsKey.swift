import Foundation
import HTTPServer
import MeshModel
import Routes
import Synchronization
import Testing

@testable import RestAPI
@testable import Store

/// Over REST a key is made and forgotten; only the local socket shows one and takes one.
@Suite struct NoAnswerHasAConversationsKey {
    private static let path = "/api/v1/mqtt/conversations"
    private static let me = Peer.local(user: geteuid(), group: getegid(), process: 1)
    private static let text = "meshgw-key:1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    private func ask(_ test: TestGateway, _ method: String, _ path: String, _ body: String = "") throws -> Answer {
        try test.ask(method, Self.path + path, as: test.token(["mqtt:read", "mqtt:write"]), body)
    }

    private func askLocally(
        _ test: TestGateway, _ method: String, _ name: String, _ body: String = ""
    ) throws -> Answer {
        try test.ask(
            method, "/local/mqtt/conversations/\(name)/key",
            headers: [(name: "Content-Type", value: "application/json")], body: Array(body.utf8), peer: Self.me)
    }

    @Test func fromItsMakingToItsEnd() throws {
        let changes = Changes()
        let test = try TestGateway(conversations: .house { changes.count.add(1, ordering: .relaxed) })
        let source = try test.make("club", filters: ["club/talk"])
        #expect(try ask(test, "GET", "/club").data["sealed"] as? Bool == false)
        #expect(try ask(test, "GET", "/club").data["keyId"] is NSNull)
        let made = try ask(test, "POST", "/club/key", "{}")
        let key = try #require(try test.store.read { try $0.conversationKey(of: source) })
        let row = try made.data
        #expect(made.status == 201 && row["sealed"] as? Bool == true && row["keyId"] as? String == key.id)
        #expect(row["unopened"] as? Int == 0 && row["unsealed"] as? Int == 0)
        #expect(try ask(test, "GET", "/club").data == row && ask(test, "GET", "").rows == [row])
        // Nothing takes its place.
        let again = try ask(test, "POST", "/club/key")
        #expect(again.status == 409 && again.message?.contains(key.id) == true, "\(again.text)")
        #expect(try test.store.read { try $0.conversationKey(of: source) } == key)
        // What is changed besides leaves it alone.
        #expect(try ask(test, "PATCH", "/club", #"{"title":"Club"}"#).data["keyId"] as? String == key.id)
        // What waits is given up with it.
        let token = try test.token(["messages:read", "messages:write"])
        let sent = try test.ask(
            "POST", "/api/v1/messages", as: token, #"{"conversation":"mqtt:club","text":"Servus"}"#)
        let id = try #require(try sent.data["messageId"] as? String)
        let forgotten = try ask(test, "DELETE", "/club/key")
        #expect(try forgotten.status == 200 && forgotten.data["sealed"] as? Bool == false, "\(forgotten.text)")
        let delivery = try test.ask("GET", "/api/v1/messages/\(id)", as: token).data["delivery"] as? NSDictionary
        #expect(delivery?["state"] as? String == "failed")
        #expect((delivery?["reason"] as? String)?.contains("key was forgotten") == true)
        #expect(try ask(test, "DELETE", "/club/key").status == 404)
        // Making, changing, sending and forgetting are told to who connects it.
        #expect(changes.count.load(ordering: .relaxed) == 4)
        for answer in [made, again, forgotten] { #expect(!answer.text.contains("meshgw-key"), "\(answer.text)") }
    }

    @Test func noRequestBringsOne() throws {
        let test = try TestGateway()
        let source = try test.make("club")
        for body in [#"{"key":"\#(Self.text)"}"#, #"{"file":"/etc/hostname"}"#, "[]", "7"] {
            #expect(try ask(test, "POST", "/club/key", body).status == 400, "\(body)")
        }
        for body in [#"{"key":"\#(Self.text)"}"#, #"{"keyId":"630dcd29"}"#, #"{"sealed":true}"#] {
            #expect(try ask(test, "PATCH", "/club", body).status == 400, "\(body)")
        }
        #expect(try test.store.read { try $0.conversationKey(of: source) } == nil)
        for (method, path) in [("POST", "/nobody/key"), ("DELETE", "/nobody/key"), ("GET", "/club/key")] {
            #expect(try ask(test, method, path).status == 404, "\(method) \(path)")
        }
        for scope in ["read", "mqtt:read", "messages:write", "configuration:write"] {
            for method in ["POST", "DELETE"] {
                let answer = try test.ask(method, Self.path + "/club/key", as: test.token([scope]))
                #expect(answer.status == 403, "\(scope)")
            }
        }
    }

    @Test func theLocalSocketShowsItAndTakesOne() throws {
        let changes = Changes()
        let test = try TestGateway(conversations: .house { changes.count.add(1, ordering: .relaxed) })
        let source = try test.make("club")
        #expect(try askLocally(test, "GET", "club").status == 404)
        #expect(try askLocally(test, "GET", "nobody").status == 404)
        let taken = try askLocally(test, "POST", "club", #"{"key":"\#(Self.text)"}"#)
        #expect(taken.status == 200 && taken.text == #"{"name":"club","keyId":"630dcd29"}"#, "\(taken.text)")
        #expect(try test.store.read { try $0.conversationKey(of: source) }?.text == Self.text)
        let shown = try askLocally(test, "GET", "club")
        #expect(shown.text == #"{"name":"club","keyId":"630dcd29","key":"\#(Self.text)"}"#, "\(shown.text)")
        // The same once more is no mistake; another one is, and so is what is none.
        #expect(try askLocally(test, "POST", "club", #"{"key":"\#(Self.text)"}"#).status == 200)
        let other = ConversationKey.random().text
        #expect(try askLocally(test, "POST", "club", #"{"key":"\#(other)"}"#).status == 409)
        for body in ["{}", #"{"key":7}"#, #"{"key":"\#(Self.text)A"}"#, #"{"key":"\#(Self.text.dropLast())"}"#] {
            #expect(try askLocally(test, "POST", "club", body).status == 400, "\(body)")
        }
        #expect(try askLocally(test, "POST", "nobody", #"{"key":"\#(other)"}"#).status == 404)
        #expect(changes.count.load(ordering: .relaxed) == 2)
        // Nobody in the network finds that path.
        let path = "/local/mqtt/conversations/club/key"
        #expect(try test.ask("GET", path, as: test.token(["admin"])).status == 404)
        #expect(try test.ask("POST", path, as: test.token(["admin"]), "{}").status == 404)
    }

    private final class Changes: Sendable { let count = Atomic<Int>(0) }
}
