import MeshModel
import Store
import Testing

@testable import Rules

/// `cool-down = 1h`: an event is told at most once in that time for one node or radio; the rest are near misses.
@Suite struct AnEventCoolsDown {
    private static let loop = "when = rebooted\ncool-down = 1h"

    private func reboot(_ number: NodeNumber, in mesh: FakeMesh) throws {
        try mesh.measure(number, ["uptimeSeconds": 9_000])
        try mesh.pass(10 * minute)
        try mesh.measure(number, ["uptimeSeconds": 10])
    }

    @Test func aBootLoop() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": Self.loop])
        try mesh.start()
        for _ in 0..<3 { try reboot(anna, in: mesh) }
        #expect(mesh.told() == ["Anna has started again"])
        let last = localTime(mesh.now.at - 20 * minute, from: mesh.now.at)
        #expect(mesh.misses() == ["told at \(last), and its cool-down is not over"])
        // Another one has a time of its own, and so has our radio.
        try reboot(bob, in: mesh)
        for _ in 0..<2 { try mesh.happen(Happening(.restart, at: mesh.now.at, source: home)) }
        #expect(mesh.told() == ["Bob has started again", "Base Camp has started again"])
        try mesh.pass(hour)
        try reboot(anna, in: mesh)
        #expect(mesh.told() == ["Anna has started again"])
    }

    @Test(arguments: [0, -5 * hour, 5 * hour]) func overARestart(_ leap: Int64) throws {
        let killed = try KilledMesh(["rule": Self.loop])
        let mesh = killed.mesh
        try reboot(anna, in: mesh)
        #expect(mesh.told().count == 1)
        if leap != 0 { try mesh.setClock(by: leap) }
        for _ in 0..<2 {
            // While it runs, the time moves with the clock; a later start knows only what the log says.
            if leap == 0 { try killed.kill() }
            try reboot(anna, in: mesh)
        }
        #expect(mesh.told() == [])
        try mesh.pass(hour)
        try reboot(anna, in: mesh)
        #expect(mesh.told().count == 1)
    }

    /// Each sender has a time of its own.
    @Test func wordsOfOneSender() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = message\nwords = help\ncool-down = 10m"])
        try mesh.start()
        try mesh.write("hello", id: 1)
        try mesh.write("help", id: 2)
        try mesh.write("help!", id: 3)
        try mesh.write("help", from: bob, id: 4)
        #expect(mesh.told() == ["Anna on LongFast", "Bob on LongFast"])
        #expect(mesh.nearMisses().first?.messageID?.hasSuffix("_3") == true)
        try mesh.pass(10 * minute)
        try mesh.write("help", id: 5)
        #expect(mesh.told() == ["Anna on LongFast"])
    }

    @Test func aNodeThatComesAndGoes() throws {
        let mesh = FakeMesh()
        try mesh.use(["rule": "when = node back after 1h\ncool-down = 1d"])
        try mesh.start()
        for _ in 0..<4 {
            try mesh.hear(anna)
            try mesh.pass(2 * hour)
        }
        #expect(mesh.told() == ["Anna is back"])
        #expect(mesh.misses().count == 1)
    }

    @Test func inATestOfThePast() throws {
        let mesh = try StoredMesh(["other": "when = mention"])
        for id in 1...3 as ClosedRange<PacketID> {
            try mesh.write("x", id: id)
            try mesh.pass(20 * minute)
        }
        let rule = try #require(RuleFile("when = direct message\ncool-down = 30m", name: "rule", path: "").rule)
        let test = try mesh.store.read { try RuleTest.ofHistory(rule, $0, at: mesh.now.at) }
        #expect(test.count == 2)
    }

    @Test(arguments: [
        ("when = battery below 20 %\ncool-down = 1h", "cool-down cannot be with \"battery\": a state is told once"),
        ("when = at 7:00\ncool-down = 1h", "cool-down cannot be with \"at\": it comes at the times that it names"),
        ("when = mention\ncool-down = 91d", "cool-down is at most 90d"),
        ("when = mention\ncool-down = 5", "\"5\" is no time"),
        ("when = mention\ncooldown = 5m", "unknown key \"cooldown\"; did you mean \"cool-down\"?"),
        ("when = at 7:00\npace = 1h", "pace cannot be with \"at\": it comes at the times that it names"),
        ("when = mention\npace = often", "\"often\" is no time"),
        ("when = mention\npase = 5m", "unknown key \"pase\"; did you mean \"pace\"?"),
    ])
    func aMistake(_ text: String, _ words: String) {
        let file = RuleFile(text, name: "rule", path: "")
        #expect(file.mistakes.first?.text.hasPrefix(words) == true, "\(file.mistakes)")
    }
}
