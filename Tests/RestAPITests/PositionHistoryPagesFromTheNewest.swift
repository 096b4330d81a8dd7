import Foundation
import MeshModel
import Store
import Testing

@testable import RestAPI

@Suite struct PositionHistoryPagesFromTheNewest {
    private static let path = "/api/v1/nodes/%21abcdef12/position-history"

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { _ in }
        for minute in 0..<10 {
            try test.insert(
                place(Int32(minute)), packetID: PacketID(minute + 1), at: TestGateway.now + Int64(minute) * 60_000)
        }
        return test
    }

    private func packets(_ test: TestGateway, _ query: String) throws -> [Int] {
        try test.get(Self.path + query).rows.compactMap { $0["packetId"] as? Int }
    }

    @Test func aPageIsTheNewestOldestFirst() throws {
        let test = try gateway()
        #expect(try packets(test, "") == Array(1...10))
        #expect(try packets(test, "?limit=4") == [7, 8, 9, 10])
        #expect(try packets(test, "?limit=4&offset=4") == [3, 4, 5, 6])
        #expect(try packets(test, "?limit=4&offset=8") == [1, 2])
        #expect(try packets(test, "?limit=4&offset=10") == [])
        let bounds = "since=\(TestGateway.now + 60_000)&before=\(TestGateway.now + 4 * 60_000)"
        #expect(try packets(test, "?" + bounds) == [2, 3, 4])
        for query in ["?limit=4&offset=8", "?limit=4&offset=100", "?limit=100"] {
            #expect(try test.get(Self.path + query).json["total"] as? Int == 10)
        }
        #expect(try test.get(Self.path + "?limit=1&" + bounds).json["total"] as? Int == 3)
        #expect(
            JSONText(try test.get(Self.path).body).keys == ["success", "count", "total", "offset", "limit", "data"])
    }

    @Test func whatIsUnknownIsLeftOut() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { _ in }
        let id = test.id
        let bare = place(0, altitude: nil)
        try test.store.commit {
            try $0.insertPosition(bare, from: TestGateway.peer, packet: nil, in: id, at: TestGateway.now)
        }
        var full = place(1, altitude: 812)
        (full.groundSpeed, full.groundTrack) = (4, 9_200_000)
        try test.insert(full, packetID: 3_735_928_559, at: TestGateway.now + 1)
        #expect(
            try test.get(Self.path).text == #"{"success":true,"count":2,"total":2,"offset":0,"limit":1000,"data":["#
                + #"{"timestamp":1787300000000,"latitude":46.948,"longitude":7.447,"packetId":null},"#
                + #"{"timestamp":1787300000001,"latitude":46.948,"longitude":7.4470001,"altitude":812,"groundSpeed":4,"#
                + #""groundTrack":92,"snr":4.5,"hopStart":3,"hopLimit":2,"packetId":3735928559}]}"#)
    }

    @Test func anUnknownNodeHasNone() throws {
        let test = try gateway()
        for id in ["!99999999", "1", "!ffffffff", "nobody"] {
            let answer = try test.get("/api/v1/nodes/\(id)/position-history")
            #expect(
                answer.text == #"{"success":true,"count":0,"total":0,"offset":0,"limit":1000,"data":[]}"#, "\(id)")
        }
    }
}
