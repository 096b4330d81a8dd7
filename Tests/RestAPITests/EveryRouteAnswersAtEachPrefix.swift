import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct EveryRouteAnswersAtEachPrefix {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert([Channel(index: 0, role: .primary, psk: [1])])
        try test.update(TestGateway.peer) { $0.longName = "Ridge" }
        try test.insert("hello", packetID: 7, at: TestGateway.now)
        let id = test.id
        try test.store.commit { writer in
            try writer.upsertWaypoint(
                Waypoint(id: 7, name: "Camp"), from: TestGateway.peer, in: id, at: TestGateway.now)
        }
        return test
    }

    @Test(arguments: [
        "status", "channels", "channels/0", "nodes", "nodes/!abcdef12", "nodes/%21abcdef12", "messages",
        "nodes/!abcdef12/position-history", "telemetry", "telemetry?type=voltage", "telemetry/count",
        "telemetry/!abcdef12", "telemetry/%21abcdef12?type=voltage", "messages?channel=0", "messages/search?q=ell",
        "messages/7", "messages/2882400018_7",
        "traceroutes", "network/topology", "network/direct-neighbors", "packets", "nodes/enrichment/analysis",
        "nodes/2882400018/copy-candidates", "waypoints", "waypoints/7", "problems", "links", "self", "shared-ports",
        "nodes/!abcdef12/key", "nodes/!abcdef12/details",
        "conversations", "conversations/channel:0", "conversations/channel%3A0",
        "messages/7/details", "messages?conversation=channel:0", "nodes?fields=nodeId",
    ])
    func alike(_ path: String) throws {
        let test = try gateway()
        let bodies = try [
            "/api/v1/", "/api/v1/sources/default/", "/api/v1/sources/\(test.uuid)/", "/API/V1/Sources/Default/",
        ]
        .map { prefix in
            let answer = try test.get(prefix + path)
            #expect(answer.status == 200, "\(prefix + path): \(answer.text)")
            #expect(answer.header("Content-Type") == "application/json; charset=utf-8")
            #expect(try answer.json["success"] as? Bool == true)
            return answer.body
        }
        #expect(Set(bodies).count == 1)
    }

    @Test func theIndexNamesThePaths() throws {
        let test = try gateway()
        for path in ["/api/v1", "/api/v1/"] {
            let answer = try test.get(path)
            #expect(answer.status == 200)
            #expect(JSONText(answer.body).keys == ["version", "description", "documentation", "endpoints", "note"])
            #expect(try answer.json["version"] as? String == "v1")
        }
    }

    @Test func sourcesAreListedWithAStableID() throws {
        let test = try gateway()
        let answer = try test.get("/api/v1/sources")
        #expect(
            answer.text == #"{"success":true,"count":1,"data":[{"id":"\#(test.uuid)","name":"Default","#
                + #""type":"meshtastic_tcp","enabled":true,"isPrimary":true}]}"#)
    }

    /// Those of MeshMonitor's own pages name the source in the path or in the query, or mean the first one.
    @Test func soDoTheRoutesOutsideV1() throws {
        let test = try gateway()
        for path in ["", "/status", "/nodes", "/messages", "/channels", "/neighbor-info", "/traceroutes"] {
            let bodies = try ["/api/sources/default", "/api/sources/\(test.uuid)", "/API/Sources/Default"].map { root in
                let answer = try test.get(root + path)
                #expect(answer.status == 200, "\(root + path): \(answer.text)")
                return answer.body
            }
            #expect(Set(bodies).count == 1, "\(path)")
            let unknown = try test.get("/api/sources/nobody" + path)
            #expect(unknown.status == 404)
            #expect(unknown.text == #"{"error":"Source not found","code":"SOURCE_NOT_FOUND"}"#)
        }
        let nodes = try ["", "?sourceId=default", "?sourceId=\(test.uuid)"].map { try test.get("/api/nodes" + $0).body }
        #expect(Set(nodes).count == 1)
        #expect(try test.get("/api/nodes?sourceId=nobody").status == 404)
    }

    @Test func anUnknownSourceIs404() throws {
        let test = try gateway()
        for path in ["status", "channels", "nodes", "messages", "messages/1", "messages/search?q=x", "nodes/!1"] {
            let answer = try test.get("/api/v1/sources/nobody/" + path)
            #expect(answer.status == 404)
            #expect(answer.text == #"{"success":false,"error":"Not Found","message":"Source nobody not found"}"#)
        }
        let post = try test.post("/api/v1/sources/nobody/messages", "{}")
        #expect(post.status == 404)
    }

    @Test func healthAndStatusAreOpen() throws {
        let test = try gateway()
        // Whatever the Authorization header says.
        for headers in [[], [test.bearer], [(name: "Authorization", value: "Bearer nonsense")]] {
            let health = try test.ask("GET", "/api/health", headers: headers)
            #expect(health.status == 200)
            #expect(
                JSONText(health.body).keys == ["status", "version", "uptime", "databaseType", "firmwareOtaEnabled"])
            #expect(try health.json["version"] as? String == "1.2.3")
            let status = try test.ask("GET", "/api/status?sourceId=x", headers: headers)
            #expect(status.status == 200)
            #expect(
                JSONText(status.body).keys == [
                    "status", "timestamp", "version", "nodeEnv", "connection", "statistics", "uptime", "server",
                ])
            let statistics = try #require(try status.json["statistics"] as? [String: Int])
            #expect(statistics == ["nodes": 1, "messages": 1, "channels": 1])
        }
    }
}
