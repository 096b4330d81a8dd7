import Foundation
import HTTPServer
import MeshModel
import Routes
import Store
import Testing

@testable import Gateway
@testable import RestAPI

/// Over every single scope, and over tokens of one channel: what the stream brings while a mesh talks is what the GETs of
/// that token show, no row more and none less.
@Suite struct TheStreamShowsWhatTheGETsShow {
    private static let now = TestGateway.now
    private static let speakers = (0...4).map { NodeNumber(0x100 + UInt32($0)) }
    /// The first two, one without rights for everybody here, direct, and one of the gateway's own.
    private static let channels = [0, 1, 5, -1, 101]

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let id = test.id
        _ = try test.gateway.channelDatabase.add(
            name: "Far", psk: [UInt8](repeating: 7, count: 16), description: nil, isEnabled: true, enforcesName: false)
        try test.store.commit { writer in try writer.update(id) { $0.nodeNumber = TestGateway.own } }
        try test.insert([Channel(index: 0, role: .primary, psk: [1])])
        return test
    }

    /// A bit of everything, on each channel.
    private func talk(_ test: TestGateway) throws {
        let (id, now) = (test.id, Self.now)
        for (place, channel) in Self.channels.enumerated() {
            let speaker = Self.speakers[place]
            try test.store.commit { writer in
                try writer.updateNode(speaker, in: id, at: now) { node in
                    (node.longName, node.channel) = ("Node \(place)", channel < 0 ? nil : channel)
                    (node.latitude, node.longitude, node.positionChannel) = (46.5, 6.5, channel < 0 ? 1 : channel)
                }
                var message = Message(
                    id: "", from: speaker, to: channel < 0 ? TestGateway.own : .broadcast, text: "text \(place)",
                    channel: channel, packetID: PacketID(50 + place), timestamp: now, createdAt: now, updatedAt: now)
                message.decryptedWith = channel > 100 ? 1 : nil
                try writer.insertMessage(message, in: id)
                let packet = MeshPacket(
                    from: speaker, to: channel < 0 ? TestGateway.own : .broadcast, channel: UInt32(max(channel, 0)),
                    id: PacketID(70 + place),
                    payload: .decoded(MeshData(port: .textMessage, payload: Array("hi".utf8))), rxSNR: 5, rxRSSI: -90,
                    hopLimit: 3, hopStart: 3)
                try writer.logPacket(packet, direction: .rx, decryptedWith: channel > 100 ? 1 : nil, in: id, at: now)
                let battery = Telemetry(
                    kind: .device, values: [Telemetry.Value("batteryLevel", 50), Telemetry.Value("voltage", 3.7)])
                try writer.insertTelemetry(battery, from: speaker, packet: packet, in: id, at: now)
                try writer.insertPosition(
                    Position(latitudeI: 465_000_000, longitudeI: 65_000_000), from: speaker, packet: packet, in: id,
                    at: now)
                try writer.insertPaxcount(
                    Paxcount(wifi: 1, ble: 2, uptime: 3), from: speaker, packet: packet, in: id, at: now)
                try writer.upsertWaypoint(
                    Waypoint(id: UInt32(900 + place), name: "camp"), from: speaker,
                    channel: channel < 0 ? nil : channel, in: id, at: now)
            }
        }
        try test.insert([Channel(index: 1, role: .secondary, name: "one", psk: [1])])
        try test.store.commit { writer in
            let route = RouteDiscovery(route: [NodeNumber(0x300)], snrTowards: [24, -13])
            try writer.insertTraceroute(
                from: TestGateway.own, to: Self.speakers[0], packetID: 21, route: route, in: id, at: now)
        }
    }

    /// The rows of a GET, each by itself as it was sent; none when it is refused.
    private func rows(_ test: TestGateway, _ path: String, as token: APIToken) throws -> [NSDictionary] {
        let answer = try test.ask("GET", "/api/v1/" + path, as: token)
        #expect([200, 403].contains(answer.status), "\(path): \(answer.text)")
        return answer.status == 200 ? try answer.rows : []
    }

    private func without(_ row: NSDictionary, _ keys: String...) -> NSDictionary {
        guard let copy = row.mutableCopy() as? NSMutableDictionary else { return row }
        for key in keys { copy.removeObject(forKey: key) }
        return copy
    }

    static let tokens: [[String]] =
        Permission.all.map { [$0.description] }
        + [
            ["messages:read", "channel_0:read"], ["messages:read", "channel_1:read"],
            ["nodes:read", "channel_0:viewOnMap"], ["nodes:read", "channel_1:viewOnMap"],
            ["nodes:read", "channel_database:read"], ["messages:read", "channel_database:read"],
            ["packetmonitor:read", "channel_1:read"], ["packetmonitor:read", "messages:read"],
            ["packetmonitor:read", "channel_database:read"], ["read"], ["admin"], ["send"],
        ]

    @Test(arguments: tokens) func noRowMoreAndNoneLess(_ scopes: [String]) throws {
        let test = try gateway()
        let token = try test.token(scopes)
        let reader = try EventReader(test, as: token)
        #expect(try reader.read().map(\.kind) == ["start"])
        let before = try rows(test, "channels", as: token)
        try talk(test)
        let news = Dictionary(grouping: try reader.read(), by: \.kind)
        func told(_ kind: String) throws -> Set<NSDictionary> { Set(try (news[kind] ?? []).map { try $0.json }) }
        func shown(_ path: String) throws -> Set<NSDictionary> { Set(try rows(test, path, as: token)) }

        #expect(try told("message") == shown("messages"))
        #expect(try told("node") == shown("nodes"))
        #expect(try told("traceroute") == shown("traceroutes"))
        #expect(try told("waypoint") == shown("waypoints"))
        #expect(try told("packet") == shown("packets"))
        // A position makes values of its own, whose row is the position.
        let places = ["latitude", "longitude", "altitude", "sats_in_view", "ground_speed", "ground_track"]
        #expect(
            try told("telemetry")
                == shown("telemetry").filter { !places.contains($0["telemetryType"] as? String ?? "") })
        #expect(
            Set(try told("channel").map { without($0, "sourceId") })
                == (try shown("channels")).subtracting(before))
        var positions: Set<NSDictionary> = []
        for speaker in Self.speakers {
            for row in try rows(test, "nodes/\(speaker.id)/position-history", as: token) {
                let row = try #require(row.mutableCopy() as? NSMutableDictionary)
                row["nodeId"] = speaker.id
                row["nodeNum"] = NSNumber(value: speaker.rawValue)
                row["sourceId"] = test.uuid
                positions.insert(row)
            }
        }
        #expect(try told("position") == positions)
        let expected: Set = [
            "message", "node", "traceroute", "waypoint", "packet", "telemetry", "channel", "position",
        ]
        #expect(expected.isSuperset(of: news.keys), "\(news.keys)")
        if scopes == ["admin"] { #expect(Set(news.keys) == expected) }
    }

    /// Nobody is told of what he could not see that it is gone.
    @Test(arguments: tokens) func whatIsGoneLikewise(_ scopes: [String]) throws {
        let test = try gateway()
        let token = try test.token(scopes)
        try talk(test)
        func ids(_ path: String, _ key: String) throws -> Set<String> {
            Set(try rows(test, path, as: token).map { "\($0[key]!)" })
        }
        let shown = try (
            messages: ids("messages", "id"), nodes: ids("nodes", "nodeId"), waypoints: ids("waypoints", "waypointId")
        )
        let reader = try EventReader(test, as: token)
        for message in try test.ask("GET", "/api/v1/messages", as: try test.token(["admin"])).rows {
            _ = try test.gateway.deleteMessage(id: try #require(message["id"] as? String), in: test.id)
        }
        for speaker in Self.speakers { _ = try test.gateway.deleteNode(speaker, in: test.id) }
        let news = try reader.read()
        func told(_ kind: String) throws -> Set<String> {
            Set(
                try news.filter { $0.kind == kind }.map {
                    #expect(try $0.json["deleted"] as? Bool == true, "\($0.data)")
                    return "\(try $0.json["id"]!)"
                })
        }
        #expect(try told("message-deleted") == shown.messages)
        #expect(try told("node") == shown.nodes)
        #expect(try told("waypoint") == shown.waypoints)
    }

    /// How far an own message has come; whoever does not see the message is not told.
    @Test func deliveries() throws {
        let test = try gateway()
        for channel in [0, 1, -1] {
            try test.insert("mine", packetID: PacketID(80 + channel), at: Self.now) { message in
                (message.isOwn, message.channel) = (true, channel)
                message.delivery = Delivery(state: .queued)
            }
        }
        let readers = try [["messages:read", "channel_1:read"], ["channel_1:read"], ["admin"]].map {
            try EventReader(test, as: try test.token($0))
        }
        let id = test.id
        for channel in [0, 1, -1] {
            try test.store.commit { writer in
                _ = try writer.updateMessage(packetID: PacketID(80 + channel), in: id, at: Self.now + 1) {
                    $0.delivery?.state = .confirmed
                }
            }
        }
        let told = try readers.map { try $0.news() }
        #expect(told.map(\.count) == [2, 0, 3])
        #expect(told[0].allSatisfy { $0.kind == "delivery" })
        #expect(try told[0][0].json["state"] as? String == "confirmed")
        #expect(try told[0][0].json["deliveryState"] as? String == "confirmed")
    }

    /// A read mark is its token's own business.
    @Test func marks() throws {
        let test = try gateway()
        try talk(test)
        let (mine, other) = (try test.token(["read"]), try test.token(["admin"]))
        let readers = try [mine, other].map { try EventReader(test, "/api/v1/events?kinds=read", as: $0) }
        #expect(try test.ask("POST", "/api/messages/mark-read", as: mine, #"{"channelId":0}"#).status == 200)
        #expect(try test.ask("POST", "/api/messages/mark-read", as: mine, #"{"allDMs":true}"#).status == 200)
        #expect(
            try readers[0].news().map(\.data) == [
                #"{"id":"channel:0","unread":0,"sourceId":"\#(test.uuid)"}"#,
                #"{"id":"direct","unread":0,"sourceId":"\#(test.uuid)"}"#,
            ])
        #expect(try readers[1].news().isEmpty)
    }

    /// The link's state as GET status shows it, for `info:read`.
    @Test func theLink() throws {
        let test = try gateway()
        let readers = try [["info:read"], ["nodes:read", "messages:read", "packetmonitor:read", "channels:read"]].map {
            try EventReader(test, as: try test.token($0))
        }
        let problem = Problem(.regionUnset, "set it")
        for what in [Event.What.link(.opening), .problem(problem), .solved(problem)] {
            test.gateway.events.tell(what, from: test.id, at: Self.now)
        }
        // The radio's debug output and what is sent to administer it are for users of this machine.
        test.gateway.events.tell(.debugText("secret"), from: test.id, at: Self.now)
        let told = try readers[0].news()
        #expect(told.map(\.kind) == ["status", "problem", "status", "solved", "status"])
        let status = try test.ask("GET", "/api/v1/status", as: try test.token(["info:read"])).data
        #expect(without(try told[0].json, "sourceId") == status)
        #expect(
            told[1].data
                == #"{"severity":"fault","name":"region-unset","advice":"set it","command":null,"sourceId":"\#(test.uuid)"}"#
        )
        #expect(try readers[1].news().isEmpty)
    }
}
