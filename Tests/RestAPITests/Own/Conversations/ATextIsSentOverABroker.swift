import Foundation
import HTTPServer
import MeshModel
import Routes
import Synchronization
import Testing

@testable import RestAPI
@testable import Store

/// A text for a conversation over a broker is on disk, and waits, when the answer goes out.
@Suite struct ATextIsSentOverABroker {
    private static let path = "/api/v1/messages"

    private func send(
        _ test: TestGateway, _ body: String, key: String? = nil, as token: APIToken? = nil, _ path: String = path
    ) throws -> Answer {
        let headers = [
            (name: "Authorization", value: "Bearer \((token ?? test.token).text)"),
            (name: "Content-Type", value: "application/json"),
        ]
        return try test.ask(
            "POST", path, headers: headers + (key.map { [(name: "Idempotency-Key", value: $0)] } ?? []),
            body: Array(body.utf8))
    }

    private func send(_ test: TestGateway, _ body: String, to path: String) throws -> Answer {
        try send(test, body, key: nil, as: nil, path)
    }

    private func waiting(_ test: TestGateway) throws -> [WaitingText] {
        try test.store.read { try $0.waitingTexts(for: "house", after: 0, limit: 2_000) }
    }

    @Test func itIsARowAndWaits() throws {
        let wakes = Wakes()
        let test = try TestGateway(conversations: .house { wakes.count.add(1, ordering: .relaxed) })
        try test.make("club", filters: ["club/talk"])
        let token = try test.token(["messages:read", "messages:write"])
        let answer = try send(test, #"{"conversation":"mqtt:club","text":" Servus 👋\u0007 "}"#, as: token)
        #expect(answer.status == 201, "\(answer.text)")
        let id = try #require(try answer.data["messageId"] as? String)
        #expect(try answer.data["conversation"] as? String == "mqtt:club" && answer.data["channel"] as? Int == -1)
        let row = try test.ask("GET", "/api/v1/messages/\(id)", as: token).data
        #expect(row["text"] as? String == "Servus 👋" && row["writer"] as? String == "mesh-gateway")
        #expect(row["deliveryState"] as? String == "pending" && row["topic"] as? String == "club/talk")
        let delivery = row["delivery"] as? NSDictionary
        #expect(delivery?["state"] as? String == "queued")
        #expect(delivery?["reason"] as? String == "stored; waits for the broker")
        let text = try #require(try waiting(test).first)
        #expect(text.text == "Servus 👋" && UUID(uuidString: text.id) != nil)
        #expect(wakes.count.load(ordering: .relaxed) == 1)
        #expect(try test.get("/api/v1/mqtt/conversations/club").data["waiting"] as? Int == 1)
        // The broker has taken it.
        let reader = try EventReader(test, as: token)
        _ = try reader.read()
        try test.store.commit { writer in
            try writer.settle(text, at: TestGateway.now) { ($0.state, $0.ackedAt) = (.relayed, TestGateway.now) }
        }
        let told = try #require(try reader.read().first { $0.kind == "delivery" }).json
        #expect(told["id"] as? String == id && told["state"] as? String == "relayed")
        #expect(told["deliveryState"] as? String == "delivered")
        // It is nobody's message elsewhere.
        for action in ["resend", "cancel"] {
            #expect(try send(test, "{}", to: "\(Self.path)/\(id)/\(action)").status == 404, "\(action)")
        }
        #expect(try test.ask("DELETE", "/api/messages/\(id)", as: test.token(["admin"])).status == 404)
    }

    @Test func onceUnderAKey() throws {
        let test = try TestGateway()
        try test.make("club", filters: ["club/talk"])
        try test.make("other", filters: ["other"])
        let body = #"{"conversation":"mqtt:club","text":"once"}"#
        let first = try send(test, body, key: "k-1")
        let again = try send(test, #"{ "text":"once", "conversation":"mqtt:club" }"#, key: "k-1")
        #expect(first.status == 201 && again.status == 201 && first.body == again.body)
        #expect(try waiting(test).count == 1)
        for other in [body.replacing("once", with: "twice"), body.replacing("club", with: "other")] {
            #expect(try send(test, other, key: "k-1").status == 422, "\(other)")
        }
        #expect(try send(test, body, key: "k-2").status == 201 && send(test, body).status == 201)
        #expect(try waiting(test).count == 3)
        // A refusal is not kept.
        try test.make("silent")
        let refused = body.replacing("club", with: "silent")
        #expect(try send(test, refused, key: "k-3").status == 409)
        _ = try test.ask("PATCH", "/api/v1/mqtt/conversations/silent", as: test.token(["admin"]), #"{"topic":"t"}"#)
        #expect(try send(test, refused, key: "k-3").status == 201)
    }

    @Test func whatIsNoneIsRefused() throws {
        let test = try TestGateway()
        try test.make("club", filters: ["club/talk"])
        let noneOfThem = [
            #"{"conversation":"mqtt:club"}"#, #"{"conversation":"mqtt:club","text":" \u0000 "}"#,
            #"{"conversation":"mqtt:club","text":"x","channel":0}"#,
            #"{"conversation":"mqtt:club","text":"x","toNodeId":"!abcdef12"}"#,
            #"{"conversation":"mqtt:club","text":"x","replyId":7}"#,
            #"{"conversation":"mqtt:club","text":"👍","emoji":1}"#,
            #"{"conversation":"mqtt:club","text":"x","queue":"heard"}"#,
            #"{"conversation":"mqtt:club","text":"x","expiresIn":60}"#, #"{"conversation":"mqtt:club","text":7}"#,
        ]
        for body in noneOfThem { #expect(try send(test, body).status == 400, "\(body)") }
        let alert = try send(test, #"{"conversation":"mqtt:club","text":"Fire"}"#, to: "/api/v1/actions/alert")
        #expect(alert.status == 400, "\(alert.text)")
        func long(_ count: Int) -> String {
            #"{"conversation":"mqtt:club","text":"\#(String(repeating: "é", count: count))"}"#
        }
        #expect(try send(test, long(4_001)).status == 413)
        // One character may have any number of bytes.
        let families = String(repeating: "👨‍👩‍👧‍👦", count: 700)
        let refused = try send(test, #"{"conversation":"mqtt:club","text":"\#(families)"}"#)
        #expect(refused.status == 413 && refused.message?.contains("16000 bytes") == true, "\(refused.text)")
        #expect(try waiting(test).isEmpty)
        #expect(try send(test, long(4_000)).status == 201)
        #expect(try send(test, #"{"conversation":"mqtt:nobody","text":"x"}"#).status == 404)
        for source in [test.uuid, "default"] {
            let answer = try send(
                test, #"{"conversation":"mqtt:club","text":"x"}"#, to: "/api/v1/sources/\(source)/messages")
            #expect(answer.status == (source == "default" ? 201 : 404), "\(source): \(answer.text)")
        }
        let reader = try test.token(["messages:read", "channels:write"])
        #expect(try send(test, #"{"conversation":"mqtt:club","text":"x"}"#, as: reader).status == 403)
    }

    @Test func aThousandMayWait() throws {
        let test = try TestGateway()
        let (source, day) = (try test.make("club", filters: ["club/talk"]), 86_400_000 as Int64)
        try test.store.commit { writer in
            for number in 1...1_000 {
                _ = try writer.insertOwn(
                    "\(number)", BrokerText(topic: "club/talk", writer: "Hut", id: "u-\(number)"), by: nil, in: source,
                    at: TestGateway.now, expiresAt: TestGateway.now + 4_000 * day)
            }
        }
        let answer = try send(test, #"{"conversation":"mqtt:club","text":"one more"}"#)
        #expect(answer.status == 503 && answer.header("Retry-After") != nil, "\(answer.text)")
        let row = try test.get("/api/v1/conversations/mqtt:club").data
        #expect((row["cannotSend"] as? NSDictionary)?["code"] as? String == "TOO_MANY_WAIT")
        try test.store.commit { try $0.expireTexts(at: TestGateway.now + 4_000 * day) }
        #expect(try send(test, #"{"conversation":"mqtt:club","text":"one more"}"#).status == 201)
        let expired = try test.get("/api/v1/messages?conversation=mqtt:club&limit=2").rows[1]
        #expect(expired["deliveryState"] as? String == "failed")
    }

    private final class Wakes: Sendable { let count = Atomic<Int>(0) }
}
