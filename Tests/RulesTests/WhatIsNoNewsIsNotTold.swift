import MeshModel
import Store
import Testing

@testable import Rules

/// Nothing fires for what was known, for what nobody can know yet, or for what is long ago.
@Suite struct WhatIsNoNewsIsNotTold {
    @Test func whatHeldWhenTheRuleWasRead() throws {
        let mesh = FakeMesh()
        try mesh.use([:])
        try mesh.start()
        try mesh.hear(anna)
        try mesh.measure(anna, ["batteryLevel": 10])
        try mesh.pass(7 * hour)
        try mesh.use([
            "battery": "when = battery below 20 %\nresolved = yes",
            "silent": "when = node silent for 6h\nresolved = yes",
        ])
        try mesh.measure(anna, ["batteryLevel": 9])
        try mesh.hear(anna)
        try mesh.measure(anna, ["batteryLevel": 90])
        #expect(mesh.told() == [], "open and untold, to its end")
        try mesh.measure(anna, ["batteryLevel": 9])
        #expect(mesh.told() == ["begins: Anna: battery 9 %"])
    }

    /// What waits for its gate begins when that opens.
    @Test func whileTheGatewayIsYoungOrTheRadioAway() throws {
        let mesh = FakeMesh()
        try mesh.use(["battery": "when = battery below 20 %"])
        try mesh.engine.caughtUp(mesh, at: mesh.now)
        try mesh.link("live")
        try mesh.measure(anna, ["batteryLevel": 10])
        try mesh.measure(bob, ["batteryLevel": 10])
        try mesh.pass(minute)
        #expect(mesh.told() == [])
        try mesh.measure(bob, ["batteryLevel": 50])
        try mesh.pass(2 * minute)
        #expect(mesh.told() == ["begins: Anna: battery 10 %"], "what no longer holds does not begin")
        try mesh.link("lost")
        try mesh.measure(bob, ["batteryLevel": 10])
        #expect(mesh.told() == [])
        try mesh.link("live")
        #expect(mesh.told() == ["begins: Bob: battery 10 %"])
    }

    @Test(arguments: [StoredChange.Origin.listed, .replayed, .late, .decryptedLater, .corrected])
    func whatWasNotHeardJustNow(_ origin: StoredChange.Origin) throws {
        let mesh = FakeMesh()
        try mesh.use(["a": "when = battery below 20 %", "b": "when = new node", "c": "when = waypoint"])
        try mesh.start()
        try mesh.hear(anna, origin: origin)
        try mesh.measure(anna, ["batteryLevel": 10], origin: origin)
        #expect(mesh.told() == [])
    }

    @Test func aTextThatComesLateIsNews() throws {
        let mesh = FakeMesh()
        try mesh.use(["a": "when = direct message"])
        try mesh.start()
        try mesh.hear(anna)
        try mesh.write("hello", channel: -1, id: 1, origin: .late)
        try mesh.write("imported", channel: -1, id: 2, origin: .corrected)
        #expect(mesh.told() == ["Direct message from Anna"])
    }

    @Test func aChangedFileIsANewRule() throws {
        let mesh = FakeMesh()
        try mesh.use(["battery": "when = battery below 20 %\nresolved = yes"])
        try mesh.start()
        try mesh.measure(anna, ["batteryLevel": 10])
        #expect(mesh.told() == ["begins: Anna: battery 10 %"])
        // Another comment is no other rule.
        try mesh.use(["battery": "# again\nwhen = battery below 20 %\nresolved = yes"])
        #expect(mesh.engine.openEpisodes(of: "battery").count == 1)
        try mesh.use(["battery": "when = battery below 30 %\nresolved = yes"])
        #expect(mesh.engine.openEpisodes(of: "battery").map(\.toldAt) == [nil], "it is so already")
        try mesh.measure(anna, ["batteryLevel": 8])
        try mesh.measure(anna, ["batteryLevel": 80])
        #expect(mesh.told() == [])
    }

    @Test func theStartThatReadsTheRuleFirst() throws {
        let killed = try KilledMesh(["start": "when = gateway started"])
        let mesh = killed.mesh
        try mesh.happen(Happening(.started, at: mesh.now.at))
        #expect(mesh.told() == [])
        // The next one is told, however soon it comes.
        try killed.kill()
        try mesh.happen(Happening(.started, at: mesh.now.at))
        #expect(mesh.told() == ["The gateway has started"])
    }

    @Test func whatIsOlderThanAnHour() throws {
        let mesh = FakeMesh()
        try mesh.use(["a": "when = direct message"])
        try mesh.hear(anna)
        for age in [3 * hour, 61 * minute, 59 * minute, 0] {
            try mesh.write("x", channel: -1, id: PacketID(age + 1)) { $0.createdAt = mesh.now.at - age }
        }
        try mesh.engine.caughtUp(mesh, at: mesh.now)
        try mesh.use(["a": "when = direct message"])
        #expect(mesh.told().count == 2 && mesh.logged(.old).count == 2)
    }

    @Test func moreThanFiveAreOneSummaryAfterAStart() throws {
        let mesh = FakeMesh()
        try mesh.use(["a": "when = direct message"])
        try mesh.hear(anna)
        for id in 1...6 as ClosedRange<PacketID> { try mesh.write("x", channel: -1, id: id) }
        try mesh.engine.caughtUp(mesh, at: mesh.now)
        try mesh.use(["a": "when = direct message"])
        #expect(mesh.told() == ["a: 6 times while the gateway was away"] && mesh.logged(.counted).count == 6)
    }

    @Test func moreThanFiveInAMinuteAreSummedUp() throws {
        let mesh = FakeMesh()
        try mesh.use(["a": "when = direct message"])
        try mesh.start()
        try mesh.hear(anna)
        for id in 1...8 as ClosedRange<PacketID> { try mesh.write("x", channel: -1, id: id) }
        #expect(mesh.told().count == 5)
        try mesh.pass(minute)
        #expect(mesh.told() == ["a: and 3 more since \(localTime(mesh.now.at - minute, from: mesh.now.at))"])
        try mesh.pass(minute)
        try mesh.write("x", channel: -1, id: 9)
        #expect(mesh.told().count == 1)
    }
}
