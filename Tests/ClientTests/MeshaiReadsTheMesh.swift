import Testing

@testable import ServedProgram
@testable import StrictJSON

/// meshai reads everything once in a while, over the flat paths.
@Suite struct MeshaiReadsTheMesh {
    private static let telemetry = Form.rows(
        .object([
            "nodeId": .nodeID, "nodeNum": .unsigned32, "telemetryType": .someText, "value": .number,
            "unit": .orNull(.string), "timestamp": .milliseconds,
        ]))

    private static let hops = Form.that("a JSON array in a string, or null") {
        $0 == .null || $0.inner?.rows.allSatisfy { $0.integer != nil } == true
    }

    /// In the client's order, each with what it takes out of it.
    private static let asked: [(path: String, form: Form)] = [
        ("nodes", .rows(.object(["nodeNum": .unsigned32, "nodeId": .nodeID, "lastHeard": .orNull(.seconds)]))),
        ("channels", .rows(.object(["id": .integer, "name": .string]))),
        ("telemetry", telemetry),
        (
            "traceroutes",
            .rows(
                .object([
                    "fromNodeNum": .unsigned32, "toNodeNum": .unsigned32, "route": hops, "routeBack": hops,
                    "snrTowards": hops, "snrBack": hops, "timestamp": .milliseconds,
                ]))
        ),
        (
            "network",
            .item(.object(["totalNodes": .integer, "activeNodes": .integer, "tracerouteCount": .integer]))
        ),
        (
            "network/topology",
            .item(
                .object([
                    "nodes": .list(.object(["nodeNum": .unsigned32])),
                    "edges": .list(.object(["route": .list(.unsigned32), "snr": .list(.integer)])),
                ]))
        ),
        (
            "packets",
            .rows(
                .object([
                    "id": .integer, "from_node": .unsigned32, "to_node": .unsigned32, "timestamp": .milliseconds,
                    "portnum": .integer, "encrypted": .either([.exactly(.number("0")), .exactly(.number("1"))]),
                ]))
        ),
        ("solar", .rows(.object([:]))),
    ]

    @Test func aRefresh() throws {
        let mesh = try Mesh { $0.chatter = 600 }
        let hiker = mesh.cast(0)
        _ = try mesh.client.post("/api/v1/actions/traceroute", ["destination": .string(hiker.id)])
            .read(as: .item(.object(["destination": .exactly(.string(hiker.id))])))
        try mesh.gateway.eventually("the mesh has told something") {
            let hasRoute = try mesh.client.get("/api/v1/traceroutes").strict["data"]?.rows.first?["route"]?.inner
            let hasMetrics = try mesh.client.get("/api/v1/telemetry").strict["data"]?.rows.isEmpty == false
            return hasRoute != nil && hasMetrics
        }
        for (path, form) in Self.asked {
            let answer = try mesh.client.request(
                "GET", "/api/v1/\(path)", ["Accept: application/json", "User-Agent: MeshAI/1.0"]
            ).read(as: form)
            if path != "solar" { #expect(answer["data"] != .array([]), "\(path)") }
        }
    }

    /// 401 silences it for five minutes.
    @Test func aWrongToken() throws {
        let mesh = try Mesh()
        let stranger = mesh.client(token: "mm_v1_00000000000000000000000000000000")
        for (path, _) in Self.asked { #expect(try stranger.get("/api/v1/\(path)").status == 401, "\(path)") }
    }
}
