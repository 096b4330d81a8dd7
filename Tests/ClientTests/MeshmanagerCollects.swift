import Foundation
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// meshmanager collects everything there is, page by page, over the flat paths.
@Suite struct MeshmanagerCollects {
    private static let telemetry = Form.rows(
        .object([
            "id": .integer, "nodeId": .nodeID, "nodeNum": .unsigned32, "telemetryType": .someText, "value": .number,
            "unit": .orNull(.string), "timestamp": .milliseconds,
        ]))

    private static let history = Form.object([
        "success": .exactly(.bool(true)), "count": .integer, "total": .integer, "offset": .integer,
        "limit": .integer,
        "data": .list(
            .object([
                "timestamp": .milliseconds, "latitude": .number, "longitude": .number,
                "altitude": .mayBeMissing(.number), "groundSpeed": .mayBeMissing(.number),
                "groundTrack": .mayBeMissing(.number), "packetId": .orNull(.unsigned32),
            ])),
    ])

    private static let packets = Form.object([
        "success": .exactly(.bool(true)), "count": .integer, "total": .integer, "offset": .integer,
        "limit": .integer,
        "data": .list(
            .object([
                "id": .integer, "packet_id": .orNull(.unsigned32), "from_node": .unsigned32,
                "to_node": .unsigned32, "portnum": .integer, "portnum_name": .someText,
                "timestamp": .milliseconds,
                "encrypted": .either([.exactly(.number("0")), .exactly(.number("1"))]),
            ])),
    ])

    /// A mesh that has told a lot and is silent now, so that pages do not move while they are read.
    private func silencedMesh() throws -> Mesh {
        let mesh = try Mesh { $0.chatter = 3000 }
        try mesh.gateway.eventually("there are pages") {
            (try mesh.client.get("/api/v1/telemetry/count").strict["count"]?.integer ?? 0) > 700
        }
        mesh.radio.unplug()
        try mesh.gateway.eventually("the radio is gone") { try !mesh.gateway.isConnected() }
        // What it told last may lie in an open group, which readers have committed at most four times a second.
        try mesh.gateway.eventually("everything is stored") {
            let counts = try (0..<2).map { _ in
                Thread.sleep(forTimeInterval: 0.3)
                return try mesh.client.get("/api/v1/telemetry/count").strict["count"]?.integer
            }
            return counts[0] == counts[1]
        }
        return mesh
    }

    /// Every row of something that is asked for until an empty page comes.
    private func all(_ mesh: Mesh, _ path: String, limit: Int, as form: Form) throws -> [StrictJSON] {
        var rows: [StrictJSON] = []
        while true {
            let page = try mesh.client.get("\(path)limit=\(limit)&offset=\(rows.count)").read(as: form)
            let new = page["data"]?.rows ?? []
            #expect(page["count"]?.integer == new.count)
            if new.isEmpty { return rows }
            try #require(new.count <= limit)
            rows += new
            try #require(rows.count < 100_000, "it never ends")
        }
    }

    @Test func everything() throws {
        let mesh = try silencedMesh()
        let health = try mesh.client.get("/api/health").read(
            as: .object(["status": .exactly(.string("ok")), "version": .someText]))
        #expect(health["version"]?.string?.trimmingCharacters(in: .whitespaces).isEmpty == false)
        let nodes = try mesh.client.get("/api/v1/nodes").read(
            as: .rows(.object(["nodeNum": .unsigned32, "nodeId": .nodeID, "lastHeard": .orNull(.seconds)])))
        _ = try mesh.client.get("/api/v1/channels").read(
            as: .rows(.object(["id": .integer, "name": .string, "role": .integer])))
        _ = try mesh.client.get("/api/v1/messages?limit=100").read(
            as: .rows(
                .object(["id": .rowID, "text": .string, "timestamp": .milliseconds, "rxTime": .orNull(.milliseconds)])))

        let count = try mesh.client.get("/api/v1/telemetry/count").read(as: .object(["count": .integer]))["count"]
        let telemetry = try all(mesh, "/api/v1/telemetry?", limit: 500, as: Self.telemetry)
        #expect(telemetry.count == count?.integer)
        #expect(Set(telemetry.compactMap { $0["id"]?.integer }).count == telemetry.count, "a row came twice")
        // A value that the radio heard before is among those of other nodes; of each node and kind the newest is first.
        let series = Dictionary(grouping: telemetry) {
            "\($0["nodeId"]?.string ?? "") \($0["telemetryType"]?.string ?? "")"
        }
        for rows in series.values {
            let times = rows.compactMap { $0["timestamp"]?.integer }
            #expect(times == times.sorted(by: >))
        }

        // A node by itself has the same rows.
        for node in (nodes["data"]?.rows ?? []).prefix(5) {
            let id = try #require(node["nodeId"]?.string)
            let own = try all(mesh, "/api/v1/telemetry/\(id)?", limit: 100, as: Self.telemetry)
            // Packets of the same millisecond may stand in another order.
            let byID = { (rows: [StrictJSON]) in rows.sorted { $0["id"]?.integer ?? 0 < $1["id"]?.integer ?? 0 } }
            #expect(byID(own) == byID(telemetry.filter { $0["nodeId"]?.string == id }), "\(id)")
            let ownTimes = own.compactMap { $0["timestamp"]?.integer }
            #expect(ownTimes == ownTimes.sorted(by: >), "\(id)")
            let fixes = try all(mesh, "/api/v1/nodes/\(id)/position-history?since=0&", limit: 3, as: Self.history)
            let latitudes = own.filter { $0["telemetryType"]?.string == "latitude" }
            #expect(fixes.count == latitudes.count, "\(id)")
        }

        let packets = try all(mesh, "/api/v1/packets?", limit: 100, as: Self.packets)
        #expect(Set(packets.compactMap { $0["id"]?.integer }).count == packets.count)
        #expect(!packets.isEmpty)
        _ = try mesh.client.get("/api/v1/traceroutes?limit=100").read(as: .rows(.object(["id": .integer])))
        _ = try mesh.client.get("/api/v1/solar?limit=100").read(as: .rows(.object(["timestamp": .seconds])))
    }
}
