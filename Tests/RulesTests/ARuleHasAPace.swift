import MeshModel
import Store
import Testing

@testable import Rules

/// So many notifications at once, then one in a while, which counts what came meanwhile and grows. The rule's log has all.
@Suite struct ARuleHasAPace {
    private func mesh(_ text: String) throws -> FakeMesh {
        let mesh = FakeMesh()
        try mesh.use(["rule": text])
        try mesh.start()
        return mesh
    }

    private func stranger(_ number: Int) -> NodeNumber { NodeNumber(UInt32(0x1000_0000 + number)) }

    private func appear(_ numbers: ClosedRange<Int>, in mesh: FakeMesh) throws {
        for number in numbers { try mesh.hear(stranger(number)) { $0.longName = "N\(number)" } }
    }

    private func rows(_ mesh: FakeMesh) -> [FeedRow] { mesh.firings.filter { $0.fate == .told }.map(\.row) }

    /// Twenty nodes that go dark, one every two minutes.
    @Test func aVillageThatGoesDark() throws {
        let mesh = try mesh("when = node silent for 1h")
        for number in 1...20 {
            try mesh.hear(stranger(number)) { $0.longName = "N\(number)" }
            try mesh.pass(2 * minute)
        }
        try mesh.hear(anna)
        try mesh.pass(50 * minute)
        try mesh.hear(anna)
        try mesh.pass(55 * minute)
        let told = rows(mesh)
        #expect(
            told.prefix(5).allSatisfy { $0.type == "node-silent" } && told.dropFirst(5).allSatisfy { $0.type == "more" }
        )
        #expect(told.count <= 9 && told.count > 6, "\(told.map(\.title))")
        #expect(told.last?.title.hasPrefix("rule: and 15 more since ") == true, "\(told.map(\.title))")
        let lines = told.last?.body.split(separator: "\n").map(String.init) ?? []
        #expect(lines.map { $0.split(separator: " ")[0] } == ["N20", "N19", "N18", "N17", "N16", "..."])
        #expect(Set(told.dropFirst(5).map(\.episode)).count == 1 && told.last?.episode != nil)
        #expect(mesh.log.count { $0.row.type == "node-silent" } == 20, "the log has all")
    }

    @Test func oneThatGrowsUntilNothingIsNew() throws {
        let mesh = try mesh("when = new node")
        let start = mesh.now.at
        try appear(1...7, in: mesh)
        #expect(mesh.told().count == 5)
        try mesh.pass(10 * minute - second)
        #expect(mesh.told() == [])
        try mesh.pass(second)
        let since = localTime(start, from: mesh.now.at)
        #expect(rows(mesh).map(\.title) == ["rule: and 2 more since \(since)"])
        #expect(rows(mesh).map(\.body) == ["New node: N7\nNew node: N6"])
        let episode = rows(mesh)[0].episode
        try appear(8...8, in: mesh)
        try mesh.pass(10 * minute)
        #expect(rows(mesh).map(\.title).last == "rule: and 3 more since \(since)")
        #expect(rows(mesh).last?.episode == episode)
        // Nothing new for as long as its pace: it begins anew.
        try mesh.pass(10 * minute)
        _ = mesh.told()
        try appear(9...14, in: mesh)
        #expect(mesh.told() == (9...13).map { "New node: N\($0)" })
        try mesh.pass(10 * minute)
        #expect(rows(mesh).last?.title.hasPrefix("rule: and 1 more since ") == true)
        #expect(rows(mesh).last?.episode != episode)
    }

    /// A minute for what people write; as often as it repeats for whoever wants that.
    @Test(arguments: [
        ("when = direct message", minute), ("when = message", minute), ("when = mention", minute),
        ("when = detection", minute), ("when = new node", 10 * minute), ("when = node silent for 1h", 10 * minute),
        ("when = battery below 20 %\nrepeat = 5m", 5 * minute), ("when = battery below 20 %\nrepeat = 1d", 10 * minute),
        ("when = new node\npace = 1d", 24 * hour), ("when = direct message\npace = 1h", hour), ("when = at 7:00", nil),
    ])
    func eachRulesPace(_ text: String, _ pause: Int64?) throws {
        let rule = try #require(RuleFile(text, name: "rule", path: "").rule)
        #expect(rule.pause == pause && rule.atOnce == (text.contains("pace") ? 1 : 5))
    }

    @Test func aPaceOfItsOwn() throws {
        let mesh = try mesh("when = new node\npace = 1d")
        for number in 1...40 {
            try appear(number...number, in: mesh)
            try mesh.pass(2 * hour)
        }
        let titles = rows(mesh).map { $0.title.split(separator: " since")[0] }
        // In 80 hours: the first, and one each day.
        #expect(titles == ["New node: N1", "rule: and 11 more", "rule: and 23 more", "rule: and 35 more"], "\(titles)")
    }

    @Test func whatAnAlarmRingsIsTold() throws {
        let mesh = try mesh("when = at */5 * * * *\nsay = tea")
        try mesh.pass(hour)
        #expect(mesh.told().count == 12)
    }

    /// Killed after any of them: the same is told as without.
    @Test(arguments: 1...12) func overARestart(_ kill: Int) throws {
        func told(_ isKilled: Bool) throws -> [String] {
            let killed = try KilledMesh(["rule": "when = new node"])
            let mesh = killed.mesh
            for number in 1...12 {
                try appear(number...number, in: mesh)
                try mesh.pass(minute)
                if number != kill { continue }
                if isKilled { try killed.kill() } else { try mesh.pass(2 * minute + second) }
            }
            try mesh.pass(30 * minute)
            let rows = rows(mesh)
            #expect(Set(rows.compactMap(\.episode)).count == 1)
            return rows.map { "\($0.title) \($0.body)" }
        }
        let (with, without) = (try told(true), try told(false))
        #expect(with == without)
        #expect(without.count < 8 && without.last?.contains("and 7 more") == true, "\(without)")
    }

    /// Whoever sets the clock makes nothing come earlier or later, also when the service is restarted then.
    @Test(arguments: [-30 * 24 * hour, -2 * hour, 2 * hour, 30 * 24 * hour], [false, true])
    func overAJumpOfTheClock(_ leap: Int64, _ isKilled: Bool) throws {
        let killed = try KilledMesh(["rule": "when = new node\npace = 1h"])
        let mesh = killed.mesh
        try appear(1...2, in: mesh)
        #expect(mesh.told() == ["New node: N1"])
        try mesh.pass(20 * minute)
        try mesh.setClock(by: leap)
        if isKilled { try killed.kill() }
        try mesh.pass(36 * minute)
        #expect(mesh.told() == [], "56 minutes, and two for the start")
        try mesh.pass(5 * minute)
        #expect(mesh.told().map { $0.hasPrefix("rule: and 1 more since ") } == [true])
    }

    /// A Raspberry Pi that starts in 1970 does not wait for the year in which something was told last.
    @Test func aClockThatIsNotSetYet() throws {
        let killed = try KilledMesh(["rule": "when = direct message\npace = 1h"])
        let mesh = killed.mesh
        for id in 1...2 as ClosedRange<PacketID> { try mesh.write("x", channel: -1, id: id) }
        #expect(mesh.told().count == 1)
        mesh.now.at = hour
        try killed.kill()
        try mesh.pass(50 * minute)
        #expect(mesh.told() == [])
        try mesh.pass(10 * minute)
        #expect(mesh.told().count == 1)
    }

    /// After an absence what is more than the pace allows is one notification, and it counts.
    @Test func afterAnAbsence() throws {
        let mesh = try StoredMesh(["direct": "when = direct message\npace = 1h"])
        try mesh.tellAll(1)
        try mesh.leave(10 * minute) { for id in 2...4 as ClosedRange<PacketID> { try mesh.write("x", id: id) } }
        #expect(mesh.told.count == 1, "\(mesh.told)")
        try mesh.pass(50 * minute)
        #expect(mesh.told.count == 2 && mesh.told[1].hasPrefix("direct: direct: and 3 more since "), "\(mesh.told)")
        try mesh.leave(2 * hour) { for id in 5...7 as ClosedRange<PacketID> { try mesh.write("x", id: id) } }
        #expect(mesh.told.last == "direct: direct: 3 times while the gateway was away")
        try mesh.tellAll(1, from: 8)
        #expect(mesh.told.count == 3)
        try mesh.pass(hour)
        #expect(mesh.told.last?.hasPrefix("direct: direct: and 1 more since ") == true)
    }

    /// At targets it is the same, under one id for a notification that grows; a waypoint's name is a text.
    @Test(arguments: [false, true]) func atTargets(_ givesText: Bool) throws {
        let mesh = try StoredMesh(
            ["point": "when = waypoint\ntell = phone\npace = 1h" + (givesText ? "\ntext = yes" : "")],
            targets: ["phone"])
        try mesh.hear(anna)
        func share(_ id: UInt32) throws {
            try mesh.change { writer, source, now in
                try writer.upsertWaypoint(
                    Waypoint(id: id, latitudeI: 1, longitudeI: 2, name: "Hut \(id)"), from: anna, channel: 0,
                    in: source, at: now)
            }
            try mesh.work()
        }
        for id in 1...3 as ClosedRange<UInt32> { try share(id) }
        try mesh.pass(hour)
        try share(4)
        try mesh.pass(hour)
        let sent = try mesh.waiting().map(\.row)
        #expect(sent.count == 3 && sent[1].episode == sent[2].episode && sent[1].episode != nil)
        let names = givesText ? [4, 3, 2].map { ": Hut \($0)" } : ["", "", ""]
        #expect(sent[2].body == names.map { "Anna shares a waypoint\($0)" }.joined(separator: "\n"))
        let feed = try mesh.feed()
        #expect(feed.map(\.uuid) == sent.map(\.uuid) && feed.map(\.title) == sent.map(\.title) || !givesText)
        #expect(feed[2].body.contains("Hut 4"))
    }
}
