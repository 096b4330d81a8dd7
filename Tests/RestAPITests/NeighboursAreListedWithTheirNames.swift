import Foundation
import MeshModel
import Testing

@testable import RestAPI

@Suite struct NeighboursAreListedWithTheirNames {
    static let ridge = NodeNumber(0x100)
    static let valley = NodeNumber(0x200)

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(Self.ridge) { node in
            (node.longName, node.channel) = ("Ridge", 0)
            (node.latitude, node.longitude, node.positionChannel) = (46.5, 6.5, 0)
        }
        try test.update(Self.valley) { node in
            (node.channel, node.latitude, node.longitude, node.positionChannel) = (1, 47.5, 7.5, 2)
        }
        let id = test.id
        try test.store.commit { writer in
            for (node, other, time) in [
                (Self.ridge, Self.valley, 1_787_299_000 as UInt32), (Self.valley, Self.ridge, 0),
            ] {
                let info = NeighborInfo(
                    number: node, lastSentBy: node, broadcastInterval: 900,
                    neighbors: [.init(number: other, snr: -3.25, lastRxTime: time)])
                try writer.replaceNeighbors(info, in: id, at: TestGateway.now)
            }
        }
        return test
    }

    private func rows(_ answer: Answer) throws -> [NSDictionary] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [NSDictionary], "\(answer.text)")
    }

    @Test func aRowNamesBothAndTheirPlaces() throws {
        let test = try gateway()
        let answer = try test.get("/api/neighbor-info")
        let first =
            #""nodeNum":256,"neighborNodeNum":512,"snr":-3.25,"lastRxTime":1787299000,"#
            + #""timestamp":1787300000000,"createdAt":1787300000000,"sourceId":"\#(test.uuid)","nodeId":"!00000100","#
            + #""nodeName":"Ridge","neighborNodeId":"!00000200","neighborName":"Node !00000200","bidirectional":true,"#
            + #""nodeLatitude":46.5,"nodeLongitude":6.5,"neighborLatitude":47.5,"neighborLongitude":7.5},"#
        #expect(answer.text.hasPrefix("[{\"id\":"))
        #expect(answer.text.contains(first))
        let rows = try rows(answer)
        #expect(rows.count == 2)
        #expect(rows[1]["lastRxTime"] is NSNull, "a node without a clock")
        let ids = rows.compactMap { $0["id"] as? Int64 }
        #expect(Set(ids).count == 2 && ids.allSatisfy { $0 < 1 << 53 }, "numbers that JavaScript can hold")
        #expect(try test.get("/api/neighbor-info?sourceId=\(test.uuid)").body == answer.body)
    }

    @Test func ofOneNodeWithItsSource() throws {
        let test = try gateway()
        let one = try rows(try test.get("/api/neighbor-info/512?sourceId=\(test.uuid)"))
        #expect(one.map { $0["nodeNum"] as? Int } == [512])
        let missing = try test.get("/api/neighbor-info/512")
        #expect(missing.status == 400)
        #expect(missing.text == #"{"error":"sourceId is required","code":"MISSING_SOURCE_ID"}"#)
        #expect(try test.get("/api/neighbor-info/x?sourceId=default").status == 400)
        #expect(try test.get("/api/neighbor-info/512?sourceId=nobody").status == 404)
    }

    @Test func aTokenSeesItsNodesAndTheirPlacesOnly() throws {
        let test = try gateway()
        let path = "/api/neighbor-info"
        let both = try test.token(["info:read", "channel_0:viewOnMap", "channel_1:viewOnMap"])
        let masked = try #require(try rows(try test.ask("GET", path, as: both)).first)
        #expect(masked["nodeLatitude"] as? Double == 46.5)
        #expect(masked["neighborLatitude"] is NSNull)
        #expect(masked["neighborLongitude"] is NSNull)
        let one = try test.token(["info:read", "nodes:read", "channel_0:viewOnMap"])
        #expect(try rows(try test.ask("GET", path, as: one)).isEmpty)
        #expect(try rows(try test.ask("GET", "/api/sources/default/neighbor-info", as: one)).isEmpty)
    }
}
