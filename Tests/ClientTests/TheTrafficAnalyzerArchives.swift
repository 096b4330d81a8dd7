import Foundation
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// Traffic Analyzer: a collector that copies the packet log every two seconds, twice each time because pages move while it
/// reads them, and a page that shows topology and chat.
@Suite struct TheTrafficAnalyzerArchives {
    private static let root = "/api/v1/sources/default"
    /// The smallest that it can be set to.
    private static let pageSize = 100

    private static let packets = Form.object([
        "success": .exactly(.bool(true)), "total": .integer,
        "data": .list(
            .object([
                "id": .integer, "packet_id": .orNull(.unsigned32), "timestamp": .milliseconds,
                "created_at": .milliseconds, "direction": .oneOf("rx", "tx"), "from_node": .unsigned32,
                "from_node_id": .nodeID, "from_node_longName": .orNull(.string), "to_node": .unsigned32,
                "to_node_id": .string, "to_node_longName": .orNull(.string), "channel": .orNull(.integer),
                "portnum": .orNull(.integer), "portnum_name": .orNull(.string), "snr": .orNull(.number),
                "rssi": .orNull(.number), "hop_limit": .orNull(.integer), "hop_start": .orNull(.integer),
                "relay_node": .orNull(.integer), "payload_size": .orNull(.integer),
                "payload_preview": .orNull(.string), "transport_mechanism": .orNull(.integer),
            ])),
    ])

    /// A list of numbers in a text, or null.
    private static let hops = Form.that("a JSON array in a string, or null") {
        $0 == .null || $0.inner?.rows.allSatisfy { $0.double != nil } == true
    }

    private static let traceroutes = Form.rows(
        .object([
            "id": .integer, "packetId": .orNull(.unsigned32), "fromNodeNum": .unsigned32, "toNodeNum": .unsigned32,
            "fromNodeId": .nodeID, "toNodeId": .nodeID, "route": hops, "routeBack": hops, "snrTowards": hops,
            "snrBack": hops, "channel": .orNull(.integer), "timestamp": .milliseconds,
        ]))

    /// Pages from the newest until `total` rows were read: INSERT OR IGNORE under the row's id and time.
    private func pass(_ mesh: Mesh, since: Int?, into archive: inout [String: StrictJSON]) throws {
        var offset = 0
        while true {
            let query = "limit=\(Self.pageSize)&offset=\(offset)" + (since.map { "&since=\($0)" } ?? "")
            let page = try mesh.client.get("\(Self.root)/packets?\(query)", ["Accept: application/json"])
                .read(as: Self.packets)
            let rows = page["data"]?.rows ?? []
            if rows.isEmpty { return }
            try #require(rows.count <= Self.pageSize)
            for row in rows {
                let key = "\(row["id"]?.integer ?? 0):\(row["timestamp"]?.integer ?? 0)"
                if archive[key] == nil { archive[key] = row }
            }
            offset += rows.count
            if offset >= page["total"]?.integer ?? 0 { return }
        }
    }

    /// All at first, then what is newer than ten seconds before the newest row.
    private func sync(_ mesh: Mesh, into archive: inout [String: StrictJSON]) throws {
        let newest = archive.values.compactMap { $0["timestamp"]?.integer }.max()
        let since = newest.map { max($0 - 10_000, 0) }
        for _ in 1...2 { try pass(mesh, since: since, into: &archive) }
    }

    @Test func nothingIsMissingAndNothingIsThereTwice() throws {
        let mesh = try Mesh { $0.chatter = 900 }
        let total = {
            try mesh.client.get("\(Self.root)/packets?limit=1&offset=0").read(as: Self.packets)["total"]?.integer ?? 0
        }
        var archive: [String: StrictJSON] = [:]
        try mesh.gateway.eventually("there are several pages") { try total() > 2 * Self.pageSize }
        mesh.radio.unplug()
        try mesh.gateway.eventually("the radio is gone") { try !mesh.gateway.isConnected() }
        // What it told last may lie in an open group.
        try mesh.gateway.eventually("everything is archived") {
            try sync(mesh, into: &archive)
            return try archive.count == total()
        }
        #expect(Set(archive.values.compactMap { $0["id"]?.integer }).count == archive.count)
    }

    @Test func theTopologyIsBuiltAndMissingNamesAreAskedFor() throws {
        let mesh = try Mesh { $0.chatter = 0 }
        let hiker = mesh.cast(0)
        let nodes = try mesh.client.get("\(Self.root)/nodes", ["Accept: application/json"]).read(
            as: .rows(
                .object([
                    "nodeNum": .unsigned32, "longName": .orNull(.string), "shortName": .orNull(.string),
                    "latitude": .orNull(.number), "longitude": .orNull(.number),
                ])))["data"]?.rows
        #expect(nodes?.isEmpty == false)
        let traced = try mesh.client.post(
            "\(Self.root)/actions/traceroute", ["destination": .integer(Int(hiker.rawValue))])
        #expect(try traced.read(as: .object([:]))["success"] == .bool(true))
        let rows = try mesh.gateway.eventually("the route is known") { () -> [StrictJSON]? in
            let rows = try mesh.client.get("\(Self.root)/traceroutes?limit=5000").read(as: Self.traceroutes)["data"]?
                .rows
            return rows?.first?["route"] == .null ? nil : rows
        }
        #expect(rows.first?["toNodeNum"]?.integer == Int(hiker.rawValue))
        // It doubles the limit until fewer rows come than it asked for.
        for limit in [10_000, 20_000] {
            let more = try mesh.client.get("\(Self.root)/traceroutes?limit=\(limit)").read(as: Self.traceroutes)
            #expect(more["data"]?.rows.count == rows.count)
        }
        // `success: false` would be an error, whatever the status.
        let asked = try mesh.client.post(
            "\(Self.root)/actions/request-nodeinfo", ["nodeNum": .integer(Int(hiker.rawValue)), "channel": 0])
        #expect(try asked.read(as: .object([:]))["success"] == .bool(true))
        #expect(
            mesh.radio.waitForPacket(timeout: Program.patience) { $0.to == hiker && $0.decoded?.port == .nodeInfo }
                != nil)
        _ = try mesh.client.get("\(Self.root)/telemetry?nodeId=%21\(hiker.id.dropFirst())&limit=160").read(
            as: .rows(
                .object(["telemetryType": .someText, "timestamp": .milliseconds, "value": .number])))
        _ = try mesh.client.get(
            "/api/traceroutes/history/\(mesh.radio.number.rawValue)/\(hiker.rawValue)?sourceId=default&limit=50"
        ).read(as: .list(.object(["fromNodeNum": .unsigned32, "toNodeNum": .unsigned32, "route": Self.hops])))
    }

    /// The chat of channel 0. A reaction goes to the route of MeshMonitor's own pages, which takes the token here.
    @Test func thePrimaryChannelIsShown() throws {
        let mesh = try Mesh { $0.chatter = 0 }
        mesh.radio.sendText(from: mesh.cast(0), "Bom dia")
        let form = Form.rows(
            .object([
                "id": .rowID, "fromNodeNum": .unsigned32, "fromNodeId": .nodeID, "text": .string,
                "channel": .exactly(.number("0")),
                "createdAt": .milliseconds, "replyId": .orNull(.unsigned32), "emoji": .orNull(.integer),
                "ackFailed": .orNull(.number), "routingErrorReceived": .orNull(.number),
                "deliveryState": .orNull(.oneOf("pending", "delivered", "confirmed", "failed")),
            ]))
        let path = "\(Self.root)/messages?channel=0&limit=250"
        let row = try mesh.gateway.eventually("the text is shown") {
            try mesh.client.get(path).read(as: form)["data"]?.rows.first
        }
        let packetID = try #require(row["id"]?.packetIDOfRow)
        let reply = try mesh.client.post(
            "\(Self.root)/messages", ["text": "Olá", "channel": 0, "replyId": .integer(packetID)])
        #expect(reply.status == 201)
        let reaction = try mesh.client.post(
            "/api/messages/send",
            ["text": "👍", "channel": 0, "replyId": .integer(packetID), "emoji": 1, "sourceId": "default"])
        #expect(reaction.status == 200, "\(reaction.text)")
        let rows = try mesh.client.get(path).read(as: form)["data"]?.rows ?? []
        #expect(rows.map { $0["text"]?.string } == ["👍", "Olá", "Bom dia"])
        #expect(rows.map { $0["emoji"]?.integer == 1 } == [true, false, false])
        #expect(rows.map { $0["replyId"]?.integer } == [packetID, packetID, nil])
    }
}
