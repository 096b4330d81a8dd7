import MeshModel
import Store
import Testing

@testable import Rules

/// The change log once more, for a rule that was not there: what it would have told, and how far back that goes.
@Suite struct ATestTellsWhatHistoryWouldHaveFired {
    private let mesh: StoredMesh

    init() throws { mesh = try StoredMesh([:]) }

    private func test(_ text: String) throws -> RuleTest {
        let rule = try #require(RuleFile(text, name: "rule", path: "").rule)
        return try mesh.store.read { try RuleTest.ofHistory(rule, $0, at: mesh.now.at) }
    }

    /// The oldest first.
    private func told(_ text: String) throws -> [String] {
        try test(text).firings.reversed().map { ($0.row.state.map { "\($0): " } ?? "") + $0.row.title }
    }

    @Test func ofTexts() throws {
        try mesh.write("good morning", id: 1)
        try mesh.pass(hour)
        try mesh.write("help", id: 2)
        let test = try test("when = direct message\nwords = help")
        #expect(test.firings.map(\.row.title) == ["Direct message from Anna"])
        #expect(test.firings.first?.row.createdAt == mesh.now.at && test.count == 1 && test.type == "direct-message")
        #expect(test.near.map(\.condition) == ["none of its words"])
        #expect(test.since == noon)
        #expect(test.reach.hasPrefix("Texts of the change log that are still there."))
    }

    @Test func ofValuesAsAStateOnce() throws {
        for battery in [80, 15, 14, 30, 12] as [Double] {
            try mesh.measure(anna, battery: battery)
            try mesh.pass(hour)
        }
        #expect(
            try told("when = battery below 20 %\nresolved = yes")
                == ["begins: Anna: battery 15 %", "ends: Anna: battery 30 % again", "begins: Anna: battery 12 %"])
        // Switched off, it can be tested, too.
        #expect(try told("when = battery below 13 %\nenabled = no") == ["begins: Anna: battery 12 %"])
    }

    @Test func ofSilence() throws {
        try mesh.measure(anna, battery: 80)
        try mesh.pass(minute)
        try mesh.measure(bob, battery: 80)
        for _ in 0..<8 {
            try mesh.pass(hour)
            try mesh.measure(bob, battery: 80)
        }
        #expect(try told("when = node silent for 6h\nresolved = yes") == ["begins: Anna has been silent for 6 h"])
        try mesh.measure(anna, battery: 80)
        #expect(
            try told("when = node silent for 6h\nresolved = yes")
                == ["begins: Anna has been silent for 6 h", "ends: Anna was heard again"])
        #expect(try told("when = node back after 6h") == ["Anna is back"])
        #expect(try told("when = node silent for 9h") == [])
    }

    /// The power was cut for a day: nobody could have been heard.
    @Test func notOfATimeWithoutAGateway() throws {
        try mesh.measure(anna, battery: 80)
        try mesh.leave(24 * hour) { try mesh.happen(Happening(.started, at: mesh.now.at)) }
        try mesh.measure(bob, battery: 80)
        #expect(try told("when = node silent for 6h") == [])
        try mesh.pass(6 * hour - minute)
        try mesh.measure(bob, battery: 80)
        #expect(try told("when = node silent for 6h") == ["begins: Anna has been silent for 6 h"])
    }

    /// The years over which it leaps have not gone by, and what it has stored ahead is no time to come.
    @Test func byAClockThatWasSet() throws {
        let year = 365 * 24 * hour
        let (daily, silent) = ("when = at 7:00\nsay = Good morning", "when = node silent for 6h")
        try mesh.write("hello", id: 1)
        for leap in [year, -year] {
            let before = mesh.now.at
            try mesh.setClock(by: leap)
            try mesh.happen(Happening(.clockSet, at: mesh.now.at, since: before))
            try mesh.write("hello", id: leap > 0 ? 2 : 3)
            // One may be made up for, in some zone.
            #expect(try told(daily).count <= 1)
            #expect(try told(silent) == [])
        }
        try mesh.pass(24 * hour)
        #expect((1...2).contains(try told(daily).count))
    }

    @Test func ofLinks() throws {
        let source = mesh.source
        try mesh.pass(hour)
        try mesh.happen(Happening(.link, at: mesh.now.at, source: source, name: "lost"))
        try mesh.pass(10 * minute)
        try mesh.happen(Happening(.link, at: mesh.now.at, source: source, name: "live"))
        let lost = try told("when = radio lost for 2m")
        #expect(lost == ["begins: The radio is lost", "ends: The radio is back"])
        #expect(try told("when = radio lost for 20m") == [])
        #expect(try told("when = radio back after 5m") == ["The radio is back"])
    }

    @Test func ofADiskThatFailed() throws {
        try mesh.happen(Happening(.disk, at: mesh.now.at, since: mesh.now.at - minute))
        #expect(
            try told("when = storage failing")
                == ["begins: Nothing can be stored", "ends: The disk can be written again"])
    }

    @Test func ofNewNodesAndProblems() throws {
        try mesh.hear(bob)
        let source = mesh.source
        try mesh.happen(Happening(.problem, at: mesh.now.at, source: source, name: "region-unset"))
        #expect(try told("when = new node") == ["New node: Bob"])
        #expect(try told("when = problem") == ["begins: The radio has no region"])
        #expect(try told("when = problem radio-locked") == [])
    }

    /// Where a node was first, is no crossing.
    @Test func ofCircles() throws {
        for longitude in [0.001, 0.05, 0.05, 0.001, 0.001] {
            try mesh.locate(anna, 0, longitude)
            try mesh.pass(minute)
        }
        #expect(try told("when = leaves circle 0,0 2 km") == ["Anna has left 2 km around 0,0"])
        #expect(try told("when = enters circle 0,0 2 km") == ["Anna has entered 2 km around 0,0"])
    }

    @Test func ofTimes() throws {
        try mesh.write("hello", id: 1)
        // Two days to the minute, and a minute that they begin with in no zone.
        try mesh.pass(noon + 48 * hour - mesh.now.at)
        try mesh.write("hello", id: 2)
        let test = try test("when = at 7:07\nsay = Good morning")
        #expect(test.firings.map(\.row.title) == ["Good morning", "Good morning"])
        // A rule for each minute ends.
        #expect(try self.test("when = at * * * * *\nsay = Tick").count > 2_000)
    }

    @Test func asItWouldHaveCounted() throws {
        for id in 1...8 as ClosedRange<UInt32> { try mesh.write("hello", id: id) }
        let test = try test("when = direct message")
        #expect(test.count == 8)
        #expect(test.firings.map(\.fate).filter { $0 == .told }.count == 5)
    }

    @Test func andTellsAndWritesNothing() throws {
        try mesh.write("help", id: 1)
        let before = try mesh.store.read { try $0.newestChange() }
        #expect(try test("when = direct message").count == 1)
        #expect(try mesh.store.read { try $0.newestChange() } == before)
        #expect(try mesh.feed().isEmpty)
        #expect(try mesh.logged("rule").isEmpty)
    }

    @Test func ofADatabaseWithoutAnything() throws {
        let empty = try EmptyStore()
        let rule = try #require(RuleFile("when = message", name: "rule", path: "").rule)
        let test = try empty.store.read { try RuleTest.ofHistory(rule, $0, at: noon) }
        #expect(test.since == nil && test.count == 0 && test.reach == "The change log has nothing with a time.")
    }
}
