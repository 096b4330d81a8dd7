import MeshModel
import Store
import Testing

@testable import Rules

/// `known = 7d`: nodes that were first heard so long before they were last heard; favourites at once.
@Suite struct ANodeIsKnownAfterAWhile {
    private static let day = 24 * hour

    private func mesh(_ text: String) throws -> FakeMesh {
        let mesh = FakeMesh()
        try mesh.use(["rule": text])
        try mesh.start()
        return mesh
    }

    /// It is silent for a month, and nobody is told: a stranger does not become known by being silent.
    @Test func aPasserBy() throws {
        let mesh = try mesh("when = node silent for 12h\nknown = 7d")
        let firstHeard = localTime(mesh.now.at, from: mesh.now.at + 2 * Self.day)
        try mesh.hear(anna)
        try mesh.pass(Self.day)
        try mesh.hear(anna)
        try mesh.pass(30 * Self.day)
        #expect(mesh.told() == [])
        #expect(mesh.misses() == ["not known for 7 d yet: first heard \(firstHeard)"])
    }

    @Test func whoIsHeardForAWeek() throws {
        let mesh = try mesh("when = node silent for 12h\nknown = 7d")
        for _ in 0..<14 {
            try mesh.hear(anna)
            try mesh.pass(12 * hour - second)
        }
        try mesh.hear(anna)
        try mesh.pass(Self.day)
        #expect(mesh.told() == [])
        try mesh.hear(anna)
        try mesh.pass(Self.day)
        #expect(mesh.told() == ["begins: Anna has been silent for 12 h"])
    }

    /// Also when it becomes one while it is silent.
    @Test func aFavourite() throws {
        let mesh = try mesh("when = node silent for 12h\nknown = 7d")
        try mesh.hear(anna) { $0.isFavorite = true }
        try mesh.hear(bob)
        try mesh.pass(Self.day)
        #expect(mesh.told() == ["begins: Anna has been silent for 12 h"])
        let heard = mesh.nodes[home]?[bob]?.lastHeard
        try mesh.hear(bob, origin: .ours) { ($0.isFavorite, $0.lastHeard) = (true, heard) }
        try mesh.pass(second)
        #expect(mesh.told() == ["begins: Bob has been silent for 12 h"])
    }

    /// Another radio may know it for longer.
    @Test func whicheverRadioHeardIt() throws {
        let mesh = FakeMesh(radios: [home, cabin])
        try mesh.use(["rule": "when = battery below 20 %\nknown = 7d"])
        try mesh.start([home, cabin])
        try mesh.hear(anna, home)
        try mesh.pass(8 * Self.day)
        try mesh.measure(anna, ["batteryLevel": 10], cabin)
        #expect(mesh.told() == ["begins: Anna: battery 10 %"])
    }

    @Test(
        arguments: [
            ("battery below 20 %", { @Sendable in try $0.measure(anna, ["batteryLevel": 10]) }),
            ("direct message", { @Sendable in try $0.write("x", channel: -1, id: 1) }),
            (
                "rebooted",
                { @Sendable mesh in
                    for value in [900, 10] as [Double] { try mesh.measure(anna, ["uptimeSeconds": value]) }
                }
            ),
            ("waypoint", { @Sendable in try $0.point(Waypoint(id: 5, latitudeI: 1, longitudeI: 2, name: "Hut")) }),
        ] as [(String, @Sendable (FakeMesh) throws -> Void)])
    func whateverItIsAbout(_ when: String, _ happens: @Sendable (FakeMesh) throws -> Void) throws {
        for isKnown in [false, true] {
            let mesh = try mesh("when = \(when)\nknown = 7d")
            try mesh.hear(anna)
            if isKnown { try mesh.pass(7 * Self.day) }
            try mesh.hear(anna)
            try happens(mesh)
            #expect(mesh.told().count == (isKnown ? 1 : 0))
            #expect(mesh.misses().first?.hasPrefix("not known for 7 d yet") != isKnown)
        }
    }

    /// Our radio is known from the first day.
    @Test func theOwnRadio() throws {
        let mesh = try mesh("when = rebooted\nknown = 7d")
        try mesh.happen(Happening(.restart, at: mesh.now.at, source: home))
        #expect(mesh.told() == ["Base Camp has started again"])
    }

    @Test(arguments: [
        ("when = new node\nknown = 7d", "known cannot be with \"new node\": a new node is not known yet"),
        ("when = radio lost\nknown = 7d", "known cannot be with \"radio lost\": it is about no node"),
        ("when = mention\nknown = yes", "\"yes\" is no time"),
        ("when = mention\nknow = 7d", "unknown key \"know\"; did you mean \"known\"?"),
    ])
    func aMistake(_ text: String, _ words: String) {
        let file = RuleFile(text, name: "rule", path: "")
        #expect(file.mistakes.first?.text.hasPrefix(words) == true, "\(file.mistakes)")
    }
}
