import Foundation
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import RestAPI

@Suite struct ANodeIsDeletedThroughTheAPI {
    private static let path = "/api/messages/nodes/\(TestGateway.peer.rawValue)?sourceId=default"

    /// A node of which something of each kind is known, and another one.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { ($0.longName, $0.channel) = ("Peer", 0) }
        try test.update(NodeNumber(0x777)) { ($0.longName, $0.channel) = ("Friend", 0) }
        try test.insert("to all", packetID: 1, at: TestGateway.now)
        try test.insert("to me", packetID: 2, at: TestGateway.now) { ($0.channel, $0.to) = (-1, TestGateway.own) }
        try test.insert("a friend's", packetID: 3, at: TestGateway.now) { $0.from = NodeNumber(0x777) }
        try test.insert(
            Telemetry(kind: .device, values: [Telemetry.Value("voltage", 3.7), Telemetry.Value("batteryLevel", 87)]),
            packetID: 4, at: TestGateway.now)
        try test.insert(place(0, altitude: nil), packetID: 5, at: TestGateway.now)
        let id = test.id
        try test.store.commit { writer in
            try writer.update(id) { $0.nodeNumber = TestGateway.own }
            try writer.updateNode(TestGateway.own, in: id, at: TestGateway.now) { _ in }
            try writer.insertTraceroute(
                from: TestGateway.own, to: TestGateway.peer, packetID: 6, route: nil, in: id, at: TestGateway.now)
            try writer.logPacket(
                MeshPacket(from: TestGateway.peer, to: .broadcast, id: 1, payload: .none), direction: .rx, in: id,
                at: TestGateway.now)
        }
        return test
    }

    private func delete(_ test: TestGateway, _ target: String = path, _ scopes: [String] = ["admin"]) throws -> Answer {
        try test.ask("DELETE", target, as: try test.token(scopes))
    }

    @Test func withEverythingOfIt() throws {
        let test = try gateway()
        let count = { try test.get("/api/v1/telemetry/count").json["count"] as? Int }
        #expect(try count() == 4)
        let answer = try delete(test)
        #expect(answer.status == 200)
        #expect(
            answer.text
                == #"{"message":"Node deleted successfully","nodeNum":2882400018,"nodeName":"Peer","messagesDeleted":2,"#
                + #""traceroutesDeleted":1,"telemetryDeleted":4,"nodeDeleted":true}"#)
        #expect(try test.get("/api/v1/nodes/!abcdef12").status == 404)
        #expect(try test.get("/api/v1/messages").texts == ["a friend's"])
        #expect(try test.get("/api/v1/telemetry").rows.isEmpty)
        #expect(try count() == 0)
        #expect(try test.get("/api/v1/nodes/!abcdef12/position-history").rows.isEmpty)
        #expect(try test.get("/api/v1/traceroutes").rows.isEmpty)
        #expect(try test.get("/api/v1/packets").rows.isEmpty)
        let statistics = try test.ask("GET", "/api/status").json["statistics"] as? [String: Int]
        #expect(statistics?["nodes"] == 2)
        // Once.
        let again = try delete(test)
        #expect(again.status == 404 && again.text == #"{"error":"Node not found","code":"NODE_NOT_FOUND"}"#)
    }

    @Test func whatIsNoNodeOfThisRadio() throws {
        let test = try gateway()
        let missing = try delete(test, "/api/messages/nodes/2882400018")
        #expect(missing.status == 400)
        #expect(missing.text == #"{"error":"Bad request","message":"sourceId is required"}"#)
        for number in ["x", "0", "4294967295", "-1"] {
            #expect(try delete(test, "/api/messages/nodes/\(number)?sourceId=default").status == 400, "\(number)")
        }
        #expect(try delete(test, "/api/messages/nodes/5?sourceId=default").status == 404)
        #expect(try delete(test, "/api/messages/nodes/5?sourceId=nobody").status == 404)
    }

    @Test func theRadioItselfStays() throws {
        let test = try gateway()
        let answer = try delete(test, "/api/messages/nodes/\(TestGateway.own.rawValue)?sourceId=default")
        #expect(answer.status == 409)
        #expect(answer.text == #"{"error":"The radio's own node cannot be deleted","code":"OWN_NODE"}"#)
        #expect(try test.get("/api/v1/nodes/\(TestGateway.own.id)").status == 200)
    }

    /// MeshMonitor asks for messages:write, which every chat program has.
    @Test func onlyByWhoMayWriteNodes() throws {
        let test = try gateway()
        let refused = try delete(test, Self.path, ["read", "send"])
        #expect(refused.status == 403)
        #expect(
            try refused.json["required"] as? [String: String] == ["resource": "nodes", "action": "write"])
        #expect(try delete(test, Self.path, ["nodes:write"]).status == 404, "it may not see the node")
        #expect(try test.get("/api/v1/nodes/!abcdef12").status == 200)
        #expect(try delete(test, Self.path, ["nodes:write", "channel_0:viewOnMap"]).status == 200)
    }
}
