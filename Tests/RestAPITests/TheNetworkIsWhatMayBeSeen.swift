import Foundation
import MeshModel
import Platform
import Routes
import Testing

@testable import RestAPI

@Suite struct TheNetworkIsWhatMayBeSeen {
    static let ridge = NodeNumber(0x100)
    static let valley = NodeNumber(0x200)
    static let cellar = NodeNumber(0x300)

    /// Ridge and valley on channel 0, the cellar on channel 1; the valley's position was told on channel 1.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let now = WallClock.milliseconds()
        try test.update(Self.ridge) { node in
            (node.longName, node.channel, node.lastHeard, node.hopsAway) = ("Ridge", 0, now / 1000 - 60, 1)
            (node.latitude, node.longitude, node.positionChannel) = (46.5, 6.5, 0)
        }
        try test.update(Self.valley) { node in
            (node.channel, node.lastHeard, node.role) = (0, now / 1000 - 8 * 86_400, 2)
            (node.latitude, node.longitude, node.positionChannel) = (47.5, 7.5, 1)
        }
        try test.update(Self.cellar) { $0.channel = 1 }
        let id = test.id
        let route = RouteDiscovery(route: [Self.cellar, NodeNumber(3)], snrTowards: [24, -13])
        try test.store.commit { writer in
            try writer.insertTraceroute(
                from: Self.ridge, to: Self.valley, packetID: 1, route: route, in: id, at: now)
            try writer.insertTraceroute(
                from: Self.ridge, to: Self.cellar, packetID: 2, route: nil, in: id, at: now)
            for (node, rssi) in [(Self.ridge, -96 as Int32), (Self.ridge, -97), (Self.cellar, -50)] {
                let packet = MeshPacket(
                    from: node, to: .broadcast, id: 7, payload: .encrypted([1]), rxRSSI: rssi, hopLimit: 3, hopStart: 3)
                try writer.logPacket(packet, direction: .rx, in: id, at: now - 3_600_000)
            }
        }
        return test
    }

    @Test func totals() throws {
        let test = try gateway()
        let before = WallClock.milliseconds()
        let answer = try test.get("/api/v1/network")
        #expect(JSONText(answer.body).keys == ["success", "data"])
        let data = try answer.data
        #expect(data["totalNodes"] as? Int == 3)
        #expect(data["activeNodes"] as? Int == 1)
        #expect(data["tracerouteCount"] as? Int == 2)
        #expect(try #require(data["lastUpdated"] as? Int64) >= before)
        let seen = try test.ask("GET", "/api/v1/network", as: try test.token(["nodes:read", "channel_1:viewOnMap"]))
        #expect(try seen.data["totalNodes"] as? Int == 1)
        // Routes are counted for those who may read them.
        #expect(try seen.data["tracerouteCount"] as? Int == 0)
        let reader = try test.ask("GET", "/api/v1/network", as: try test.token(["nodes:read", "traceroute:read"]))
        #expect(try reader.data["tracerouteCount"] as? Int == 2)
    }

    @Test func theTopologyHasRealArrays() throws {
        let test = try gateway()
        let answer = try test.get("/api/v1/network/topology")
        let heard = try #require(try test.get("/api/v1/nodes/!00000100").data["lastHeard"] as? Int)
        #expect(
            answer.text.contains(
                #"{"nodeId":"!00000100","nodeNum":256,"longName":"Ridge","shortName":"0100","role":null,"hopsAway":1,"#
                    + #""latitude":46.5,"longitude":6.5,"lastHeard":\#(heard)}"#))
        // A request without an answer has no hops; 3 is nobody's number.
        #expect(
            answer.text.hasSuffix(
                #"],"edges":[{"from":"!00000100","to":"!00000300","route":[],"snr":[]},"#
                    + #"{"from":"!00000100","to":"!00000200","route":[768],"snr":[24,-13]}]}}"#))
        #expect((try answer.data["nodes"] as? [NSDictionary])?.count == 3)
    }

    /// A node that may not be seen is in no edge; as a hop it has no name.
    @Test func aTokenSeesItsPartOfTheTopology() throws {
        let test = try gateway()
        let token = try test.token(["nodes:read", "channel_0:viewOnMap"])
        let answer = try test.ask("GET", "/api/v1/network/topology", as: token)
        let nodes = try #require(try answer.data["nodes"] as? [NSDictionary])
        #expect(Set(nodes.map { $0["nodeId"] as? String }) == ["!00000100", "!00000200"])
        #expect(nodes.first { $0["nodeNum"] as? Int == 0x200 }?["latitude"] == nil)
        #expect(nodes.first { $0["nodeNum"] as? Int == 0x100 }?["latitude"] as? Double == 46.5)
        #expect(
            answer.text.hasSuffix(
                #""edges":[{"from":"!00000100","to":"!00000200","route":[4294967295],"snr":[24,-13]}]}}"#))
    }

    @Test func neighboursHeardWithoutARelay() throws {
        let test = try gateway()
        let answer = try test.get("/api/v1/network/direct-neighbors")
        #expect(JSONText(answer.body).keys == ["success", "data", "count"])
        #expect(try answer.json["count"] as? Int == 2)
        let ridge = try #require(try answer.data["256"] as? NSDictionary)
        #expect(ridge["avgRssi"] as? Double == -96.5)
        #expect(ridge["packetCount"] as? Int == 2)
        #expect(try #require(ridge["lastHeard"] as? Int64) > WallClock.milliseconds() - 3_700_000, "milliseconds")
        let token = try test.token(["nodes:read", "channel_1:viewOnMap"])
        let seen = try test.ask("GET", "/api/v1/network/direct-neighbors", as: token)
        #expect(try seen.data.allKeys as? [String] == ["768"])
        // An hour ago is not within the last hour; nonsense and zero mean a day.
        for (hours, count) in [("1", 0), ("2", 2), ("0", 2), ("x", 2), ("-1", 2), ("99999999999", 2)] {
            let answer = try test.get("/api/v1/network/direct-neighbors?hours=" + hours)
            #expect(try answer.json["count"] as? Int == count, "\(hours)")
        }
    }
}
