import Testing

@testable import Rules

/// The trigger came and a condition failed: which one, with what was found.
@Suite struct ANearMissSaysWhy {
    private func misses(_ mesh: FakeMesh) -> [String] {
        let rule = mesh.engine.active.first { $0.rule.name == "rule" }?.rule
        return mesh.engine.near.all(of: "rule").map { $0.described(of: rule).condition }
    }

    @Test(arguments: [
        ("hops = 0..2", "hops 3, wanted 0..2"), ("words = sos", "none of its words"),
        ("ignore = hello", "a word that it ignores"),
        ("matches = ^sos", "its pattern is not there"), ("node = Bob", "a node that the rule does not mean"),
        ("channel = 1 2", "another channel, wanted 1 2"), ("role = router", "another role"),
        ("radio = Cabin", "another radio"),
        ("via = mqtt", "it did not come over MQTT"),
    ])
    func ofAMessage(_ line: String, _ why: String) throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = message\n\(line)"])
        try mesh.start()
        try mesh.write("hello", id: 1) { ($0.hopStart, $0.hopLimit) = (3, 0) }
        #expect(misses(mesh) == [why])
        #expect(mesh.engine.near.all(of: "rule").first?.node == anna)
        #expect(mesh.told() == [])
    }

    @Test func ofAMute() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = message"])
        try mesh.start()
        mesh.mutes = [.channel(0): .until(mesh.now.at + hour)]
        try mesh.write("hello", id: 1)
        #expect(misses(mesh) == ["muted"])
    }

    @Test func ofAnEpisodeThatLasts() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = battery below 20 %"])
        try mesh.start()
        for level in [15, 14] as [Double] { try mesh.measure(anna, ["batteryLevel": level]) }
        #expect(misses(mesh).map { $0.hasPrefix("still the same episode, since ") } == [true])
    }

    @Test func ofAWaypoint() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = waypoint within 10 km"])
        try mesh.start()
        try mesh.hear(anna)
        try mesh.point(.init(id: 5, latitudeI: 0, longitudeI: 5_000_000, name: "Far"))
        try mesh.hear(ownNode) { ($0.latitude, $0.longitude) = (0, 0) }
        try mesh.pass(second)
        try mesh.point(.init(id: 5, latitudeI: 0, longitudeI: 5_000_000, name: "Far"))
        #expect(misses(mesh) == ["too far away", "nobody knows where the radio is"])
    }

    @Test func fiftyAreKept() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = message\nwords = sos"])
        try mesh.start()
        for id in 1...120 as ClosedRange<UInt32> { try mesh.write("hello", id: id) }
        let all = mesh.engine.near.all(of: "rule")
        #expect(all.count == 50)
        #expect(all.first?.messageID?.hasSuffix("_120") == true && all.last?.messageID?.hasSuffix("_71") == true)
    }
}
