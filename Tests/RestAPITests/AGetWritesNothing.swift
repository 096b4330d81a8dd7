import Foundation
import MeshModel
import Testing

@testable import RestAPI

@Suite struct AGetWritesNothing {
    private func sizes(_ test: TestGateway) throws -> [String: Int] {
        var sizes: [String: Int] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: test.folder) where !file.hasSuffix("-shm") {
            let attributes = try FileManager.default.attributesOfItem(atPath: test.folder + "/" + file)
            sizes[file] = attributes[.size] as? Int
        }
        return sizes
    }

    @Test func fileSizesStay() throws {
        // An hour: on a slow machine the search index would be brought up to date meanwhile.
        let test = try TestGateway(groupInterval: 3_600_000_000_000)
        try test.insert("hello", packetID: 7, at: TestGateway.now)
        try test.update(TestGateway.peer) { $0.longName = "Ridge" }
        let id = test.id
        try test.store.commit { writer in
            try writer.upsertWaypoint(
                Waypoint(id: 7, name: "Camp"), from: TestGateway.peer, in: id, at: TestGateway.now)
            let data = MeshData(port: .textMessage, payload: [0x68])
            try writer.logPacket(
                MeshPacket(from: TestGateway.peer, to: .broadcast, id: 7, payload: .decoded(data)), direction: .rx,
                in: id,
                at: TestGateway.now)
        }
        // The first use of a token is noted; commit that with what a person wrote.
        _ = try test.get("/api/v1/")
        try test.insert("again", packetID: 8, at: TestGateway.now)
        let before = try sizes(test)
        let revisions = { [test.store.revision(.tokens), test.store.revision(.nodes), test.store.revision(.messages)] }
        let revisionsBefore = revisions()
        for path in [
            "", "/me", "/sources", "/status", "/channels", "/nodes", "/nodes/!abcdef12", "/messages",
            "/messages/search?q=he", "/traceroutes", "/network", "/network/topology", "/network/direct-neighbors",
            "/packets",
            "/telemetry", "/telemetry/count", "/telemetry/!abcdef12", "/nodes/!abcdef12/position-history", "/solar",
            "/metrics", "/waypoints", "/waypoints/7", "/problems", "/links", "/self", "/shared-ports",
            "/nodes/!abcdef12/key", "/nodes/!abcdef12/details",
            "/packets/1/explain",
            "/conversations", "/conversations/channel:0", "/messages/7/details",
            "/messages?conversation=channel:0", "/nodes?fields=nodeId", "/events", "/ping",
            "/rules", "/targets", "/mqtt", "/mqtt/conversations", "/notifications", "/devices",
            "/devices/default/sessions", "/sessions",
            "/sessions/default.0/events",
        ] {
            for _ in 0..<20 { #expect(try test.get("/api/v1" + path).status == 200) }
        }
        for path in [
            "/sources", "/sources/default", "/sources/default/nodes", "/sources/default/neighbor-info", "/nodes",
            "/automations", "/analysis/solar-nodes", "/analysis/solar-forecast", "/version/check",
        ] {
            #expect(try test.get("/api" + path).status == 200, "\(path)")
        }
        #expect(try sizes(test) == before)
        #expect(revisions() == revisionsBefore)
    }
}
