import Foundation
import MeshModel
import Testing

@testable import RestAPI

@Suite struct APacketIsExplainedToWhoMayReadIt {
    /// Row 1: a text on channel 1. Row 2: a position, to one node on channel 2. Row 3: an order to the radio.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let id = test.id
        func packet(_ port: PortNumber, _ payload: [UInt8], channel: UInt32, to: NodeNumber = .broadcast) -> MeshPacket
        {
            MeshPacket(
                from: TestGateway.peer, to: to, channel: channel, id: 7 + channel,
                payload: .decoded(MeshData(port: port, payload: payload)), rxSNR: 5, rxRSSI: -90, hopLimit: 2,
                hopStart: 3, relayNode: 0x12, transport: .lora)
        }
        try test.update(NodeNumber(0xAA12)) { ($0.channel, $0.hopsAway, $0.lastHeard) = (1, 0, 5) }
        let packets = [
            packet(.textMessage, Array("hello".utf8), channel: 1),
            packet(.position, Position(latitudeI: 10, longitudeI: 20).encoded(), channel: 2, to: NodeNumber(0x55)),
        ]
        try test.store.commit { writer in
            for packet in packets { try writer.logPacket(packet, direction: .rx, in: id, at: TestGateway.now) }
        }
        return test
    }

    @Test func byteByByte() throws {
        let test = try gateway()
        let data = try test.ask("GET", "/api/v1/packets/1/explain?preset=long_fast", as: try test.token(["admin"])).data
        #expect(data["message"] as? String == "MeshPacket")
        let fields = try #require(data["fields"] as? [[String: Any]])
        #expect(
            fields.contains { $0["name"] as? String == "portnum" && $0["value"] as? String == "TEXT_MESSAGE_APP (1)" })
        // Every byte once.
        #expect(fields.reduce(0) { $0 + ($1["length"] as? Int ?? 0) } == data["length"] as? Int)
        let hops = try #require(data["hops"] as? [String: Any])
        #expect(hops["start"] as? Int == 3 && hops["limit"] as? Int == 2 && hops["away"] as? Int == 1)
        #expect((hops["relayCandidates"] as? [[String: Any]])?.map { $0["nodeId"] as? String } == ["!0000aa12"])
        #expect((data["airtime"] as? [String: Any])?["preset"] as? String == "LONG_FAST")
    }

    @Test func asItsRow() throws {
        let test = try gateway()
        for scopes in [
            ["packetmonitor:read"], ["packetmonitor:read", "channel_0:read"], ["packetmonitor:read", "channel_1:read"],
            ["read"],
        ] {
            let token = try test.token(scopes)
            let row = try test.ask("GET", "/api/v1/packets/1", as: token)
            #expect(try test.ask("GET", "/api/v1/packets/1/explain", as: token).status == row.status, "\(scopes)")
        }
        // Who sees the row and not the map of its channel sees no place in the bytes either.
        let token = try test.token(["packetmonitor:read", "messages:read"])
        if try test.ask("GET", "/api/v1/packets/2", as: token).status == 200 {
            let refused = try test.ask("GET", "/api/v1/packets/2/explain", as: token)
            #expect(refused.status == 403)
            #expect(
                try refused.json["required"] as? [String: String] == ["resource": "channel_2", "action": "viewOnMap"])
        }
        // A relay that the token may not see is not named.
        let narrow = try test.token(["packetmonitor:read", "channel_1:read"])
        #expect(try test.ask("GET", "/api/v1/packets/1/explain", as: narrow).status == 200)
        try test.update(NodeNumber(0xAA12), at: TestGateway.now + 1) { $0.channel = 2 }
        #expect(!(try test.ask("GET", "/api/v1/packets/1/explain", as: narrow)).text.contains("!0000aa12"))
    }

    /// A relay's name is for who reads nodes.
    @Test func relaysAreNamedAsNodesAre() throws {
        let test = try gateway()
        try test.update(NodeNumber(0xAA12), at: TestGateway.now + 1) { $0.longName = "Summit" }
        for (scopes, isNamed) in [
            (["packetmonitor:read", "channel_1:read"], false),
            (["packetmonitor:read", "channel_1:read", "nodes:read"], true),
        ] {
            let text = try test.ask("GET", "/api/v1/packets/1/explain", as: try test.token(scopes)).text
            #expect(text.contains("!0000aa12") && text.contains("Summit") == isNamed)
        }
    }

    @Test(arguments: ["x", "", "%20", "0x", "none"]) func aRowThatIsNone(_ id: String) throws {
        let test = try gateway()
        let row = try test.get("/api/v1/packets/\(id)/explain")
        #expect([400, 404].contains(row.status))
        #expect(try test.get("/api/v1/packets/99999/explain").status == 404)
        let preset = try test.get("/api/v1/packets/1/explain?preset=WARP")
        #expect(preset.status == 400)
        #expect(preset.text.contains("LONG_FAST"))
    }
}
