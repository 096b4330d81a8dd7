import MeshModel
import Store
import Testing

@testable import Rules

/// Others may have spoken of a node days before it is heard: that makes its row older, and the news no less new.
@Suite struct ANodeIsNewWhenItIsHeard {
    private func mesh(_ radios: [SourceID]) throws -> FakeMesh {
        let mesh = FakeMesh(radios: radios)
        try mesh.start(radios)
        return mesh
    }

    /// A route or a list of neighbours has named it.
    private func mention(_ number: NodeNumber, _ source: SourceID, _ mesh: FakeMesh) {
        mesh.nodes[source]?[number] = Node(number: number, createdAt: mesh.now.at)
    }

    @Test func alsoDaysAfterOthersSpokeOfIt() throws {
        let mesh = try mesh([home])
        try mesh.use(["new": "when = new node"])
        mention(bob, home, mesh)
        try mesh.pass(72 * hour)
        try mesh.hear(bob)
        #expect(mesh.firings.map(\.row.createdAt) == [mesh.now.at / 1000 * 1000])
        #expect(mesh.told() == ["New node: Bob"])
    }

    /// The same on a database.
    @Test func asItIsStored() throws {
        let mesh = try StoredMesh(["new": "when = new node"])
        try mesh.change { writer, source, now in try writer.insertMentionedNode(bob, in: source, at: now) }
        try mesh.pass(72 * hour)
        #expect(mesh.told == [])
        try mesh.hear(bob)
        try mesh.work()
        #expect(mesh.told == ["new: New node: Bob"])
    }

    /// It has heard the node a day ago, before there was the rule.
    @Test func butNotWhenAnotherRadioKnowsIt() throws {
        let mesh = try mesh([home, cabin])
        mention(bob, home, mesh)
        try mesh.pass(24 * hour)
        try mesh.hear(bob, cabin)
        try mesh.use(["new": "when = new node"])
        try mesh.pass(24 * hour)
        try mesh.hear(bob, home)
        #expect(mesh.told() == [])
    }

    @Test func onceWhenBothHearIt() throws {
        let mesh = try mesh([home, cabin])
        try mesh.use(["new": "when = new node"])
        mention(bob, cabin, mesh)
        try mesh.pass(24 * hour)
        mention(bob, home, mesh)
        try mesh.pass(24 * hour)
        for radio in [home, cabin] { try mesh.hear(bob, radio) }
        #expect(mesh.told() == ["New node: Bob"])
    }
}
