import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import RestAPI

/// SerialReference 4.2: port 11, and BEL in the text.
@Suite struct AnAlertRings {
    @Test func onAChannel() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let answer = try live.test.post("/api/v1/actions/alert", #"{"text":" Avalanche ❗ ","channel":0}"#)
        #expect(answer.status == 201, "\(answer.text)")
        let id = try #require(try answer.data["messageId"] as? String)
        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .alert })
        #expect(sent.decoded?.payload == Array("Avalanche ❗\u{7}".utf8))
        #expect(sent.to == .broadcast)
        let row = try live.test.get("/api/v1/messages/\(id)").data
        #expect(row["text"] as? String == "Avalanche ❗")
        #expect(row["portnum"] as? Int == 11)
        #expect(try live.row(id, becomes: "delivered"))
    }

    @Test func toOne() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let hiker = live.radio.nodes[0].number
        let answer = try live.test.post(
            "/api/v1/actions/alert", #"{"text":"Come back","toNodeId":"\#(hiker.id)"}"#)
        let id = try #require(try answer.data["messageId"] as? String)
        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .alert })
        #expect(sent.to == hiker && sent.wantAck)
        #expect(try live.row(id, becomes: "confirmed"))
    }

    @Test func inOnePacket() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let path = "/api/v1/actions/alert"
        let long = try live.test.post(path, #"{"text":"\#(String(repeating: "a ", count: 101))","channel":0}"#)
        #expect(long.status == 400)
        #expect(long.text.contains("at most 200 bytes"))
        let most = try live.test.post(path, #"{"text":"\#(String(repeating: "a", count: 200))","channel":0}"#)
        #expect(most.status == 201)
        #expect(try live.test.get("/api/v1/messages").rows.count == 1)
    }

    @Test func asAText() throws {
        let test = try TestGateway()
        let path = "/api/v1/actions/alert"
        for (body, status) in [
            ("{}", 400), (#"{"text":"\u0007","channel":0}"#, 400), (#"{"text":"x"}"#, 400),
            (#"{"text":"x","channel":8}"#, 400), (#"{"text":"x","channel":0,"toNodeId":"!abcdef12"}"#, 400),
            (#"{"text":"x","toNodeId":"!00000000"}"#, 400), (#"{"text":"x","channel":0}"#, 503),
        ] {
            #expect(try test.post(path, body).status == status, "\(body)")
        }
        let token = try test.token(["messages:read", "channel_1:write"])
        for (body, resource) in [
            (#"{"text":"x","channel":0}"#, "channel_0"), (#"{"text":"x","toNodeId":"!abcdef12"}"#, "messages"),
        ] {
            let refused = try test.ask("POST", path, as: token, body)
            #expect(refused.status == 403)
            #expect(try refused.json["required"] as? [String: String] == ["resource": resource, "action": "write"])
        }
        // It counts as a message for the limit of messages.
        #expect(try test.post(path, #"{"text":"x","channel":0}"#).header("RateLimit-Limit") != nil)
    }
}
