import MeshModel
import Testing

@testable import Rules

/// A state is told when it begins, and no more while it lasts, unless the rule asks for that.
@Suite struct AnEpisodeIsToldOnce {
    private func mesh(_ text: String) throws -> FakeMesh {
        let mesh = FakeMesh()
        try mesh.use(["rule": text])
        try mesh.start()
        try mesh.hear(anna)
        #expect(mesh.told() == [])
        return mesh
    }

    /// Around its threshold for a day: one telling.
    @Test func aBatteryThatJumps() throws {
        let mesh = try mesh("when = battery below 20 %\nagain = battery above 25 %")
        for round in 0..<144 {
            try mesh.measure(anna, ["batteryLevel": round % 2 == 0 ? 19 : 24])
            try mesh.pass(10 * minute)
        }
        #expect(mesh.told() == ["begins: Anna: battery 19 %"])
        try mesh.measure(anna, ["batteryLevel": 26])
        try mesh.measure(anna, ["batteryLevel": 12])
        #expect(mesh.told() == ["begins: Anna: battery 12 %"], "the end is told when the rule says so")
    }

    @Test func withoutAgainItEndsFivePercentFurther() throws {
        let mesh = try mesh("when = temperature above 40\nresolved = yes")
        for value in [41, 39, 38.5, 41, 38, 41, 37.9] { try mesh.measure(anna, ["temperature": value]) }
        #expect(mesh.told() == ["begins: Anna: temperature 41 °C", "ends: Anna: temperature 37.9 °C again"])
    }

    @Test func repeatedWhileItLasts() throws {
        let mesh = try mesh("when = battery below 20 %\nrepeat = 24h\nresolved = yes")
        try mesh.measure(anna, ["batteryLevel": 10])
        try mesh.pass(49 * hour)
        try mesh.measure(anna, ["batteryLevel": 90])
        try mesh.pass(49 * hour)
        let episodes = Set(mesh.firings.compactMap(\.row.episode))
        let ids = Set(mesh.firings.map(\.row.uuid))
        #expect(episodes.count == 1 && ids.count == 4)
        #expect(
            mesh.told() == [
                "begins: Anna: battery 10 %", "lasts: Anna: battery still 10 %", "lasts: Anna: battery still 10 %",
                "ends: Anna: battery 90 % again",
            ])
    }

    @Test func eachNodeHasItsOwn() throws {
        let mesh = try mesh("when = battery below 20 %")
        try mesh.measure(anna, ["batteryLevel": 10])
        try mesh.measure(bob, ["batteryLevel": 11])
        #expect(mesh.told() == ["begins: Anna: battery 10 %", "begins: Bob: battery 11 %"])
    }

    @Test func aKeyInDoubtUntilAPersonDecides() throws {
        let mesh = try mesh("when = key changed\nresolved = yes")
        func doubt(_ key: PublicKey?) throws { try mesh.hear(anna) { $0.announcedKey = key } }
        try doubt(.of(7))
        try mesh.happen(.init(.key, at: mesh.now.at, source: home, node: anna, name: "key-changed"))
        try mesh.happen(.init(.key, at: mesh.now.at, source: home, node: anna, name: "key-changed"))
        try doubt(nil)
        #expect(mesh.told() == ["begins: Anna has another key than before", "ends: Anna's key is settled"])
    }

    /// What is announced after a person has decided to keep the known key is no doubt: it begins nothing, nor does a start.
    @Test func aKeptKeyBeginsNothingAnyMore() throws {
        let mesh = try mesh("when = key changed\nresolved = yes")
        try mesh.hear(anna) { $0.announcedKey = .of(7) }
        try mesh.happen(.init(.key, at: mesh.now.at, source: home, node: anna, name: "key-changed"))
        try mesh.hear(anna) { ($0.announcedKey, $0.isKeyManuallyVerified) = (nil, true) }
        #expect(mesh.told() == ["begins: Anna has another key than before", "ends: Anna's key is settled"])
        try mesh.hear(anna) { $0.announcedKey = .of(8) }
        try mesh.happen(.init(.key, at: mesh.now.at, source: home, node: anna, name: "key-announced"))
        try mesh.engine.compareDoubts(mesh, at: mesh.now)
        #expect(mesh.told().isEmpty && mesh.engine.episodes.isEmpty)
    }

    @Test func aProblemByItsName() throws {
        let mesh = try mesh("when = problem region-unset")
        for name in ["region-unset", "other", "region-unset"] {
            try mesh.happen(.init(.problem, at: mesh.now.at, source: home, name: name))
        }
        try mesh.happen(.init(.solved, at: mesh.now.at, source: home, name: "region-unset"))
        #expect(mesh.told() == ["begins: The radio has no region", "ends: Solved: The radio has no region"])
    }

    /// It concerns no radio, and has no row of what happened: rules compare what holds with what is open.
    @Test func aProblemOfTheGatewayItself() throws {
        let mesh = try mesh("when = problem share-closed")
        try mesh.gateway(has: ["share-closed", "changes-dropped"])
        try mesh.gateway(has: ["share-closed"])
        try mesh.gateway(has: [])
        #expect(mesh.told() == ["begins: A shared port is closed", "ends: Solved: A shared port is closed"])
    }

    @Test func theOwnRadiosValuesWithoutANode() throws {
        let mesh = try mesh("when = channel use above 25 %")
        try mesh.measure(anna, ["channelUtilization": 80])
        #expect(mesh.told() == [])
        try mesh.measure(ownNode, ["channelUtilization": 30])
        #expect(mesh.told() == ["begins: Base Camp: channel use 30 %"])
    }

    @Test func aDiskThatCannotBeWritten() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = storage failing"])
        // It has no gate: at once after the start, without a radio.
        try mesh.engine.caughtUp(mesh, at: mesh.now)
        try mesh.storage(failingSince: mesh.now.at)
        try mesh.storage(failingSince: mesh.now.at)
        try mesh.storage(failingSince: nil)
        #expect(mesh.told() == ["begins: Nothing can be stored", "ends: The disk can be written again"])
    }
}
