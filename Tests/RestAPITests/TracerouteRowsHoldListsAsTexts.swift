import Foundation
import MeshModel
import Platform
import Routes
import Testing

@testable import RestAPI

@Suite struct TracerouteRowsHoldListsAsTexts {
    static let own = TestGateway.own
    static let peer = TestGateway.peer
    static let carol = NodeNumber(0xCA40_1003)

    private func insert(
        _ from: NodeNumber, _ to: NodeNumber, id: PacketID, at time: Int64, _ route: RouteDiscovery?,
        in test: TestGateway
    ) throws {
        let source = test.id
        try test.store.commit {
            try $0.insertTraceroute(from: from, to: to, packetID: id, route: route, in: source, at: time)
        }
    }

    /// Oldest first: an answered one to the peer, one from the peer, a pending one to carol, a pending one to the peer.
    private func gateway(at time: Int64 = TestGateway.now) throws -> TestGateway {
        let test = try TestGateway()
        let hop = NodeNumber(1_127_301_256)
        let noNodes: [NodeNumber] = [0, 3, 255, 65535].map { NodeNumber($0) }
        let route = RouteDiscovery(
            route: [hop, .broadcast] + noNodes, snrTowards: [24, -13, -128], routeBack: [hop], snrBack: [-8, 31])
        try insert(Self.own, Self.peer, id: 1, at: time, route, in: test)
        try insert(Self.peer, Self.own, id: 2, at: time + 1, RouteDiscovery(), in: test)
        try insert(Self.own, Self.carol, id: 3, at: time + 2, nil, in: test)
        try insert(Self.own, Self.peer, id: 4, at: time + 3, nil, in: test)
        return test
    }

    private func ids(_ answer: Answer) throws -> [Int] {
        let rows = try JSONSerialization.jsonObject(with: Data(answer.body))
        let list = (rows as? [NSDictionary]) ?? (rows as? NSDictionary)?["data"] as? [NSDictionary]
        return try #require(list, "\(answer.text)").map { try #require($0["packetId"] as? Int) }
    }

    /// The contract's sample, with what no node has as its number left out and a hop without a name kept.
    @Test func aRow() throws {
        let test = try gateway()
        let rows = try test.get("/api/v1/traceroutes?limit=10").rows
        let row = try #require(rows.last)
        let text = try test.get("/api/v1/traceroutes").text
        let printed = try #require(text.range(of: #"{"id":1,"#)).lowerBound
        #expect(
            text[printed...] == #"{"id":1,"fromNodeNum":305419896,"toNodeNum":2882400018,"fromNodeId":"!12345678","#
                + #""toNodeId":"!abcdef12","route":"[1127301256,4294967295]","routeBack":"[1127301256]","#
                + #""snrTowards":"[24,-13,-128]","snrBack":"[-8,31]","routePositions":null,"channel":null,"#
                + #""packetId":1,"timestamp":1787300000000,"createdAt":1787300000000,"sourceId":"\#(test.uuid)"}]}"#)
        #expect(row["route"] as? String == "[1127301256,4294967295]")
        // An answer over no relay has empty lists, a request without an answer has none.
        #expect(rows[2]["route"] as? String == "[]")
        for key in ["route", "routeBack", "snrTowards", "snrBack"] { #expect(rows[0][key] is NSNull, "\(key)") }
    }

    @Test func filtersComeBeforeTheLimit() throws {
        let test = try gateway()
        let path = "/api/v1/traceroutes"
        #expect(try ids(test.get(path)) == [4, 3, 2, 1])
        #expect(try ids(test.get(path + "?limit=1&fromNodeId=!abcdef12")) == [2])
        #expect(try ids(test.get(path + "?limit=1&fromNodeId=%2112345678&toNodeId=!abcdef12")) == [4])
        #expect(try ids(test.get(path + "?toNodeId=!ca401003")) == [3])
        #expect(try ids(test.get(path + "?fromNodeId=nobody")) == [])
        for limit in ["0", "x", "-1", ""] { #expect(try ids(test.get(path + "?limit=\(limit)")) == [4, 3, 2, 1]) }
    }

    @Test func ofAPairTheNewestInThisDirection() throws {
        let test = try gateway()
        // However many others have come since.
        for id in 10..<160 as Range<PacketID> {
            try insert(Self.own, NodeNumber(0x1000 + id), id: id, at: TestGateway.now + Int64(id), nil, in: test)
        }
        let there = try test.get("/api/v1/traceroutes/!12345678/!abcdef12")
        #expect(try there.data["packetId"] as? Int == 4)
        #expect(try test.get("/api/v1/traceroutes/%21abcdef12/!12345678").data["packetId"] as? Int == 2)
        let none = try test.get("/api/v1/traceroutes/!ca401003/!12345678")
        #expect(none.status == 404)
        #expect(none.message == "No traceroute found from !ca401003 to !12345678")
        #expect(try test.get("/api/v1/traceroutes/x/y").message == "No traceroute found from x to y")
    }

    @Test func theHistoryHasBothDirectionsAndCountsHops() throws {
        let test = try gateway()
        let path = "/api/traceroutes/history/2882400018/305419896"
        let answer = try test.get(path)
        #expect(try ids(answer) == [4, 2, 1])
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [NSDictionary])
        #expect(rows.map { $0["hopCount"] as? Int } == [999, 0, 2])
        #expect(try ids(test.get(path + "?limit=2")) == [4, 2])
        #expect(try ids(test.get(path + "?sourceId=" + test.uuid)) == [4, 2, 1])
        #expect(try test.get(path + "?sourceId=x").status == 404)
        for bad in ["x/1", "1/x", "-1/1", "4294967296/1"] {
            let answer = try test.get("/api/traceroutes/history/" + bad)
            #expect(answer.status == 400)
            #expect(try answer.json["error"] as? String == "Invalid node numbers provided")
        }
        for bad in ["0", "1001", "-1", "x"] {
            let answer = try test.get(path + "?limit=" + bad)
            #expect(answer.status == 400)
            #expect(try answer.json["error"] as? String == "Limit must be between 1 and 1000")
        }
    }

    @Test func theRecentOnesEndSomeHoursAgo() throws {
        let hour: Int64 = 3_600_000
        let test = try gateway(at: WallClock.milliseconds() - 30 * hour)
        try insert(Self.own, Self.peer, id: 9, at: WallClock.milliseconds() - 2 * hour, nil, in: test)
        #expect(try ids(test.get("/api/traceroutes/recent")) == [9])
        #expect(try ids(test.get("/api/traceroutes/recent?hours=1")) == [])
        #expect(try ids(test.get("/api/traceroutes/recent?hours=31&limit=2")) == [9, 4])
        #expect(try ids(test.get("/api/traceroutes/recent?hours=99999999999999")) == [9, 4, 3, 2, 1])
        #expect(try ids(test.get("/api/sources/\(test.uuid)/traceroutes")) == [9, 4, 3, 2, 1])
    }
}
