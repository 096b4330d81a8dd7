import MeshModel
import Store
import Synchronization
import Testing

@testable import Rules

/// What a rule notices in its quiet hours is in the feed at once; its targets are told when they are over, once.
@Suite struct AQuietNightIsToldInTheMorning {
    private static let utc = LocalZone { _ in 0 }
    private static let quiet = "tell = phone\nquiet = 22:00-07:00"
    private static let rules = [
        "direct": "when = direct message\n\(quiet)", "battery": "when = battery below 20 %\n\(quiet)",
        "alarm": "when = battery below 5 %\n\(quiet)\npriority = high",
    ]
    /// Of the first night.
    private static let evening = noon + 11 * hour, morning = noon + 19 * hour

    private func mesh(_ rules: [String: String] = rules, zone: LocalZone = utc) throws -> StoredMesh {
        let mesh = try StoredMesh(rules, targets: ["phone", "mail"], zone: zone)
        try mesh.measure(anna, battery: 50)
        try mesh.pass(Self.evening - mesh.now.at)
        return mesh
    }

    @Test func asOneSummary() throws {
        let mesh = try mesh()
        try mesh.tellAll(3)
        try mesh.measure(anna, battery: 10)
        try mesh.work()
        #expect(
            mesh.told == [
                "direct: Direct message from Anna", "direct: Direct message from Anna",
                "direct: Direct message from Anna", "battery: begins: Anna: battery 10 %",
            ])
        #expect(try mesh.waiting().isEmpty && mesh.woken.all.isEmpty)
        try mesh.pass(Self.morning - second - mesh.now.at)
        #expect(try mesh.waiting().isEmpty && mesh.deadline == Self.morning)
        try mesh.pass(second)
        let summary = try #require(try mesh.waiting().first)
        #expect(summary.counts == [.init(rule: "direct", count: 3), .init(rule: "battery", count: 1)])
        #expect(summary.target == "phone" && summary.at == Self.morning, "it is tried from then on")
        #expect(try mesh.waiting().count == 1 && mesh.woken.all.count == 1)
        // The next night is another one, and the day is none.
        try mesh.tellAll(1, from: 10)
        #expect(try mesh.waiting().count == 2)
        try mesh.pass(24 * hour)
        #expect(try mesh.waiting().count == 2)
    }

    @Test func oneAloneAsItself() throws {
        let mesh = try mesh()
        try mesh.tellAll(1)
        let uuid = try #require(try mesh.feed().last).uuid
        try mesh.pass(Self.morning - mesh.now.at)
        let sent = try mesh.waiting()
        #expect(sent.map(\.uuid) == [uuid] && sent.map(\.row.title) == ["Direct message from Anna"])
        #expect(sent.map(\.at) == [Self.morning] && sent.map(\.row.createdAt) == [Self.evening])
    }

    /// It goes through, past what is held.
    @Test func exceptWhatIsUrgent() throws {
        let mesh = try mesh()
        try mesh.tellAll(2)
        try mesh.measure(anna, battery: 3)
        try mesh.work()
        #expect(try mesh.waiting().map(\.row.rule) == ["alarm"] && mesh.woken.all.count == 1)
        try mesh.pass(Self.morning - mesh.now.at)
        #expect(try mesh.waiting().map { $0.contents.map(\.count) } == [[1], [2, 1]])
    }

    /// Each rule has hours of its own, and each target its summary.
    @Test func toEachTargetAtItsTime() throws {
        let direct = "when = direct message\ntell = phone\n"
        let mesh = try mesh([
            "short": direct + "quiet = 22:00-6:00", "long": direct + "tell = mail\nquiet = 22:00-08:00",
            "none": direct,
        ])
        try mesh.tellAll(2)
        #expect(try mesh.waiting().map(\.row.rule) == ["none", "none"])
        try mesh.pass(noon + 18 * hour - mesh.now.at)
        #expect(try mesh.waiting().map(\.counts).last == [.init(rule: "short", count: 2)])
        try mesh.pass(2 * hour)
        let last = try mesh.waiting().filter { $0.counts == [.init(rule: "long", count: 2)] }
        #expect(Set(last.map(\.target)) == ["phone", "mail"] && last[0].uuid != last[1].uuid)
    }

    /// A night in which very much happens is one row.
    @Test func howeverMuch() throws {
        let mesh = try mesh()
        for part in 0..<20 as Range<UInt32> {
            try mesh.tellAll(5, from: 100 * part)
            try mesh.pass(minute)
        }
        #expect(try mesh.held().map { $0.contents.map(\.count) } == [[100]])
        try mesh.pass(Self.morning - mesh.now.at)
        #expect(try mesh.waiting().map(\.counts) == [[.init(rule: "direct", count: 100)]])
    }

    /// The process is killed in the night, before and after its end.
    @Test(arguments: [[8], [1, 2, 9], [7, 8], [8, 8]] as [[Int64]]) func overKills(_ hours: [Int64]) throws {
        let mesh = try mesh()
        try mesh.tellAll(2)
        for time in hours {
            try mesh.leave(max(0, Self.evening + time * hour - mesh.now.at)) {}
            #expect(try mesh.waiting().isEmpty == (mesh.now.at < Self.morning))
        }
        try mesh.pass(max(0, Self.morning - mesh.now.at))
        #expect(try mesh.waiting().map(\.counts) == [[.init(rule: "direct", count: 2)]])
        #expect(mesh.told.count == 2)
    }

    /// The host runs at night only: what it has held waits for its end, not for a day.
    @Test func alsoInTheNextNight() throws {
        let mesh = try mesh()
        try mesh.tellAll(2)
        try mesh.leave(24 * hour) {}
        #expect(try mesh.waiting().map(\.counts) == [[.init(rule: "direct", count: 2)]])
        #expect(mesh.woken.all.count == 1)
        try mesh.tellAll(1, from: 10)
        #expect(try mesh.waiting().count == 1 && mesh.held().map(\.heldUntil) == [Self.morning + 24 * hour])
    }

    /// A backup was made in the night: a week later it has waited for too long, and is not told a second time.
    @Test func butNotFromABackupOfLastWeek() throws {
        let mesh = try mesh()
        try mesh.tellAll(2)
        let copy = try mesh.backup()
        #expect(try mesh.held().count == 1)
        try mesh.pass(7 * 24 * hour)
        try mesh.restore(copy)
        #expect(try mesh.waiting().map(\.at) == [Self.morning])
    }

    @Test func untilTheRuleSaysOtherwise() throws {
        let mesh = try mesh()
        try mesh.tellAll(2)
        try mesh.use(["direct": "when = direct message\ntell = phone\nquiet = 22:00-09:00"])
        try mesh.pass(Self.morning - mesh.now.at)
        #expect(try mesh.waiting().isEmpty)
        try mesh.use(["direct": "when = direct message\ntell = phone"])
        #expect(try mesh.waiting().map(\.counts) == [[.init(rule: "direct", count: 2)]])
        #expect(mesh.woken.all.count == 1)
    }

    /// What it had noticed is told at the time that it had.
    @Test func alsoOfARuleThatIsGone() throws {
        let mesh = try mesh()
        try mesh.tellAll(2)
        try mesh.use(["other": "when = new node"])
        try mesh.leave(hour) {}
        try mesh.pass(Self.morning - second - mesh.now.at)
        #expect(try mesh.waiting().isEmpty)
        try mesh.pass(second)
        #expect(try mesh.waiting().map(\.counts) == [[.init(rule: "direct", count: 2)]])
    }

    /// The host moves to another zone in the night: it is over when it is there.
    @Test(arguments: [(-1, 20), (3, 16)] as [(Int64, Int64)])
    func inTheZoneThatTheHostHasThen(_ ahead: Int64, _ end: Int64) throws {
        let mesh = try mesh()
        try mesh.tellAll(2)
        mesh.zone = LocalZone { _ in ahead * 3_600 }
        try mesh.leave(minute) {}
        try mesh.pass(noon + end * hour - second - mesh.now.at)
        #expect(try mesh.waiting().isEmpty)
        try mesh.pass(second)
        #expect(try mesh.waiting().count == 1)
    }

    /// There it is five in the afternoon.
    @Test func orIsNoneThere() throws {
        let mesh = try mesh()
        try mesh.tellAll(2)
        mesh.zone = LocalZone { _ in -6 * 3_600 }
        try mesh.leave(minute) {}
        #expect(try mesh.waiting().map(\.counts) == [[.init(rule: "direct", count: 2)]])
    }

    /// Also without a restart: before targets are told the zone is looked at again.
    @Test func alsoWhenItMovesUnderARunningGateway() throws {
        let ahead = Mutex<Int64>(0)
        let mesh = try mesh(zone: LocalZone { _ in ahead.withLock { $0 } })
        try mesh.tellAll(2)
        ahead.withLock { $0 = -7_200 }
        try mesh.pass(Self.morning - mesh.now.at)
        #expect(try mesh.waiting().isEmpty && mesh.deadline == Self.morning + 2 * hour)
        try mesh.pass(2 * hour)
        #expect(try mesh.waiting().count == 1)
    }

    /// Its clock was ten hours ahead, or has never been set.
    @Test func byAClockThatIsRight() throws {
        let mesh = try mesh()
        try mesh.tellAll(2)
        try mesh.setClock(by: -10 * hour)
        #expect(try mesh.waiting().count == 1, "it is the middle of the day")
        try mesh.setClock(by: -mesh.now.at)
        try mesh.tellAll(1, from: 10)
        try mesh.setClock(by: Self.evening)
        try mesh.tellAll(1, from: 20)
        #expect(try mesh.held().map(\.heldUntil) == [Self.morning])
        try mesh.setClock(by: 8 * hour)
        #expect(try mesh.held().isEmpty)
    }

    /// A person has deleted the message.
    @Test func butNotWhatIsDeleted() throws {
        let mesh = try mesh(["direct": "when = direct message\ntext = yes\n\(Self.quiet)"])
        try mesh.tellAll(1)
        let id = try #require(try mesh.feed().last?.messageID)
        try mesh.change { writer, source, _ in _ = try writer.deleteMessage(id: id, in: source) }
        try mesh.pass(Self.morning - mesh.now.at)
        #expect(try mesh.waiting().isEmpty && mesh.held().isEmpty)
    }
}
