import Foundation
import MeshModel
import Platform
import Testing

@testable import RestAPI

/// A hop that a list of nodes would not show is one that did not tell its name.
@Suite struct HopsAreNamedAsNodesAre {
    private static let shown = NodeNumber(0x0A00)
    private static let hidden = NodeNumber(0x0B00)
    private static let paths = [
        "/api/v1/traceroutes", "/api/v1/traceroutes/!12345678/!abcdef12", "/api/sources/default/traceroutes",
        "/api/traceroutes/recent", "/api/traceroutes/history/305419896/2882400018",
    ]

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(Self.shown) { $0.channel = 0 }
        try test.update(Self.hidden) { $0.channel = 1 }
        return test
    }

    private func trace(_ test: TestGateway, _ packet: PacketID) throws {
        let (id, now) = (test.id, WallClock.milliseconds())
        let route = RouteDiscovery(
            route: [Self.shown, Self.hidden], snrTowards: [1, 2, 3], routeBack: [Self.hidden], snrBack: [4, 5])
        try test.store.commit {
            try $0.insertTraceroute(
                from: TestGateway.own, to: TestGateway.peer, packetID: packet, route: route, in: id, at: now)
        }
    }

    @Test(arguments: [
        (["traceroute:read"], "[4294967295,4294967295]", "[4294967295]"),
        (["traceroute:read", "nodes:read"], "[4294967295,4294967295]", "[4294967295]"),
        (["traceroute:read", "nodes:read", "channel_0:viewOnMap"], "[2560,4294967295]", "[4294967295]"),
        (["traceroute:read", "nodes:read", "channel_1:viewOnMap"], "[4294967295,2816]", "[2816]"),
        (["read"], "[2560,2816]", "[2816]"),
    ])
    func inEveryListAndEvent(_ scopes: [String], _ there: String, _ back: String) throws {
        let test = try gateway()
        let token = try test.token(scopes)
        let reader = try EventReader(test, as: token)
        _ = try reader.read()
        try trace(test, 5)
        let row = #""route":"\#(there)","routeBack":"\#(back)","snrTowards":"[1,2,3]""#
        for path in Self.paths {
            let answer = try test.ask("GET", path, as: token)
            #expect(answer.status == 200 && answer.text.contains(row), "\(path): \(answer.text)")
        }
        #expect(try reader.read().contains { $0.kind == "traceroute" && $0.data.contains(row) })
    }
}
