import Foundation
import MeshModel
import Store
import Testing

@testable import RestAPI

/// Nodes move. A route of last week is drawn by the positions of last week, and says on which channel its answer came.
@Suite struct AnOldRouteIsDrawnWhereItsNodesWere {
    private static let hop = NodeNumber(0x0C0F_FEE0)
    private static let now = TestGateway.now

    /// Peer was at 46.1 an hour before the answer, and at 46.3 an hour after; the hop never told where it is.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let id = test.id
        try test.update(TestGateway.peer) { $0.channel = 0 }
        try test.update(Self.hop) { $0.channel = 0 }
        try test.store.commit { writer in
            for (latitude, time) in [(461_000_000, -3_600_000), (462_000_000, -1), (463_000_000, 3_600_000)] {
                var position = Position()
                (position.latitudeI, position.longitudeI, position.altitude) = (Int32(latitude), 65_000_000, 900)
                try writer.insertPosition(
                    position, from: TestGateway.peer, packet: nil, in: id, at: Self.now + Int64(time))
            }
            try writer.insertTraceroute(
                from: TestGateway.own, to: TestGateway.peer, packetID: 1, route: nil, in: id, at: Self.now - 5000)
            var answer = MeshPacket(
                from: TestGateway.peer, to: TestGateway.own, channel: 2, id: 99,
                payload: .decoded(MeshData(port: .traceroute, payload: [])))
            (answer.hopStart, answer.hopLimit) = (3, 2)
            try writer.insertDerived([.init(.messageHops, 1)], of: TestGateway.peer, from: answer, in: id, at: Self.now)
            try writer.completeTraceroute(
                from: TestGateway.own, to: TestGateway.peer, requestID: 1, packetID: 99,
                route: RouteDiscovery(route: [Self.hop, .broadcast]), in: id, at: Self.now)
        }
        return test
    }

    private func row(_ test: TestGateway, _ path: String = "/api/v1/traceroutes", as scopes: [String] = ["admin"])
        throws
        -> NSDictionary
    {
        let answer = try test.ask("GET", path, as: try test.token(scopes))
        let json = try JSONSerialization.jsonObject(with: Data(answer.body))
        let list = (json as? [NSDictionary]) ?? (json as? NSDictionary)?["data"] as? [NSDictionary]
        return try #require(list?.first ?? (json as? NSDictionary)?["data"] as? NSDictionary, "\(answer.text)")
    }

    @Test(arguments: [
        "/api/v1/traceroutes", "/api/v1/traceroutes/!12345678/!abcdef12", "/api/sources/default/traceroutes",
        "/api/traceroutes/history/305419896/2882400018",
    ])
    func onEachRoute(_ path: String) throws {
        let row = try row(try gateway(), path)
        #expect(row["routePositions"] as? String == #"{"2882400018":{"lat":46.2,"lng":6.5,"alt":900}}"#)
        #expect(row["channel"] as? Int == 2)
    }

    @Test func aRequestHasNeither() throws {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit {
            try $0.insertTraceroute(
                from: TestGateway.own, to: TestGateway.peer, packetID: 1, route: nil, in: id, at: Self.now)
        }
        let row = try row(test)
        #expect(row["routePositions"] is NSNull && row["channel"] is NSNull)
    }

    /// Where nodes are is for those who may see the nodes.
    @Test(arguments: [["traceroute:read"], ["traceroute:read", "nodes:read", "channel_3:viewOnMap"]])
    func notToEverybody(_ scopes: [String]) throws {
        #expect(try row(try gateway(), as: scopes)["routePositions"] is NSNull)
    }
}
