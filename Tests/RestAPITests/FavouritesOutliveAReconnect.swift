import Foundation
import MeshModel
import MeshProtocol
import RadioLink
import RadioSimulator
import Testing

@testable import RestAPI

@Suite struct FavouritesOutliveAReconnect {
    typealias Live = SentTextsAreRowsAtOnce.Live

    private func mark(
        _ test: TestGateway, _ node: NodeNumber, _ what: String, _ body: String, scopes: [String] = ["nodes:write"]
    ) throws -> Answer {
        try test.ask("POST", "/api/nodes/\(node.id)/\(what)", as: test.token(scopes), body)
    }

    @Test func theRadioLearnsThem() throws {
        let live = try Live()
        let (test, radio, hut) = (live.test, live.radio, live.radio.nodes[1].number)
        let source = #""sourceId":"\#(test.uuid)""#
        let favourite = try mark(test, hut, "favorite", #"{\#(source),"isFavorite":true}"#)
        #expect(favourite.status == 200)
        #expect(
            favourite.text == #"{"success":true,"nodeNum":\#(hut.rawValue),"isFavorite":true,"#
                + #""deviceSync":{"status":"pending"}}"#)
        let ignored = try mark(test, hut, "ignored", #"{\#(source),"isIgnored":true}"#)
        #expect(try ignored.json["isIgnored"] as? Bool == true)
        // On disk when the answer comes, in the radio soon after.
        #expect(try test.get("/api/v1/nodes/\(hut.id)").data["isFavorite"] as? Bool == true)
        #expect(eventually { radio.nodes[1].isFavorite && radio.nodes[1].isIgnored })
        let id = test.id
        #expect(try eventually { try test.store.read { try $0.outbox(in: id) }.isEmpty })
        try reconnect(live)
        let row = try test.get("/api/v1/nodes/\(hut.id)").data
        #expect(row["isFavorite"] as? Bool == true)
        #expect(row["isIgnored"] as? Bool == true)
        // What the radio's owner changes there counts as well.
        _ = try mark(test, hut, "favorite", #"{\#(source),"isFavorite":false}"#)
        #expect(eventually { !radio.nodes[1].isFavorite })
        #expect(try test.get("/api/v1/nodes/\(hut.id)").data["isFavorite"] as? Bool == false)
    }

    /// What the Home Assistant integration does.
    @Test func theDatabaseAloneIsEnough() throws {
        let live = try Live()
        let (test, radio, hut) = (live.test, live.radio, live.radio.nodes[1].number)
        let body = #"{"sourceId":"default","isFavorite":true,"syncToDevice":false}"#
        #expect(
            try mark(test, hut, "favorite", body).text
                == #"{"success":true,"nodeNum":\#(hut.rawValue),"isFavorite":true,"deviceSync":{"status":"skipped"}}"#)
        try reconnect(live)
        #expect(try test.get("/api/v1/nodes/\(hut.id)").data["isFavorite"] as? Bool == true)
        #expect(!radio.nodes[1].isFavorite)
        #expect(!radio.received.contains { $0.decoded.map { PacketContent($0) } == .admin(.setFavorite(hut)) })
    }

    private func reconnect(_ live: Live) throws {
        let (gateway, radio, id) = (live.test.gateway, live.radio, live.test.id)
        let handshakes = radio.completedHandshakes
        radio.unplug()
        try #require(eventually { gateway.status(of: id).link != .live })
        try radio.replug()
        try #require(eventually { gateway.status(of: id).link == .live && radio.completedHandshakes > handshakes })
        // The node list is stored behind the adoption.
        try live.test.store.commit { _ in }
    }

    @Test func mistakesHaveTheirCodes() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { $0.longName = "Peer" }
        let good = #"{"sourceId":"default","isFavorite":true}"#
        let cases: [(path: String, body: String, status: Int, code: String)] = [
            ("!abcdef12/favorite", #"{"sourceId":"default"}"#, 400, "INVALID_PARAMETER_TYPE"),
            ("!abcdef12/favorite", #"{"sourceId":"default","isFavorite":1}"#, 400, "INVALID_PARAMETER_TYPE"),
            ("!abcdef12/ignored", good, 400, "INVALID_PARAMETER_TYPE"),
            ("nonsense/favorite", good, 400, "INVALID_NODE_ID"), ("!ffffffff/favorite", good, 400, "INVALID_NODE_ID"),
            ("!abcdef12/favorite", #"{"isFavorite":true}"#, 400, "MISSING_SOURCE_ID"),
            ("!00000777/favorite", good, 404, "NODE_NOT_FOUND"),
        ]
        let token = try test.token(["nodes:write"])
        for (path, body, status, code) in cases {
            let answer = try test.ask("POST", "/api/nodes/" + path, as: token, body)
            #expect(answer.status == status, "\(path) \(body)")
            #expect(try answer.json["code"] as? String == code)
        }
        #expect(try test.ask("POST", "/api/nodes/!abcdef12/favorite", as: test.token([]), good).status == 403)
        #expect(try test.get("/api/v1/nodes/!abcdef12").data["isFavorite"] as? Bool == false)
        // A radio that is away learns it later.
        #expect(try test.ask("POST", "/api/nodes/!abcdef12/favorite", as: token, good).status == 200)
        #expect(try test.get("/api/v1/nodes/!abcdef12").data["isFavorite"] as? Bool == true)
    }
}
