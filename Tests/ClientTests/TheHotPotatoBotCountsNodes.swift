import Testing

@testable import ServedProgram
@testable import StrictJSON

/// The HotPotato bot asks how many nodes there are: first without its token, then with it. The first list that is not
/// empty counts, bare or as `nodes` of an object.
@Test func theHotPotatoBotCountsNodes() throws {
    let mesh = try Mesh()
    let stranger = mesh.client(token: nil)
    let first = try stranger.get("/api/nodes")
    // MeshMonitor answers an empty list here. Nothing that is not 200 is read.
    #expect(first.status == 401)
    let answer = try mesh.client.get("/api/nodes").read(
        as: .list(
            .object([
                "nodeNum": .unsigned32, "user": .object(["id": .nodeID, "longName": .string, "shortName": .string]),
                "lastHeard": .orNull(.seconds),
            ])))
    let v1 = try mesh.client.get("/api/v1/nodes").strict["data"]?.rows ?? []
    #expect(!v1.isEmpty)
    #expect(answer.rows.count == v1.count)
    #expect(Set(answer.rows.map { $0["user"]?["id"]?.string }) == Set(v1.map { $0["nodeId"]?.string }))
}
