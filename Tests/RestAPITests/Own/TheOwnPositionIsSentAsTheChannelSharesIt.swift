import Foundation
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import RestAPI

@Suite struct TheOwnPositionIsSentAsTheChannelSharesIt {
    private func position(_ live: SentTextsAreRowsAtOnce.Live) throws -> (packet: MeshPacket, position: Position) {
        let packet = try #require(live.radio.waitForPacket(timeout: 90) { $0.decoded?.port == .position })
        guard case .position(let position) = PacketContent(try #require(packet.decoded)) else { fatalError() }
        return (packet, position)
    }

    @Test func toEverybody() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let answer = try live.test.post("/api/v1/actions/send-position", "{}")
        #expect(
            answer.text
                == #"{"success":true,"data":{"destination":"!ffffffff","channel":0,"message":"Position sent"}}"#)
        let (packet, position) = try position(live)
        #expect(packet.to == .broadcast && packet.channel == 0)
        #expect(packet.decoded?.wantResponse == false)
        // The primary channel of the simulated radio shares 13 bits.
        #expect(position.precisionBits == 13)
        // No chat shows it.
        #expect(try live.test.get("/api/v1/messages").rows.isEmpty)
    }

    @Test func toOneOnAChannel() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let hiker = live.radio.nodes[0].number
        let answer = try live.test.post(
            "/api/v1/actions/send-position", #"{"nodeId":"\#(hiker.id)","channel":1}"#)
        #expect(try answer.data["channel"] as? Int == 1)
        let (packet, position) = try position(live)
        #expect(packet.to == hiker && packet.channel == 1)
        #expect(position.precisionBits == 32)
    }

    @Test func notWithoutAPlace() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        try live.test.update(live.radio.number) { ($0.latitude, $0.longitude) = (nil, nil) }
        let answer = try live.test.post("/api/v1/actions/send-position", "{}")
        #expect(answer.status == 409)
        #expect(try answer.json["code"] as? String == "NO_POSITION")
        let id = live.test.id
        #expect(try live.test.store.read { try $0.outbox(in: id) }.isEmpty)
    }

    @Test func refused() throws {
        let test = try TestGateway()
        for body in [#"{"destination":"!"}"#, #"{"nodeNum":-1}"#, #"{"destination":"everybody"}"#] {
            #expect(try test.post("/api/v1/actions/send-position", body).status == 400)
        }
        #expect(try test.post("/api/v1/actions/send-position", "{}").status == 503)
        let reader = try test.token(["read"])
        #expect(try test.ask("POST", "/api/v1/actions/send-position", as: reader, "{}").status == 403)
    }
}
