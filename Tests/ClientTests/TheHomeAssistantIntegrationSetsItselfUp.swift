import Foundation
import MeshModel
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// home-assistant-meshmonitor, whose client is python-meshmonitor 0.8.
@Suite struct TheHomeAssistantIntegrationSetsItselfUp {
    /// The requests of the set-up form, up to the id of the chosen source.
    private func setUp(_ mesh: Mesh) throws -> HomeAssistant {
        let health = try mesh.client.get("/api/health").read(
            as: .object(["status": .someText, "version": .someText, "uptime": .integer, "databaseType": .string]))
        #expect(health["version"]?.string?.trimmingCharacters(in: .whitespaces) == health["version"]?.string)
        let sources =
            try mesh.client.get("/api/v1/sources").read(
                as: .rows(
                    .object([
                        "id": .someText, "name": .someText, "enabled": .bool,
                        // Any other kind is refused.
                        "type": .that("a kind of Meshtastic") { $0.string?.contains("meshtastic") == true },
                    ])))["data"]?.rows ?? []
        let ids = sources.compactMap { $0["id"]?.string }
        #expect(Set(ids).count == ids.count)
        let source = try #require(ids.first)
        #expect(source == source.trimmingCharacters(in: .whitespaces))
        return HomeAssistant(client: mesh.client, source: source)
    }

    @Test func theSetUp() throws {
        let mesh = try Mesh()
        let home = try setUp(mesh)
        let status = try home.v1("status", as: HomeAssistant.status)["data"]
        #expect(status?["localNodeId"]?.string == mesh.radio.number.id)
        #expect(status?["connected"] == .bool(true))
        // An empty list would be taken for missing permissions.
        let nodes = try home.v1("nodes", as: HomeAssistant.nodes)["data"]?.rows ?? []
        #expect(nodes.contains { $0["nodeId"]?.string == mesh.radio.number.id })
        // It asks what else there is: 404 would be "not offered", 500 and 501 would end the set-up.
        _ = try home.v1("channels", as: HomeAssistant.channels)
        _ = try home.v1("network", as: HomeAssistant.network)
        _ = try home.v1("network/topology", as: HomeAssistant.topology)
        _ = try home.v1("telemetry", as: .rows(HomeAssistant.telemetryRow))
        // Every six hours.
        let check = try home.get(
            "/api/version/check", as: .object(["updateAvailable": .bool, "currentVersion": .someText]))
        #expect(check["updateAvailable"] == .bool(false))
        #expect(try home.get("/api/automations", as: .list(.object([:]))).rows.isEmpty)
        // Where an older server left the own node out of `status`.
        _ = try home.get("/api/status?sourceId=\(home.source)", as: EmacsChat.status)
    }

    /// Seven requests in a row, every minute, and the messages twice as often.
    @Test func aSnapshot() throws {
        let mesh = try Mesh { $0.chatter = 1200 }
        let home = try setUp(mesh)
        try mesh.gateway.eventually("the mesh has told something") {
            let telemetry = try home.v1("telemetry", as: .rows(HomeAssistant.telemetryRow))["data"]
            let neighbours = try home.get("/api/sources/\(home.source)/neighbor-info", as: HomeAssistant.neighbours)
            let messages = try home.v1("messages?limit=200", as: .rows(HomeAssistant.message))["data"]
            return telemetry?.rows.isEmpty == false && !neighbours.rows.isEmpty && (messages?.rows.count ?? 0) > 3
        }
        for _ in 1...2 {
            _ = try home.v1("status", as: HomeAssistant.status)
            let nodes = try home.v1("nodes", as: HomeAssistant.nodes)["data"]?.rows ?? []
            let network = try home.v1("network", as: HomeAssistant.network)["data"]
            #expect(network?["totalNodes"]?.integer == nodes.count)
            _ = try home.v1("network/topology", as: HomeAssistant.topology)
            _ = try home.get("/api/sources/\(home.source)/neighbor-info", as: HomeAssistant.neighbours)
            _ = try home.v1("telemetry", as: .rows(HomeAssistant.telemetryRow))
            _ = try home.v1("channels", as: HomeAssistant.channels)
        }

        mesh.radio.unplug()
        // The same texts come from the feed over all sources, under the same identities, as soon as it is quiet.
        let feed = try mesh.gateway.eventually("both lists are the same") { () -> [StrictJSON]? in
            let rows = try home.v1("messages?limit=200", as: .rows(HomeAssistant.message))["data"]?.rows ?? []
            let identities = rows.compactMap(HomeAssistant.identity)
            #expect(Set(identities).count == rows.count, "a packet has two rows")
            let unified = try home.get("/api/unified/messages?limit=200").strict
            let feed = (unified["data"] ?? unified).rows
            return Set(feed.compactMap { $0["dedupKey"]?.string }) == Set(identities) ? feed : nil
        }
        #expect(feed.flatMap { HomeAssistant.unified.complaints($0) } == [])
        #expect(feed.allSatisfy { $0["receptions"]?.rows.first?["sourceId"]?.string == home.source })
    }

    @Test func whatIsKnownOfANode() throws {
        let mesh = try Mesh { $0.chatter = 1200 }
        let home = try setUp(mesh)
        // The one with the longest history of positions, as the gateway sees it.
        let node = try mesh.gateway.eventually("a node has moved") { () -> String? in
            let rows = try home.v1("telemetry?type=latitude", as: .rows(HomeAssistant.telemetryRow))["data"]?.rows
            return rows?.first?["nodeId"]?.string
        }
        let encoded = "%21" + node.dropFirst()
        let history = try home.v1("nodes/\(encoded)/position-history?limit=1000&offset=0", as: HomeAssistant.history)
        #expect(history["data"]?.rows.isEmpty == false)
        let times = (history["data"]?.rows ?? []).compactMap { $0["timestamp"]?.integer }
        #expect(times == times.sorted())
        let query = "sourceId=\(home.source)&hours=24"
        let averages = try home.get("/api/telemetry/\(encoded)?\(query)", as: .list(HomeAssistant.telemetryRow))
        #expect(!averages.rows.isEmpty)
        _ = try home.get(
            "/api/telemetry/\(encoded)/linkquality?\(query)",
            as: .rowsWithoutCount(.object(["timestamp": .milliseconds, "quality": .number])))
    }

    @Test func aTextIsSentAsItIs() throws {
        let mesh = try Mesh()
        let home = try setUp(mesh)
        let path = "/api/v1/sources/\(home.source)/messages"
        // 200 bytes with everything in them that somebody might tidy up.
        let odd = "Two  blanks, a\nnew line, a\ttab, e\u{301} and 👨‍👩‍👧 – "
        let text = odd + String(repeating: "x", count: 200 - odd.utf8.count)
        let sent = try home.post(path, ["text": .string(text), "channel": 2])
        #expect(sent.status == 201)
        let data = sent.body["data"]
        let form = Form.object([
            "messageId": .rowID, "requestId": .unsigned32, "deliveryState": .someText, "messageCount": .integer,
        ])
        #expect(form.complaints(try #require(data)) == [])
        let packet = mesh.radio.waitForPacket(timeout: Program.patience) { Int($0.id) == data?["requestId"]?.integer }
        #expect(packet?.decoded?.payload == Array(text.utf8))
        #expect(packet?.channel == 2)

        let hiker = mesh.cast(0)
        let reply = try home.post(
            path, ["text": "As a reply", "toNodeId": .string(hiker.id), "replyId": .integer(Int(packet?.id ?? 0))])
        #expect(reply.status == 201)
        #expect(reply.body["data"]?["channel"] == .number("-1"))

        #expect(try home.post("\(path)/x/y", ["text": "nowhere", "channel": 0]).status == 404)
        #expect(try home.post(path, ["text": "nowhere"]).status == 400)
        let stranger = HomeAssistant(
            client: mesh.client(token: "mm_v1_00000000000000000000000000000000"), source: home.source)
        #expect(try stranger.post(path, ["text": "nowhere", "channel": 0]).status == 401)
        #expect(try stranger.get(path).status == 401)
        #expect(try home.get("/api/v1/sources/nowhere/nodes").status == 404)
    }

    @Test func itAsksNodes() throws {
        let mesh = try Mesh()
        let home = try setUp(mesh)
        let (hiker, hut) = (mesh.cast(0), mesh.cast(1))
        for name in ["traceroute", "request-position", "request-nodeinfo", "request-neighbors"] {
            let (status, body) = try home.action(name, hiker.id)
            #expect(status == 200, "\(name): \(body)")
            #expect(body["success"] == .bool(true))
            #expect(body["data"]?["destination"]?.string == hiker.id)
        }
        for port in [PortNumber.traceroute, .position, .nodeInfo, .neighborInfo] {
            let packet = mesh.radio.waitForPacket(timeout: Program.patience) {
                $0.to == hiker && $0.decoded?.port == port
            }
            #expect(packet != nil, "\(port)")
        }
        // Neighbours are only asked of who is near, and not twice within three minutes; both are understood.
        #expect(try home.action("request-neighbors", hut.id).status == 403)
        #expect(try home.action("request-neighbors", hiker.id).status == 429)

        let own = mesh.radio.number
        let routes = try mesh.gateway.eventually("the way there and back is known") { () -> [StrictJSON]? in
            let rows = try home.v1("traceroutes?limit=100", as: .rows(HomeAssistant.traceroute))["data"]?.rows
            return rows?.first?["routeBack"]?.inner == nil ? nil : rows
        }
        #expect(routes.first?["fromNodeId"]?.string == own.id)
        #expect(routes.first?["toNodeId"]?.string == hiker.id)
        let edge = try home.v1("network/topology", as: HomeAssistant.topology)["data"]?["edges"]?.rows.first
        #expect(edge?["from"]?.string == own.id)
        #expect(edge?["to"]?.string == hiker.id)
        for (a, b) in [(own, hiker), (hiker, own)] {
            let history = try home.get(
                "/api/traceroutes/history/\(a.rawValue)/\(b.rawValue)?sourceId=\(home.source)&limit=50",
                as: .list(HomeAssistant.traceroute))
            #expect(history.rows.count == 1)
        }
    }

    /// Switched off by default, and more than a token may do that was made without a scope.
    @Test func itMarksNodesAndDeletesThem() throws {
        let mesh = try Mesh(scopes: ["read", "send", "nodes:write"])
        let home = try setUp(mesh)
        let (hiker, hut) = (mesh.cast(0), mesh.cast(1))
        for (mark, key) in [("favorite", "isFavorite"), ("ignored", "isIgnored")] {
            for value in [true, false] {
                let (status, body) = try home.post(
                    "/api/nodes/%21\(hut.id.dropFirst())/\(mark)",
                    .object(["sourceId": .string(home.source), key: .bool(value), "syncToDevice": false]))
                #expect(status == 200, "\(body)")
                let row = try home.get("/api/v1/nodes/\(hut.id)", as: .item(.object([key: .bool])))["data"]
                #expect(row?[key] == .bool(value))
            }
        }
        // That was the database's business alone.
        #expect(!mesh.radio.nodes[1].isFavorite)

        mesh.radio.sendText(from: hiker, "To be deleted", to: mesh.radio.number)
        mesh.radio.sendText(from: hut, "To stay", to: mesh.radio.number)
        let list = Form.rows(HomeAssistant.message)
        try mesh.gateway.eventually("both are there") {
            try home.v1("messages?limit=200", as: list)["data"]?.rows.count == 2
        }
        let deleted = try mesh.client.request(
            "DELETE", "/api/messages/nodes/\(hiker.rawValue)?sourceId=\(home.source)", ["Accept: application/json"])
        #expect(deleted.status == 200, "\(deleted.text)")
        #expect(try deleted.strict["messagesDeleted"]?.integer == 1)
        let left = try home.v1("messages?limit=200", as: list)["data"]?.rows ?? []
        #expect(left.map { $0["text"]?.string } == ["To stay"])
    }
}

extension Form {
    /// An envelope that has no count.
    fileprivate static func rowsWithoutCount(_ row: Form) -> Form {
        .object(["success": .exactly(.bool(true)), "data": .list(row)])
    }
}
