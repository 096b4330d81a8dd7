import Foundation
import MeshModel
import Platform
import Routes
import Testing

@testable import RestAPI

@Suite struct LinksNameOnlyWhatMayBeSeen {
    /// Each hears the other, told by a report of each: on channel 1, beside a third one on channel 2.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let (id, now) = (test.id, WallClock.milliseconds())
        for (number, channel) in [(0x100, 1), (0x200, 1), (0x300, 2)] as [(UInt32, Int)] {
            try test.update(NodeNumber(number)) { ($0.longName, $0.channel) = ("n\(number)", channel) }
        }
        try test.store.commit { writer in
            let one = NeighborInfo(
                number: NodeNumber(0x200), lastSentBy: NodeNumber(0x200), broadcastInterval: 900,
                neighbors: [.init(number: NodeNumber(0x100), snr: 5)])
            try writer.replaceNeighbors(one, in: id, at: now)
            let both = NeighborInfo(
                number: NodeNumber(0x100), lastSentBy: NodeNumber(0x100), broadcastInterval: 900,
                neighbors: [.init(number: NodeNumber(0x200), snr: -12), .init(number: NodeNumber(0x300), snr: 3)])
            try writer.replaceNeighbors(both, in: id, at: now)
        }
        return test
    }

    private func links(_ test: TestGateway, _ scopes: [String], _ query: String = "") throws -> [String] {
        try test.ask("GET", "/api/v1/links" + query, as: try test.token(scopes)).rows.map { row in
            let ends = ["from", "to"].map { (row[$0] as? [String: Any])?["nodeId"] as? String ?? "?" }
            let snr = (row["snr"] as? [String: Any])?["p50"] as? Double ?? 0
            return "\(ends[0])>\(ends[1]) \(snr)"
        }
    }

    @Test func eachDirectionForItself() throws {
        let test = try gateway()
        #expect(
            try links(test, ["admin"], "?worst=true") == [
                "!00000200>!00000100 -12.0", "!00000300>!00000100 3.0", "!00000100>!00000200 5.0",
            ])
        #expect(try links(test, ["admin"], "?since=\(WallClock.milliseconds() + 60_000)").isEmpty)
    }

    @Test func withBothEnds() throws {
        let test = try gateway()
        #expect(try links(test, ["info:read"]).isEmpty)
        #expect(
            try Set(links(test, ["info:read", "channel_1:viewOnMap"])) == [
                "!00000200>!00000100 -12.0", "!00000100>!00000200 5.0",
            ])
        #expect(try links(test, ["info:read", "channel_2:viewOnMap"]).isEmpty)
        let refused = try test.ask("GET", "/api/v1/links", as: try test.token(["nodes:read", "channels:read"]))
        #expect(refused.status == 403)
    }

    /// As every list of nodes: who reads no nodes gets their numbers alone.
    @Test func namesAreForWhoReadsNodes() throws {
        let test = try gateway()
        func name(_ scopes: [String]) throws -> String? {
            let row = try test.ask("GET", "/api/v1/links?worst=true", as: try test.token(scopes)).rows.first
            return (row?["from"] as? [String: Any])?["longName"] as? String
        }
        #expect(try name(["info:read", "channel_1:viewOnMap"]) == "Node !00000200")
        #expect(try name(["info:read", "channel_1:viewOnMap", "nodes:read"]) == "n512")
    }
}
