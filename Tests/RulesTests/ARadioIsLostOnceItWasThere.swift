import MeshModel
import Store
import Testing

@testable import Rules

/// A radio is lost that was there; after a start it has two minutes to come.
@Suite struct ARadioIsLostOnceItWasThere {
    /// The gateway has started, and no link is there yet.
    private func mesh(_ texts: [String: String], radios: [SourceID] = [home]) throws -> FakeMesh {
        let mesh = FakeMesh(radios: radios)
        try mesh.use(texts)
        try mesh.engine.caughtUp(mesh, at: mesh.now)
        return mesh
    }

    @Test(arguments: ["when = radio lost", "when = radio lost for 1m"]) func oneThatIsSlowAtTheStart(_ text: String)
        throws
    {
        let mesh = try mesh(["lost": text])
        try mesh.link("lost")
        try mesh.pass(100 * second)
        try mesh.link("live")
        #expect(mesh.told() == [])
        try mesh.pass(hour)
        try mesh.link("lost")
        try mesh.pass(90 * second)
        // For whatever reason it stays away.
        try mesh.link("lost")
        try mesh.pass(hour)
        try mesh.link("live")
        #expect(mesh.told() == ["begins: The radio Home is lost", "ends: The radio Home is back"])
    }

    @Test func oneThatDoesNotComeAtAll() throws {
        let mesh = try mesh(["now": "when = radio lost", "later": "when = radio lost for 10m"])
        try mesh.link("lost")
        try mesh.pass(2 * minute - second)
        #expect(mesh.told() == [])
        try mesh.pass(2 * second)
        #expect(mesh.firings.map(\.row.rule) == ["now"])
        try mesh.pass(8 * minute)
        #expect(mesh.firings.map(\.row.rule) == ["now", "later"])
    }

    /// Nor does a radio wake a rule that does not mean it.
    @Test func anotherRadiosRule() throws {
        let mesh = try mesh(["cabin": "when = radio lost for 2m\nradio = Cabin"], radios: [home, cabin])
        for radio in [home, cabin] { try mesh.link("live", radio) }
        try mesh.pass(3 * minute)
        try mesh.link("lost", home)
        let before = mesh.wakes
        try mesh.pass(hour)
        #expect(mesh.told() == [] && mesh.wakes - before <= 1, "\(mesh.wakes - before)")
        try mesh.link("lost", cabin)
        try mesh.pass(3 * minute)
        #expect(mesh.told() == ["begins: The radio Cabin is lost"])
    }

    @Test func oneThatWasSwitchedOff() throws {
        let mesh = try mesh(["lost": "when = radio lost for 2m"])
        try mesh.link("live")
        try mesh.pass(5 * minute)
        try mesh.link("stopped")
        try mesh.pass(hour)
        #expect(mesh.told() == [])
    }

    /// What was wrong with it may be mended while it is away.
    @Test func itsProblemsAreLookedAtWhenItIsBack() throws {
        let mesh = try mesh(["problem": "when = problem"])
        try mesh.link("live")
        try mesh.pass(3 * minute)
        mesh.present = [home: ["region-unset"]]
        try mesh.happen(Happening(.problem, at: mesh.now.at, source: home, name: "region-unset"))
        try mesh.link("lost")
        try mesh.pass(minute)
        #expect(mesh.told() == ["begins: The radio has no region"])
        mesh.present = [:]
        try mesh.link("live")
        #expect(mesh.told() == ["ends: Solved: The radio has no region"])
        mesh.present = [home: ["transmitter-off"]]
        try mesh.link("lost")
        try mesh.link("live")
        #expect(mesh.told() == ["begins: The radio's transmitter is switched off"])
    }

    /// A failing disk is told at once, even while there is more to catch up with.
    @Test func aDiskThatFailsAtTheStart() throws {
        let mesh = FakeMesh()
        try mesh.use(["disk": "when = storage failing"])
        try mesh.storage(failingSince: mesh.now.at - minute)
        #expect(mesh.told() == ["begins: Nothing can be stored"])
    }

    /// Changes were missed: what is there now is what counts, and what was known is no news.
    @Test(arguments: [true, false]) func whatWasMissed(_ isUnknown: Bool) throws {
        let mesh = FakeMesh(radios: [home, cabin])
        try mesh.use([
            "doubt": "when = key changed\nresolved = yes", "lost": "when = radio lost for 2m",
            "silent": "when = node silent for 6h",
        ])
        try mesh.start([home, cabin])
        try mesh.hear(anna) { $0.announcedKey = .of(9) }
        try mesh.happen(Happening(.key, at: mesh.now.at, source: home, node: anna, name: "key-changed"))
        try mesh.link("lost", cabin)
        try mesh.pass(3 * minute)
        _ = mesh.told()
        // Anna's key was settled, the cabin came back, home went, and Bob is new with another key.
        mesh.nodes[home]?[anna]?.announcedKey = nil
        mesh.nodes[cabin]?[bob] = Node(number: bob, createdAt: noon)
        mesh.nodes[cabin]?[bob]?.announcedKey = .of(8)
        mesh.addUntold(Happening(.link, at: mesh.now.at, source: cabin, name: "live"))
        mesh.addUntold(Happening(.link, at: mesh.now.at, source: home, name: "lost"))
        try mesh.engine.missed(isUnknown: isUnknown, mesh, at: mesh.now)
        mesh.settle()
        #expect(mesh.told().sorted() == ["ends: Anna's key is settled", "ends: The radio Cabin is back"])
        try mesh.pass(3 * minute)
        #expect(mesh.told() == ["begins: The radio Home is lost"])
    }
}
