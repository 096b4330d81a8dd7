import MeshModel
import Store
import Testing

@testable import Rules

/// An example beside rules that are there: what they tell already is not told twice.
@Suite struct HealthLeavesToOthersWhatTheyTell {
    private func overlap(_ example: String, _ rules: [String: String]) throws -> ExampleOverlap {
        let all = ExampleRule.all + ExampleRule.health
        return try #require(all.first { $0.name == example }).overlap(
            with: rules.sorted { $0.key < $1.key }.compactMap { RuleFile($1, name: $0, path: "").rule })
    }

    @Test(
        arguments: [
            ("health-battery", "when = battery below 20 %\nnode = favourites", "not favourites"),
            ("health-battery", "when = battery below 25 %\nnode = Hut, favourites", "not favourites, Hut"),
            ("health-battery", "when = battery below 20 %\nnode = not Hut", "Hut"),
            ("health-silent", "when = node silent for 12h\nnode = Summit hut", "not Summit hut"),
            ("health-battery", "when = battery below 20 %", nil), ("health-rebooted", "when = rebooted", nil),
            ("health-channel-use", "when = channel use above 40 % for 15m", nil),
            ("battery", "when = battery below 20 %\nknown = 7d\npace = 1d", nil),
        ] as [(String, String, String?)])
    func whatIsLeft(_ example: String, _ rule: String, _ rest: String?) throws {
        let expected = rest.map { ExampleOverlap.some(by: "other", rest: $0) } ?? .all(by: "other")
        #expect(try overlap(example, ["other": rule]) == expected)
    }

    /// It tells something else, or later, or of some nodes by another condition.
    @Test(arguments: [
        ("health-battery", "when = battery below 5 %"), ("health-battery", "when = battery above 90 %"),
        ("health-battery", "when = battery below 20 %\nenabled = no"),
        ("health-battery", "when = battery below 20 %\nrole = router"), ("health-silent", "when = node silent for 2d"),
        ("silent", "when = node silent for 1d"), ("direct-message", "when = direct message"),
        ("health-channel-use", "when = channel use above 60 %"),
    ])
    func whatIsAnother(_ example: String, _ rule: String) throws {
        #expect(try overlap(example, ["other": rule]) == .none)
    }

    @Test func theFirstBlockOfThePageTellsNothingTwice() throws {
        let battery = try #require(ExampleRule.all.first { $0.name == "battery" }).text()
        let silent = try #require(ExampleRule.all.first { $0.name == "silent" }).text(node: "Summit hut")
        let rules = ["battery": battery, "silent": silent]
        #expect(try overlap("health-battery", rules) == .some(by: "battery", rest: "not favourites"))
        #expect(try overlap("health-silent", rules) == .some(by: "silent", rest: "not Summit hut"))
        let carried = "# Fires when a favourite has not been heard for twelve hours. A node that somebody carries is no"
        #expect(silent.hasPrefix(carried) && silent.contains("when = node silent for 12h\n"))
    }

    /// How many it is for, whom nobody knows, and whether there are favourites at all.
    @Test func whomARuleWatches() throws {
        let mesh = FakeMesh()
        for (number, name) in [(anna, "Summit hut"), (bob, "Bob")] {
            try mesh.hear(number) { node in (node.longName, node.createdAt) = (name, noon - 30 * 24 * hour) }
        }
        try mesh.hear(NodeNumber(0x77)) { $0.longName = "Passer-by" }
        func watched(_ text: String) throws -> WatchedNodes {
            let rule = try #require(RuleFile(text, name: "rule", path: "").rule)
            return try WatchedNodes(rule, mesh, at: mesh.now.at)
        }
        #expect(try watched("when = node silent for 1d").count == 3)
        #expect(try watched("when = node silent for 1d\nknown = 7d").count == 2)
        #expect(try watched("when = channel use above 40 %").count == nil)
        #expect(try watched("when = direct message").count == nil)
        let named = try watched("when = battery below 20 %\nnode = Sumit hut, bob, !00000099")
        #expect(
            named.count == 1
                && named.strangers == [
                    .init(name: "Sumit hut", similar: "Summit hut"), .init(name: "!00000099", similar: nil),
                ])
        #expect(try watched("when = battery below 20 %\nnode = favourites").lacksFavourites)
        try mesh.hear(bob) { $0.isFavorite = true }
        #expect(try !watched("when = battery below 20 %\nnode = favourites").lacksFavourites)
    }

    /// What is so already when a rule is read is known at once, also a value; it is told when it begins again.
    @Test func whatIsSoAlready() throws {
        let mesh = FakeMesh()
        try mesh.use([:])
        try mesh.start()
        try mesh.measure(anna, ["batteryLevel": 10])
        try mesh.measure(bob, ["batteryLevel": 90])
        try mesh.use(["battery": "when = battery below 20 %"])
        #expect(mesh.engine.openEpisodes(of: "battery").map(\.subject) == ["node:!a11ce001"])
        for level in [12, 90, 15] as [Double] {
            try mesh.pass(minute)
            try mesh.measure(anna, ["batteryLevel": level])
        }
        #expect(mesh.told() == ["begins: Anna: battery 15 %"])
    }
}
