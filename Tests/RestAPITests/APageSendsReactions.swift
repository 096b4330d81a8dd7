import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

/// `POST /api/messages/send`, and `emoji` in v1's `POST messages`.
@Suite struct APageSendsReactions {
    typealias Live = SentTextsAreRowsAtOnce.Live

    @Test func aReactionToAMessage() throws {
        let live = try Live()
        let hiker = live.radio.nodes[0].number
        let answer = try live.test.post(
            "/api/messages/send", #"{"text":"yes","destination":"\#(hiker.id)","channel":0,"replyId":77,"emoji":1}"#)
        #expect(answer.status == 200)
        #expect(answer.text == #"{"success":true}"#)
        let sent = try #require(live.radio.waitForPacket(timeout: 90) { $0.to == hiker })
        #expect((sent.decoded?.emoji, sent.decoded?.replyID) == (1, 77))
        let posted = try live.test.post("/api/v1/messages", #"{"text":"+1","channel":1,"replyId":78,"emoji":1}"#)
        #expect(posted.status == 201)
        let second = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.replyID == 78 })
        #expect((second.decoded?.emoji, second.channel) == (1, 1))
    }

    @Test func aTextOnTheChannelThatIsNamed() throws {
        let live = try Live()
        for (body, channel) in [
            (#"{"text":"a"}"#, 0), (#"{"text":"b","channel":1}"#, 1),
            (#"{"text":"c","channel":2,"destination":"!ffffffff"}"#, 2),
        ] {
            #expect(try live.test.post("/api/messages/send", body).status == 200)
            #expect(try live.test.get("/api/v1/messages?channel=\(channel)&limit=1").rows.count == 1)
        }
    }

    @Test func whoMayNotSendThereIsRefused() throws {
        let test = try TestGateway()
        let token = try test.token(["channel_1:write"])
        let refused = try test.ask("POST", "/api/messages/send", as: token, #"{"text":"x"}"#)
        #expect(
            refused.text == #"{"error":"Insufficient permissions","code":"FORBIDDEN","#
                + #""required":{"resource":"channel_0","action":"write"}}"#)
        #expect(refused.status == 403)
        let allowed = try test.ask("POST", "/api/messages/send", as: token, #"{"text":"x","channel":1}"#)
        #expect(allowed.status == 503)
        #expect(allowed.header("RateLimit-Limit") == "30")
        for body in [#"{"text":" "}"#, #"{"text":"x","channel":9}"#, #"{"text":"x","destination":"x"}"#] {
            #expect(try test.post("/api/messages/send", body).status == 400)
        }
    }
}
