import MeshModel
import Store
import Testing

@testable import Rules

/// A node enters and leaves by what it has reported twice, or for ten minutes; what it reports vaguely is no crossing.
@Suite struct ACircleIsCrossedOnce {
    /// On the equator 0.01 degrees are 1.11 km.
    private static let inside = 0.005, outside = 0.05
    private static let rules = [
        "in": "when = enters circle 0,0 2 km", "out": "when = leaves circle 0,0 2 km",
    ]

    private func mesh(_ rules: [String: String] = rules) throws -> FakeMesh {
        let mesh = FakeMesh()
        try mesh.use(rules)
        try mesh.start()
        return mesh
    }

    @Test func twice() throws {
        let mesh = try mesh()
        try mesh.locate(anna, 0, Self.inside)
        #expect(mesh.told() == [])
        try mesh.pass(minute)
        try mesh.locate(anna, 0, Self.inside)
        #expect(mesh.told() == ["Anna has entered 2 km around 0,0"])
        try mesh.locate(anna, 0, Self.outside)
        try mesh.locate(anna, 0, Self.inside)
        try mesh.locate(anna, 0, Self.outside)
        #expect(mesh.told() == [])
        try mesh.locate(anna, 0, Self.outside)
        #expect(mesh.told() == ["Anna has left 2 km around 0,0"])
    }

    @Test func orForTenMinutes() throws {
        let mesh = try mesh()
        try mesh.locate(anna, 0, Self.inside)
        try mesh.pass(10 * minute - second)
        #expect(mesh.told() == [])
        try mesh.pass(second)
        #expect(mesh.told() == ["Anna has entered 2 km around 0,0"])
    }

    /// Nobody could have heard it say otherwise.
    @Test func ofALiveLink() throws {
        let mesh = try mesh()
        try mesh.locate(anna, 0, Self.inside)
        try mesh.link("lost")
        try mesh.pass(hour)
        #expect(mesh.told() == [])
        try mesh.link("live")
        try mesh.pass(10 * minute)
        #expect(mesh.told() == ["Anna has entered 2 km around 0,0"])
    }

    /// For longer than what has happened is told: that it is so is known only now.
    @Test func howeverLongTheRadioWasAway() throws {
        let mesh = try mesh()
        try mesh.locate(anna, 0, Self.inside)
        try mesh.link("lost")
        try mesh.pass(5 * hour)
        try mesh.link("live")
        try mesh.pass(10 * minute)
        #expect(mesh.told() == ["Anna has entered 2 km around 0,0"])
    }

    @Test func notBySilence() throws {
        let mesh = try mesh()
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.inside) }
        _ = mesh.told()
        try mesh.pass(72 * hour)
        #expect(mesh.told() == [])
    }

    /// 13 bits are 2.9 km: the middle of its cell may be outside while the node is not.
    @Test func notWhereItIsBlurred() throws {
        let mesh = try mesh()
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.inside, bits: 13) }
        #expect(mesh.told() == ["Anna has entered 2 km around 0,0"])
        for _ in 0..<5 { try mesh.locate(anna, 0, 0.04, bits: 13) }
        #expect(mesh.told() == [])
        for _ in 0..<2 { try mesh.locate(anna, 0, 0.06, bits: 13) }
        #expect(mesh.told() == ["Anna has left 2 km around 0,0"])
    }

    /// Two radios hear one report.
    @Test func notByOneReport() throws {
        let mesh = FakeMesh(radios: [home, cabin])
        try mesh.use(Self.rules)
        try mesh.start([home, cabin])
        for radio in [home, cabin] { try mesh.locate(anna, 0, Self.inside, packet: 7, radio) }
        #expect(mesh.told() == [])
        try mesh.locate(anna, 0, Self.inside, packet: 8, cabin)
        #expect(mesh.told() == ["Anna has entered 2 km around 0,0"])
    }

    /// Whoever is inside when the rule is read first has not entered.
    @Test func whatHeldBeforeIsNoNews() throws {
        let mesh = FakeMesh()
        try mesh.start()
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.inside) }
        try mesh.use(Self.rules)
        for _ in 0..<3 { try mesh.locate(anna, 0, Self.inside) }
        try mesh.pass(hour)
        #expect(mesh.told() == [])
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.outside) }
        #expect(mesh.told() == ["Anna has left 2 km around 0,0"])
    }

    /// What was inside before a restart is so after it, and a report that waited for the second one waits on.
    @Test func overARestart() throws {
        let killed = try KilledMesh(Self.rules)
        let mesh = killed.mesh
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.inside) }
        try mesh.locate(bob, 0, Self.outside)
        _ = mesh.told()
        try killed.kill()
        try mesh.pass(hour)
        #expect(mesh.told() == [])
        try mesh.locate(anna, 0, Self.outside)
        try mesh.locate(bob, 0, Self.inside)
        try killed.kill()
        try mesh.pass(10 * minute)
        #expect(mesh.told().sorted() == ["Anna has left 2 km around 0,0", "Bob has entered 2 km around 0,0"])
    }

    /// The radio that has heard a node last may not have heard its last report.
    @Test func byTheNewestPlace() throws {
        let mesh = FakeMesh(radios: [home, cabin])
        try mesh.start([home, cabin])
        try mesh.locate(anna, 0, Self.outside, home)
        try mesh.pass(minute)
        try mesh.locate(anna, 0, Self.inside, cabin)
        try mesh.pass(minute)
        try mesh.hear(anna, home)
        try mesh.use(Self.rules)
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.inside, cabin) }
        #expect(mesh.told() == [])
    }

    /// Another radio's place is nothing to a rule of one radio.
    @Test func byTheRulesRadio() throws {
        let mesh = FakeMesh(radios: [home, cabin])
        try mesh.start([home, cabin])
        try mesh.locate(anna, 0, Self.inside, home)
        try mesh.pass(minute)
        try mesh.locate(anna, 0, Self.outside, cabin)
        try mesh.use(["in": "when = enters circle 0,0 2 km\nradio = Home"])
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.inside, home) }
        #expect(mesh.told() == [])
    }

    /// Nodes of the radio's list often have a place of which nobody knows the time.
    @Test(arguments: [true, false]) func alsoByAPlaceWithoutATime(_ isRestarted: Bool) throws {
        let place = { (node: inout Node) in (node.latitude, node.longitude) = (0, Self.inside) }
        let mesh: FakeMesh
        if isRestarted {
            let killed = try KilledMesh(Self.rules)
            mesh = killed.mesh
            try mesh.hear(anna, origin: .listed, place)
            try killed.kill()
        } else {
            mesh = FakeMesh()
            try mesh.start()
            try mesh.hear(anna, origin: .listed, place)
            try mesh.use(Self.rules)
        }
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.inside) }
        try mesh.pass(hour)
        #expect(mesh.told() == [])
    }

    /// Its first report from outside waits for a second one, which does not come.
    @Test func notByANodeThatIsDeleted() throws {
        let mesh = try mesh()
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.inside) }
        _ = mesh.told()
        try mesh.locate(anna, 0, Self.outside)
        try mesh.locate(bob, 0, Self.inside)
        for node in [anna, bob] {
            mesh.nodes[home]?[node] = nil
            try mesh.take(.nodeDeleted(node, channel: 0))
        }
        try mesh.pass(hour)
        #expect(mesh.told() == [])
    }

    /// After an import, or when changes were missed of which nobody knows how many; at a start, too.
    @Test(arguments: [true, false]) func whatIsThereAtOnceIsNoNews(_ isAtStart: Bool) throws {
        let mesh = FakeMesh()
        try mesh.use(Self.rules)
        if !isAtStart {
            try mesh.start()
            for _ in 0..<2 { try mesh.locate(bob, 0, Self.inside) }
            _ = mesh.told()
        }
        for (number, name, longitude) in [(anna, "Anna", Self.inside), (bob, "Bob", Self.outside)] {
            var node = Node(number: number, createdAt: noon)
            (node.longName, node.lastHeard, node.positionTimestamp) = (name, mesh.now.at / 1000, mesh.now.at)
            (node.latitude, node.longitude) = (0, longitude)
            mesh.nodes[home]?[number] = node
        }
        try mesh.engine.missed(isUnknown: true, mesh, at: mesh.now)
        mesh.settle()
        if isAtStart { try mesh.start() }
        try mesh.pass(hour)
        #expect(mesh.told() == [])
        for _ in 0..<2 { try mesh.locate(anna, 0, Self.outside) }
        for _ in 0..<2 { try mesh.locate(bob, 0, Self.inside) }
        #expect(mesh.told() == ["Anna has left 2 km around 0,0", "Bob has entered 2 km around 0,0"])
    }

    @Test func forWhomTheRuleIs() throws {
        let mesh = try mesh(["in": "when = enters circle 0,0 2 km\nnode = Bob"])
        for node in [anna, bob, anna, bob] { try mesh.locate(node, 0, Self.inside) }
        #expect(mesh.told() == ["Bob has entered 2 km around 0,0"])
    }

    @Test(arguments: [
        (90.0, 0.0, 89.99, 180.0, 2_000.0, true), (-90, 10, -89.99, -170, 2_000, true),
        (0, 179.99, 0, -179.99, 3_000, true),
        (0, 179.99, 0, -179.9, 3_000, false), (52.5, 13.4, 52.5, 13.43, 2_100, true),
        (52.5, 13.4, 52.5, 13.43, 2_000, false),
        (90, 0, -90, 0, 20_000_000, false),
    ])
    func atThePolesAndTheDateLine(
        _ north: Double, _ east: Double, _ latitude: Double, _ longitude: Double, _ metres: Double, _ isInside: Bool
    ) {
        let circle = Circle(latitude: north, longitude: east, metres: metres)
        #expect((circle.side(latitude, longitude, precisionBits: nil) == .inside) == isInside)
    }

    @Test(arguments: [
        ("enters circle", "\"enters circle\" says no circle; write for example: enters circle 47.05,8.31 2 km"),
        ("enters circle 47.05 2 km", "\"47.05 2 km\" is no circle: one middle and one radius, no polygon"),
        ("leaves circle 47,8,46,7,45,6", "\"47,8,46,7,45,6\" is no circle"),
        ("enters circle 91,8 2 km", "\"91,8 2 km\" has no place"),
        ("enters circle 47,181 2 km", "\"47,181 2 km\" has no place"), ("enters circle 47,8", "\"\" is no distance"),
        ("enters circle 47,8 2", "\"2\" is no distance"), ("enters circle 47,8 5 m", "\"5 m\" is no distance"),
        ("enters circle 47,8 0 m", "\"0 m\" is no distance"),
        ("enters circle 47,8 -2 km", "\"-2 km\" is no distance"), ("waypoint within far", "\"far\" is no distance"),
        ("waypoint within", "\"waypoint within\" says no distance; write for example: waypoint within 10 km"),
    ])
    func whatCannotBe(_ when: String, _ text: String) {
        let file = RuleFile("when = \(when)", name: "rule", path: "")
        #expect(file.mistakes.first?.text.hasPrefix(text) == true, "\(file.mistakes)")
    }

    @Test(arguments: ["enters circle 47.05, 8.31 2km", "leaves circle -90,-180 500 m", "waypoint within 1.5 km"])
    func whatCanBe(_ when: String) {
        #expect(RuleFile("when = \(when)", name: "rule", path: "").mistakes == [])
    }

    @Test func aWaypointWithinReach() throws {
        let mesh = try mesh(["near": "when = waypoint within 10 km"])
        try mesh.hear(anna)
        let near = Waypoint(id: 5, latitudeI: 0, longitudeI: 500_000, name: "Hut")
        try mesh.point(near)
        #expect(mesh.told() == [], "nobody knows where the radio is")
        try mesh.hear(ownNode) { ($0.latitude, $0.longitude) = (0, 0) }
        try mesh.point(near)
        try mesh.point(Waypoint(id: 6, latitudeI: 0, longitudeI: 5_000_000, name: "Far"))
        #expect(mesh.told() == ["Anna shares a waypoint: Hut"])
    }
}
