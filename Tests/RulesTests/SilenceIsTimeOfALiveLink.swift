import MeshModel
import Store
import Testing

@testable import Rules

/// A node is silent that was not heard while its radio could have heard it.
@Suite struct SilenceIsTimeOfALiveLink {
    private func mesh(_ text: String = "when = node silent for 6h\nresolved = yes") throws -> FakeMesh {
        let mesh = FakeMesh()
        try mesh.use(["silent": text])
        try mesh.start()
        return mesh
    }

    @Test func toldAtItsDeadline() throws {
        let mesh = try mesh()
        try mesh.hear(anna)
        try mesh.pass(6 * hour - second)
        #expect(mesh.told() == [])
        try mesh.pass(2 * second)
        #expect(mesh.told() == ["begins: Anna has been silent for 6 h"])
        try mesh.pass(48 * hour)
        #expect(mesh.told() == [])
        try mesh.hear(anna)
        #expect(mesh.told() == ["ends: Anna was heard again"])
        try mesh.pass(7 * hour)
        #expect(mesh.told() == ["begins: Anna has been silent for 6 h"])
    }

    @Test func notWhileTheRadioIsAway() throws {
        let mesh = try mesh()
        try mesh.hear(anna)
        try mesh.pass(5 * hour)
        try mesh.link("lost")
        try mesh.pass(48 * hour)
        #expect(mesh.told() == [])
        try mesh.link("live")
        try mesh.pass(hour - minute)
        #expect(mesh.told() == [])
        try mesh.pass(2 * minute)
        #expect(mesh.told() == ["begins: Anna has been silent for 6 h"])
    }

    @Test func whatTheRadiosListBringsEndsIt() throws {
        let mesh = try mesh()
        try mesh.hear(anna)
        try mesh.pass(7 * hour)
        _ = mesh.told()
        try mesh.hear(anna, origin: .listed)
        #expect(mesh.told() == ["ends: Anna was heard again"])
    }

    @Test func whicheverRadioHeardIt() throws {
        let mesh = FakeMesh(radios: [home, cabin])
        try mesh.use(["silent": "when = node silent for 6h"])
        try mesh.start([home, cabin])
        try mesh.hear(anna, home)
        try mesh.pass(5 * hour)
        try mesh.hear(anna, cabin)
        try mesh.pass(2 * hour)
        #expect(mesh.told() == [])
        try mesh.pass(4 * hour)
        #expect(mesh.told() == ["begins: Anna has been silent for 6 h"])
        // What the other one knows of it is older.
        try mesh.take(.node(anna), home)
        #expect(mesh.told() == [] && mesh.engine.openEpisodes(of: "silent").count == 1)
    }

    /// It was heard while the clock was a month ahead, by this run or the one before, and not since.
    @Test(arguments: [true, false]) func alsoSinceAClockThatWasAhead(_ isRestarted: Bool) throws {
        let month = 30 * 24 * hour
        let killed = try KilledMesh(["silent": "when = node silent for 6h"], zone: LocalZone { _ in 0 })
        let mesh = killed.mesh
        try mesh.setClock(by: month)
        try mesh.hear(anna)
        try mesh.pass(hour)
        if isRestarted {
            mesh.now.at -= month
            try killed.kill()
        } else {
            try mesh.setClock(by: -month)
        }
        try mesh.pass(5 * hour)
        #expect(mesh.told() == [])
        try mesh.pass(hour + minute)
        #expect(mesh.told() == ["begins: Anna has been silent for 6 h"])
        try mesh.hear(anna)
        try mesh.pass(5 * hour)
        #expect(mesh.told() == [])
    }

    /// Forward by a day, back by two, forward again: nobody was silent for that.
    @Test func aClockThatIsSetBackAndForth() throws {
        let mesh = try mesh()
        for leap in [24, -48, 24, 1, -1] as [Int64] {
            try mesh.hear(anna)
            try mesh.hear(bob)
            try mesh.pass(hour)
            try mesh.setClock(by: leap * hour)
            try mesh.pass(4 * hour)
            #expect(mesh.told() == [], "\(leap) h")
        }
        try mesh.pass(30 * hour)
        #expect(
            mesh.told().sorted() == ["begins: Anna has been silent for 6 h", "begins: Bob has been silent for 6 h"])
    }

    /// It was heard while the clock was a day ahead; what it is heard at then is earlier.
    @Test func ofAClockThatWasAhead() throws {
        let mesh = try mesh()
        try mesh.setClock(by: 24 * hour)
        try mesh.hear(anna)
        try mesh.pass(7 * hour)
        #expect(mesh.told() == ["begins: Anna has been silent for 6 h"])
        try mesh.setClock(by: -24 * hour)
        try mesh.pass(hour)
        #expect(mesh.told() == [])
        try mesh.hear(anna)
        #expect(mesh.told() == ["ends: Anna was heard again"])
        // What the store puts right was not heard.
        try mesh.pass(7 * hour)
        #expect(mesh.told() == ["begins: Anna has been silent for 6 h"])
        try mesh.hear(anna, origin: .corrected) { $0.lastHeard = $0.lastHeard.map { $0 - 60 } }
        #expect(mesh.told() == [])
    }

    /// A node that a person deletes is not silent any more, and the end of that is not told.
    @Test func ofADeletedNode() throws {
        let mesh = try mesh("when = node silent for 6h\nresolved = yes\nrepeat = 1h")
        try mesh.hear(anna)
        try mesh.pass(6 * hour + minute)
        #expect(mesh.told() == ["begins: Anna has been silent for 6 h"])
        mesh.nodes[home]?[anna] = nil
        try mesh.take(.nodeDeleted(anna, channel: 0))
        try mesh.pass(24 * hour)
        #expect(mesh.told() == [] && mesh.engine.openEpisodes(of: "silent").isEmpty)
    }

    @Test func backIsTheEndOfIt() throws {
        let mesh = try mesh("when = node back after 6h")
        try mesh.hear(anna)
        try mesh.pass(5 * hour)
        try mesh.hear(anna)
        #expect(mesh.told() == [])
        try mesh.pass(7 * hour)
        #expect(mesh.told() == [])
        try mesh.hear(anna)
        #expect(mesh.told() == ["Anna is back"])
    }

    /// What a run lasted that was killed is known up to its last sign.
    @Test func ofARunThatWasKilled() throws {
        let mesh = try mesh()
        try mesh.hear(anna)
        try mesh.pass(5 * hour)
        let history = [Happening(.link, at: noon, source: home, name: "live")]
        let died = mesh.now.at
        try mesh.pass(0)
        mesh.now.at += 48 * hour
        mesh.now.uptime += 48 * hour
        mesh.engine = Engine(
            episodes: [], history: history, lastRunAt: died, known: 10_000, at: mesh.now)
        let rule = try #require(RuleFile("when = node silent for 6h\nresolved = yes", name: "silent", path: "").rule)
        try mesh.engine.use([rule], stored: mesh.rowsOfRules, newest: 10_000, mesh, at: mesh.now)
        try mesh.engine.caughtUp(mesh, at: mesh.now)
        mesh.jumpBehind(10_000)
        try mesh.link("live")
        try mesh.pass(50 * minute)
        #expect(mesh.told() == [])
        try mesh.pass(20 * minute)
        #expect(mesh.told() == ["begins: Anna has been silent for 6 h"])
    }

    @Test func aThousandNodesInOneMinute() throws {
        let mesh = try mesh()
        for number in 0..<1_000 { try mesh.hear(NodeNumber(UInt32(0x1000_0000 + number))) }
        try mesh.pass(6 * hour + 15 * minute)
        let told = mesh.told()
        #expect(told.count == 6 && told.last?.hasPrefix("silent: and 995 more since ") == true, "\(told)")
        #expect(mesh.logged(.counted).count == 995)
    }
}
