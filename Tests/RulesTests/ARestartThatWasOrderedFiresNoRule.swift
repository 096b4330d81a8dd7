import MeshModel
import Store
import Testing

@testable import Rules

/// A radio that restarts as it was told has a minute to come back. After that it is away as ever.
@Suite struct ARestartThatWasOrderedFiresNoRule {
    private let rules = [
        "lost": "when = radio lost", "later": "when = radio lost for 2m", "back": "when = radio back after 10s",
        "rebooted": "when = rebooted", "problem": "when = problem",
    ]

    private func mesh() throws -> FakeMesh {
        let mesh = FakeMesh()
        try mesh.use(rules)
        try mesh.start([home])
        try mesh.pass(3 * minute)
        return mesh
    }

    private func restart(_ mesh: FakeMesh, name: String?) throws {
        try mesh.happen(Happening(.restart, at: mesh.now.at, source: home, name: name, text: "boot text"))
    }

    @Test func oneThatTakesItsPortAlong() throws {
        let mesh = try mesh()
        try mesh.link(Happening.restarting)
        try mesh.pass(50 * second)
        try mesh.link(Happening.restarting)
        try restart(mesh, name: Happening.restarting)
        try mesh.link("live")
        try mesh.pass(hour)
        #expect(mesh.told() == [])
    }

    @Test func oneWhosePortStays() throws {
        let mesh = try mesh()
        try restart(mesh, name: Happening.restarting)
        try mesh.link("live")
        try mesh.pass(hour)
        #expect(mesh.told() == [])
    }

    /// What is wrong while it starts may be over when it has started.
    @Test(arguments: [true, false]) func whatIsWrongMeanwhileIsToldIfItLasts(_ lasts: Bool) throws {
        let mesh = try mesh()
        try restart(mesh, name: Happening.restarting)
        mesh.present = [home: ["handshake-incomplete"]]
        try mesh.happen(Happening(.problem, at: mesh.now.at, source: home, name: "handshake-incomplete"))
        try mesh.pass(20 * second)
        #expect(mesh.told() == [])
        if !lasts {
            mesh.present = [:]
            try mesh.happen(Happening(.solved, at: mesh.now.at, source: home, name: "handshake-incomplete"))
        }
        try mesh.link("live")
        try mesh.pass(minute)
        #expect(mesh.told() == (lasts ? ["begins: The radio leaves out parts of its settings"] : []))
    }

    @Test func oneThatDoesNotComeBackIsLost() throws {
        let mesh = try mesh()
        try mesh.link(Happening.restarting)
        try mesh.pass(minute - second)
        #expect(mesh.told() == [])
        try mesh.pass(2 * second)
        #expect(mesh.told() == ["begins: The radio Home is lost"])
        try mesh.pass(minute)
        #expect(mesh.told() == ["begins: The radio Home is lost"], "for 2m")
        try mesh.link("live")
        #expect(
            mesh.told().sorted() == [
                "The radio Home is back", "ends: The radio Home is back", "ends: The radio Home is back",
            ])
    }

    @Test func oneThatNobodyHasToldIsNews() throws {
        let mesh = try mesh()
        try restart(mesh, name: nil)
        #expect(mesh.told().count == 1)
        try mesh.link("lost")
        #expect(mesh.told() == ["begins: The radio Home is lost"])
    }
}
