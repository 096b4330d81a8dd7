import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct ATokenSeesItsChannelsOnly {
    private static let location = [
        "latitude", "longitude", "altitude", "positionChannel", "positionTimestamp", "positionPrecisionBits",
        "positionGpsAccuracy", "positionHdop",
    ]

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert(
            (0...2).map { Channel(index: $0, role: $0 == 0 ? .primary : .secondary, name: "c\($0)", psk: [1]) })
        for channel in 0...2 {
            try test.insert("on \(channel)", packetID: PacketID(10 + channel), at: TestGateway.now + Int64(channel)) {
                $0.channel = channel
            }
        }
        try test.insert("direct", packetID: 20, at: TestGateway.now + 5) { $0.channel = -1 }
        return test
    }

    @Test func messages() throws {
        let test = try gateway()
        let token = try test.token(["messages:read", "channel_1:read"])
        #expect(try test.ask("GET", "/api/v1/messages", as: token).texts == ["direct", "on 1"])
        // The limit counts what may be seen.
        #expect(try test.ask("GET", "/api/v1/messages?limit=2", as: token).texts == ["direct", "on 1"])
        #expect(try test.ask("GET", "/api/v1/messages?channel=1", as: token).texts == ["on 1"])
        #expect(try test.ask("GET", "/api/v1/messages?channel=-1", as: token).texts == ["direct"])
        #expect(try test.ask("GET", "/api/v1/messages/search?q=on%20", as: token).texts == ["on 1"])
        #expect(try test.ask("GET", "/api/v1/messages/search?q=on%20&channels=0,2", as: token).texts == [])
        #expect(try test.ask("GET", "/api/v1/messages/11", as: token).status == 200)
        for (target, resource) in [
            ("messages?channel=0", "channel_0"), ("messages?channel=x", "channel_NaN"), ("channels/2", "channel_2"),
        ] {
            let refused = try test.ask("GET", "/api/v1/" + target, as: token)
            #expect(
                refused.text == #"{"success":false,"error":"Forbidden","message":"Insufficient permissions","#
                    + #""required":{"resource":"\#(resource)","action":"read"}}"#)
        }
        #expect(try test.ask("GET", "/api/v1/messages/10", as: token).status == 404)
        // To an administrator no channel is closed, only empty.
        #expect(try test.ask("GET", "/api/v1/messages?channel=x", as: try test.token(["admin"])).rows.isEmpty)
        let channels = try test.ask("GET", "/api/v1/channels", as: token)
        #expect(try channels.rows.map { $0["id"] as? Int } == [1])
    }

    @Test func nodesAndPositions() throws {
        let test = try gateway()
        try test.update(NodeNumber(0x100)) { $0.channel = 0 }
        try test.update(NodeNumber(0x200)) { node in
            (node.channel, node.latitude, node.longitude, node.positionChannel) = (1, 46.5, 6.5, 2)
        }
        try test.update(NodeNumber(0x300)) { node in
            (node.channel, node.latitude, node.longitude, node.positionChannel) = (1, 47.5, 7.5, 1)
        }
        let token = try test.token(["nodes:read", "channel_1:viewOnMap"])
        let rows = try test.ask("GET", "/api/v1/nodes", as: token).rows
        #expect(Set(rows.map { $0["nodeId"] as? String }) == ["!00000200", "!00000300"])
        let masked = try #require(rows.first { $0["nodeNum"] as? Int == 0x200 })
        let shown = try #require(rows.first { $0["nodeNum"] as? Int == 0x300 })
        for key in Self.location {
            #expect(masked[key] == nil, "\(key)")
            #expect(shown[key] != nil, "\(key)")
        }
        let refused = try test.ask("GET", "/api/v1/nodes/!00000100", as: token)
        #expect(
            refused.text == #"{"success":false,"error":"Forbidden","message":"No permission to view this node","#
                + #""required":{"resource":"channel_0","action":"viewOnMap"}}"#)
    }

    @Test func sending() throws {
        let test = try gateway()
        let token = try test.token(["messages:read", "channel_1:write"])
        // MeshMonitor's order of checks: a bad channel is 400 even for who may not write.
        #expect(try test.ask("POST", "/api/v1/messages", as: token, #"{"text":"x","channel":9}"#).status == 400)
        for (body, resource) in [
            (#"{"text":"x","channel":0}"#, "channel_0"), (#"{"text":"x","toNodeId":"!abcdef12"}"#, "messages"),
        ] {
            let refused = try test.ask("POST", "/api/v1/messages", as: token, body)
            #expect(refused.status == 403)
            #expect(try refused.json["required"] as? [String: String] == ["resource": resource, "action": "write"])
        }
        // Its own channel fails later, by the unplugged radio.
        #expect(try test.ask("POST", "/api/v1/messages", as: token, #"{"text":"x","channel":1}"#).status == 503)
    }

    @Test func aTagStandsForWhatItsTokenSees() throws {
        let test = try gateway()
        let (one, all) = (try test.token(["messages:read", "channel_1:read"]), try test.token(["read"]))
        let narrow = try #require(try test.ask("GET", "/api/v1/messages", as: one).header("ETag"))
        func status(_ token: APIToken) throws -> Int {
            try test.ask(
                "GET", "/api/v1/messages",
                headers: [
                    (name: "Authorization", value: "Bearer " + token.text), (name: "If-None-Match", value: narrow),
                ]
            ).status
        }
        #expect(try status(one) == 304)
        #expect(try status(all) == 200)
    }

    @Test func theKeyIsForWhoWritesTheConfiguration() throws {
        let test = try gateway()
        for (scopes, isShown) in [
            (["read", "send"], false), (["read", "channels:write"], false), (["read", "configuration:read"], false),
            (["read", "configuration:write"], true), (["admin"], true),
        ] {
            let rows = try test.ask("GET", "/api/v1/channels", as: try test.token(scopes)).rows
            #expect(rows.allSatisfy { ($0["psk"] as? String) == (isShown ? "AQ==" : nil) }, "\(scopes)")
        }
    }
}
