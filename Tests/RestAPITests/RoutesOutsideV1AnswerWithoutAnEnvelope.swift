import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct RoutesOutsideV1AnswerWithoutAnEnvelope {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert([
            Channel(index: 0, role: .primary, psk: [1]), Channel(index: 1, role: .secondary, name: "c1", psk: [1]),
        ])
        for id in 1...5 as ClosedRange<PacketID> {
            try test.insert("text \(id)", packetID: id, at: TestGateway.now + Int64(id)) {
                $0.channel = id == 2 ? 1 : 0
            }
        }
        try test.update(TestGateway.peer) { ($0.channel, $0.lastHeard) = (0, APIClock.wall() / 1000) }
        try test.update(NodeNumber(0x100)) { $0.channel = 1 }
        return test
    }

    private func rows(_ answer: Answer) throws -> [NSDictionary] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [NSDictionary], "\(answer.text)")
    }

    @Test func whatTellsOfNobodyIsOpen() throws {
        let test = try gateway()
        #expect(
            try test.ask("GET", "/api/connection").text
                == #"{"connected":false,"nodeResponsive":false,"configuring":false,"userDisconnected":false}"#)
        let info = try test.ask("GET", "/api/server-info")
        #expect(JSONText(info.body).keys == ["timezone", "timezoneProvided"])
        #expect(try (info.json["timezone"] as? String)?.isEmpty == false)
        let check = try test.ask("GET", "/api/version/check")
        #expect(check.status == 404)
        #expect(check.body.isEmpty)
    }

    @Test func sourcesAndTheirState() throws {
        let test = try gateway()
        let sources = try rows(try test.get("/api/sources"))
        #expect(sources.map { $0["id"] as? String } == [test.uuid])
        #expect(sources.first?["type"] as? String == "meshtastic_tcp")
        #expect(try rows(try test.ask("GET", "/api/sources", as: try test.token(["info:read"]))).isEmpty)
        let status = try test.get("/api/sources/\(test.uuid)/status")
        #expect(
            status.text == #"{"sourceId":"\#(test.uuid)","sourceName":"Default","sourceType":"meshtastic_tcp","#
                + #""connected":false,"nodeCount":2,"activeNodeCount":1}"#)
        let narrow = try test.token(["info:read", "channel_1:viewOnMap"])
        let seen = try test.ask("GET", "/api/sources/default/status", as: narrow)
        #expect(try seen.json["nodeCount"] as? Int == 1)
        #expect(try seen.json["activeNodeCount"] as? Int == 0)
        let unknown = try test.get("/api/sources/nobody/status")
        #expect(unknown.status == 404)
        #expect(unknown.text == #"{"error":"Source not found","code":"SOURCE_NOT_FOUND"}"#)
    }

    @Test func rowsAreThoseOfV1() throws {
        let test = try gateway()
        let list = try rows(try test.get("/api/sources/default/messages"))
        #expect(try list == test.get("/api/v1/messages").rows)
        let page = try rows(try test.get("/api/sources/default/messages?limit=2&offset=1"))
        #expect(page.map { $0["text"] as? String } == ["text 4", "text 3"])
        #expect(try rows(try test.get("/api/sources/default/messages?offset=99999999999999")).isEmpty)
        let channels = try rows(try test.get("/api/sources/default/channels"))
        #expect(try channels == test.get("/api/v1/channels").rows)
        let narrow = try test.token(["messages:read", "channel_1:read"])
        let messages = try rows(try test.ask("GET", "/api/sources/default/messages?limit=1", as: narrow))
        #expect(messages.map { $0["text"] as? String } == ["text 2"])
        let seen = try rows(try test.ask("GET", "/api/sources/default/channels", as: narrow))
        #expect(seen.map { $0["id"] as? Int } == [1])
    }
}
