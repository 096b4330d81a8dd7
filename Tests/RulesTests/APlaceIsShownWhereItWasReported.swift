import Store
import Testing

@testable import Rules

/// Who enters a circle says where it is: what a rule tells of it takes the channel on which the place came.
@Suite struct APlaceIsShownWhereItWasReported {
    private static let inside = 0.005
    private static let rule = ["in": "when = enters circle 0,0 2 km"]
    private static let both: Set<FeedRow.Need> = [.node(channel: 0), .node(channel: 2)]

    private static let channels: [(UInt32?, Set<FeedRow.Need>)] = [
        (2, both), (0, [.node(channel: 0)]), (nil, [.node(channel: 0)]),
    ]

    @Test(arguments: channels) func byTwoReports(_ channel: UInt32?, _ needs: Set<FeedRow.Need>) throws {
        let mesh = FakeMesh()
        try mesh.use(Self.rule)
        try mesh.start()
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.inside, on: channel) }
        #expect(mesh.firings.map(\.row.needs) == [needs])
        let near = mesh.near.all(of: mesh.engine.active[0].rule)
        #expect(near.map(\.need) == [.node(channel: Int(channel ?? 0))])
    }

    @Test func byTime() throws {
        let mesh = FakeMesh()
        try mesh.use(Self.rule)
        try mesh.start()
        try mesh.locate(anna, 0, Self.inside, on: 2)
        try mesh.pass(11 * minute)
        #expect(mesh.firings.map(\.row.needs) == [Self.both])
    }

    @Test func overARestart() throws {
        let killed = try KilledMesh(Self.rule)
        try killed.mesh.locate(anna, 0, Self.inside, on: 2)
        try killed.kill()
        try killed.mesh.pass(10 * minute)
        #expect(killed.mesh.firings.map(\.row.needs) == [Self.both])
    }

    /// Also of a node that the rule does not mean.
    @Test func byANearMiss() throws {
        let mesh = FakeMesh()
        try mesh.use(["in": "when = enters circle 0,0 2 km\nnode = Bob"])
        try mesh.start()
        try mesh.locate(anna, 0, Self.inside, on: 2)
        #expect(mesh.near.all(of: mesh.engine.active[0].rule).map(\.need) == [.node(channel: 2)])
    }
}
