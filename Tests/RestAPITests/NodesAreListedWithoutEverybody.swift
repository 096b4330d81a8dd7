import Glibc
import MeshModel
import Testing

@testable import RestAPI

@Suite struct NodesAreListedWithoutEverybody {
    private static let seconds = Int64(time(nil))

    /// Three nodes, last heard now, three days ago and never; updated in the opposite order.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        for (index, heard) in [nil, Self.seconds - 3 * 86_400, Self.seconds - 60].enumerated() {
            try test.update(NodeNumber(UInt32(10 + index)), at: TestGateway.now - Int64(index) * 1000) {
                $0.lastHeard = heard
            }
        }
        return test
    }

    /// query -> ids in order
    @Test(arguments: [
        ("", ["!0000000a", "!0000000b", "!0000000c"]), ("?limit=1000", ["!0000000a", "!0000000b", "!0000000c"]),
        ("?active=false", ["!0000000a", "!0000000b", "!0000000c"]),
        ("?active=1", ["!0000000a", "!0000000b", "!0000000c"]),
        ("?sinceDays=1", ["!0000000a", "!0000000b", "!0000000c"]), ("?active=true", ["!0000000c", "!0000000b"]),
        ("?active=true&sinceDays=2", ["!0000000c"]), ("?active=true&sinceDays=", ["!0000000c", "!0000000b"]),
        ("?active=true&sinceDays=x", []), ("?active=true&sinceDays=-1", []), ("?active=true&sinceDays=0", []),
        ("?active=true&sinceDays=99999999999999999999", ["!0000000c", "!0000000b"]),
    ])
    func lists(_ query: String, _ ids: [String]) throws {
        let answer = try gateway().get("/api/v1/nodes" + query)
        #expect(answer.status == 200)
        #expect(try answer.rows.map { $0["nodeId"] as? String } == ids)
        #expect(try answer.json["count"] as? Int == ids.count)
    }

    @Test func everybodyIsNoNode() throws {
        let test = try gateway()
        try test.update(.broadcast) { $0.longName = "Broadcast" }
        #expect(try test.get("/api/v1/nodes").rows.count == 3)
        #expect(try test.get("/api/v1/nodes/!ffffffff").status == 404)
    }

    @Test(arguments: ["10", "0000000a", "!0000000A", "!a", "!0000000f", "!", "broadcast", "!0000000a%20"])
    func onlyTheExactIDIsFound(_ id: String) throws {
        let test = try gateway()
        let answer = try test.get("/api/v1/sources/default/nodes/" + id)
        #expect(answer.status == 404)
        let shown = id == "!0000000a%20" ? "!0000000a " : id
        #expect(answer.message == "Node \(shown) not found in source \(test.uuid)")
        #expect(try test.get("/api/v1/nodes/!0000000a").data["nodeNum"] as? Int == 10)
    }

    /// Clients know a node by its `nodeId`; an `id` would be taken before it.
    @Test func rowsHaveNoID() throws {
        let row = try gateway().get("/api/v1/nodes").rows[0]
        #expect(row["id"] == nil)
    }
}
