import MeshModel
import Testing

@testable import Rules

/// `for 15m` behind a limit: the state begins with the first report that is so long after another one beyond it, all between
/// being so.
@Suite struct AValueMustLast {
    private func mesh(_ text: String = "when = channel use above 25 % for 15m") throws -> FakeMesh {
        let mesh = FakeMesh()
        try mesh.use(["rule": text])
        try mesh.start()
        try mesh.measure(ownNode, ["channelUtilization": 10])
        return mesh
    }

    private func report(_ values: [Double], every time: Int64 = 5 * minute, in mesh: FakeMesh) throws {
        for value in values {
            try mesh.pass(time)
            try mesh.measure(ownNode, ["channelUtilization": value])
        }
    }

    @Test func aQuarterOfAnHour() throws {
        let mesh = try mesh()
        try report([30, 40, 50], in: mesh)
        #expect(mesh.told() == [])
        let since = localTime(mesh.now.at - 10 * minute, from: mesh.now.at)
        #expect(mesh.misses() == ["beyond the limit since \(since), wanted 15 min"])
        try report([60], in: mesh)
        #expect(mesh.told() == ["begins: Base Camp: channel use 60 %"])
        try report([70], in: mesh)
        #expect(mesh.told() == [])
    }

    @Test func aReportBetweenThatIsNotSo() throws {
        let mesh = try mesh()
        try report([30, 40, 50, 20, 30, 40, 50], in: mesh)
        #expect(mesh.told() == [])
        try report([30], in: mesh)
        #expect(mesh.told() == ["begins: Base Camp: channel use 30 %"])
    }

    /// Two reports are enough if they are far apart.
    @Test func oneAnHourLater() throws {
        let mesh = try mesh()
        try report([30, 31], every: hour, in: mesh)
        #expect(mesh.told() == ["begins: Base Camp: channel use 31 %"])
    }

    @Test func anewAfterTheRadioWasAway() throws {
        let mesh = try mesh()
        try report([30, 40, 50], in: mesh)
        try mesh.link("lost")
        try mesh.link("live")
        try report([30, 40, 50], in: mesh)
        #expect(mesh.told() == [])
        try report([30], in: mesh)
        #expect(mesh.told().count == 1)
    }

    @Test func anewAfterARestart() throws {
        let killed = try KilledMesh(["rule": "when = channel use above 25 % for 15m"])
        try report([30, 40, 50], in: killed.mesh)
        try killed.kill()
        try report([30, 40, 50], in: killed.mesh)
        #expect(killed.mesh.told() == [])
        try report([30], in: killed.mesh)
        #expect(killed.mesh.told().count == 1)
    }

    /// Another node's value does not end it, nor does a clock that is set.
    @Test(arguments: [-3 * hour, 3 * hour]) func whateverElse(_ leap: Int64) throws {
        let mesh = try mesh()
        try report([30, 40], in: mesh)
        try mesh.measure(anna, ["channelUtilization": 1])
        try mesh.setClock(by: leap)
        try report([50], in: mesh)
        #expect(mesh.told() == [])
        try report([60], in: mesh)
        #expect(mesh.told().count == 1)
    }

    /// It was so when the rule was read: that is not news, as without `for`.
    @Test func whatHeldBefore() throws {
        let mesh = FakeMesh()
        try mesh.use(["other": "when = mention"])
        try mesh.start()
        try report([30, 40], in: mesh)
        try mesh.use(["rule": "when = channel use above 25 % for 15m"])
        try report([30, 40, 50, 60, 70], in: mesh)
        #expect(mesh.told() == [])
        try report([10, 30, 40, 50, 60], in: mesh)
        #expect(mesh.told().count == 1)
    }

    /// Strangers can invent nodes; what is remembered of them has an end.
    @Test func ofManyNodes() throws {
        let mesh = try mesh("when = battery below 20 % for 15m")
        for number in 0..<1_100 { try mesh.measure(NodeNumber(UInt32(0x2000_0000 + number)), ["batteryLevel": 5]) }
        #expect(mesh.engine.active[0].beyond.count == 1_000)
    }

    @Test(arguments: [
        ("battery below 20 % for 15m", 15 * minute), ("battery below 20% for 2h", 2 * hour),
        ("co2 above 1000 for 1d", 24 * hour),
        ("battery below 20 %", 0),
    ])
    func asItIsWritten(_ when: String, _ time: Int64) throws {
        let rule = try #require(RuleFile("when = \(when)", name: "rule", path: "").rule)
        #expect(rule.when.lasting == time)
    }

    @Test(arguments: [
        ("when = battery below 20 % for", "\"for\" says no time; write for example: battery below 20 % for 15m"),
        ("when = battery below 20 % for ever", "\"ever\" is no time; write a whole number with s, m, h, d or w"),
        ("when = battery below for 15m", "\"for\" is no number; write for example: battery below 20 %"),
        (
            "when = battery below 20 %\nagain = battery above 30 % for 5m",
            "it ends with one report, without \"for\"; write for example: again = battery above 21"
        ),
    ])
    func aMistake(_ text: String, _ words: String) {
        let file = RuleFile(text, name: "rule", path: "")
        #expect(file.mistakes.first?.text.hasPrefix(words) == true, "\(file.mistakes)")
    }
}
