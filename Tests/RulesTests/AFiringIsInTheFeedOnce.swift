import MeshModel
import Store
import Testing

@testable import Rules

/// What rules tell is in the feed once, through every restart, and an episode keeps its id.
@Suite struct AFiringIsInTheFeedOnce {
    private static let rules = [
        "battery": "when = battery below 20 %\nagain = battery above 25 %\nresolved = yes",
        "direct": "when = direct message",
    ]

    @Test func throughRestarts() throws {
        let mesh = try StoredMesh(Self.rules)
        try mesh.measure(bob, battery: 10)
        try mesh.write("one", id: 1)
        try mesh.work()
        // Of this the process knows nothing when it is killed.
        try mesh.write("two", id: 2)
        for _ in 0..<3 {
            mesh.kill()
            try mesh.start()
        }
        try mesh.measure(bob, battery: 90)
        try mesh.work()
        #expect(
            mesh.told == [
                "battery: begins: Bob: battery 10 %", "direct: Direct message from Anna",
                "direct: Direct message from Anna", "battery: ends: Bob: battery 90 % again",
            ])
        let rows = try mesh.feed()
        #expect(rows.map(\.body) == ["It is below 20 %.", "one", "two", "It was below 20 %."])
        #expect(rows[0].episode != nil && rows[0].episode == rows[3].episode && rows[0].uuid != rows[3].uuid)
        #expect(rows.allSatisfy { $0.source == mesh.source && !$0.needs.isEmpty })
    }

    /// What came to light late is in the log alone; of many there is one summary.
    @Test func afterHoursOfAbsence() throws {
        let mesh = try StoredMesh(Self.rules)
        try mesh.write("old", id: 1)
        try mesh.leave(2 * hour) {
            for id in 2...9 as ClosedRange<PacketID> { try mesh.write("new", id: id) }
        }
        #expect(mesh.told == ["direct: direct: 8 times while the gateway was away"])
        let fates = try mesh.logged("direct").map(\.fate)
        #expect(fates.count { $0 == .old } == 1 && fates.count { $0 == .counted } == 8)
    }

    /// A rule that nobody has any more leaves nothing open; the same file later is a new rule.
    @Test func aRuleThatIsGone() throws {
        let mesh = try StoredMesh(Self.rules)
        try mesh.measure(bob, battery: 10)
        try mesh.work()
        try mesh.use(["direct": "when = direct message"])
        #expect(try mesh.store.read { try $0.episodes() }.isEmpty)
        try mesh.measure(bob, battery: 9)
        try mesh.use(Self.rules)
        try mesh.pass(minute)
        try mesh.measure(bob, battery: 8)
        try mesh.pass(minute)
        try mesh.measure(bob, battery: 80)
        try mesh.work()
        #expect(mesh.told == ["battery: begins: Bob: battery 10 %"])
    }
}
