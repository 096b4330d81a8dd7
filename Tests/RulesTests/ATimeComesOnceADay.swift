import Foundation
import MeshModel
import Testing

@testable import Rules

/// `at` by the host's clock, in its zone: also on the days on which the clocks are changed.
@Suite struct ATimeComesOnceADay {
    /// Hours and minutes in Berlin from a day on.
    @Test(arguments: [
        // 2027-03-28: from 2:00 to 3:00.
        ("30 2 * * *", "2027-03-27", ["27 02:30", "28 03:00", "29 02:30"]),
        ("0 3 * * *", "2027-03-27", ["27 03:00", "28 03:00", "29 03:00"]),
        ("*/30 1-3 * * *", "2027-03-28", ["28 01:00", "28 01:30", "28 03:00", "28 03:30", "29 01:00"]),
        // 2026-10-25: from 3:00 to 2:00.
        ("30 2 * * *", "2026-10-24", ["24 02:30", "25 02:30", "26 02:30"]),
        ("0,30 2-3 * * *", "2026-10-25", ["25 02:00", "25 02:30", "25 03:00", "25 03:30", "26 02:00"]),
        ("7:05", "2026-10-24", ["24 07:05", "25 07:05", "26 07:05"]),
        ("0 7 * * mon", "2026-10-24", ["26 07:00", "02 07:00"]), ("0 7 1 * *", "2026-10-24", ["01 07:00", "01 07:00"]),
        ("0 7 1 * 7", "2026-10-24", ["25 07:00", "01 07:00", "08 07:00"]), ("0 0 29 feb *", "2026-10-24", ["29 00:00"]),
        ("0 12 * jan-feb 1-5/2", "2026-10-24", ["01 12:00", "04 12:00"]),
    ])
    func inBerlin(_ text: String, _ day: String, _ expected: [String]) throws {
        let zone = try Zone("Europe/Berlin")
        let cron = try Cron(text)
        var time = try zone.midnight(day) - 1
        var found: [String] = []
        for _ in expected {
            time = try #require(cron.next(after: time, in: zone.zone))
            found.append(zone.shown(time))
        }
        #expect(found == expected)
    }

    /// Half an hour on Lord Howe, a whole day that Samoa left out, and none where nothing changes.
    @Test func elsewhere() throws {
        let howe = try Zone("Australia/Lord_Howe")
        let skipped = try #require(try Cron("15 2 * * *").next(after: try howe.midnight("2026-10-04"), in: howe.zone))
        #expect(howe.shown(skipped) == "04 02:30")
        let apia = try Zone("Pacific/Apia")
        let left = try #require(try Cron("0 7 30 12 *").next(after: try apia.midnight("2011-12-29"), in: apia.zone))
        #expect(apia.shown(left) == "31 00:00")
        let utc = try Zone("Etc/UTC")
        let next = try #require(try Cron("0 7 * * *").next(after: noon, in: utc.zone))
        #expect(next == noon + 19 * hour)
    }

    @Test func itTellsItsText() throws {
        let mesh = FakeMesh()
        mesh.engine.zone = LocalZone { _ in 0 }
        try mesh.use(["net": "when = at 13:00\nsay = The net begins"])
        try mesh.start()
        try mesh.pass(49 * hour)
        #expect(mesh.told() == ["The net begins", "The net begins", "The net begins"])
        #expect(mesh.wakes < 10)
    }

    @Test func orADigest() throws {
        let mesh = FakeMesh()
        mesh.engine.zone = LocalZone { _ in 0 }
        try mesh.use(["day": "when = at 0 12 * * *"])
        try mesh.hear(bob)
        try mesh.start()
        try mesh.pass(hour)
        try mesh.write("hello", id: 1)
        try mesh.write("hello again", id: 2)
        try mesh.hear(ownNode) { $0.channelUtilization = 12.5 }
        try mesh.pass(24 * hour)
        #expect(mesh.firings.map(\.row.title) == ["2 nodes heard, 2 texts"])
        #expect(mesh.firings.map(\.row.body) == ["New: Anna, Bob\nChannel use: 12.5 %"])
        try mesh.hear(anna)
        try mesh.pass(24 * hour)
        #expect(mesh.firings.last?.row.title == "1 node heard, 0 texts")
        #expect(mesh.firings.last?.row.body == "Silent: Bob\nChannel use: 12.5 %")
    }

    /// The service was away at the time: a few minutes are made up for, hours are not, and nothing comes twice.
    @Test(arguments: [(5, 1), (90, 0)]) func overARestart(_ minutes: Int64, _ count: Int) throws {
        let killed = try KilledMesh(["net": "when = at 13:00\nsay = The net begins"], zone: LocalZone { _ in 0 })
        let mesh = killed.mesh
        try mesh.pass(noon + 58 * minute - mesh.now.at)
        mesh.now.at += minutes * minute
        for _ in 0..<2 { try killed.kill() }
        let told = mesh.firings.filter { $0.fate == .told }.map { ($0.row.createdAt - noon) / minute }
        #expect(told == Array(repeating: 60, count: count))
    }

    /// A 29th of February that is a Sunday or a Monday comes again after 12 years, which is further than the search goes. Behind
    /// the last millisecond that Int64 has there is one on a Monday: a search from there on overflows.
    @Test func alsoForTheLastTime() throws {
        let mesh = FakeMesh()
        mesh.engine.zone = LocalZone { _ in 0 }
        mesh.now.at = try Zone("Etc/UTC").midnight("2032-02-29") + 6 * hour
        try mesh.use(["leap": "when = at 0 7 29 2 */7,1\nsay = A leap Sunday"])
        try mesh.start()
        try mesh.setClock(by: 4 * hour)
        try mesh.pass(48 * hour)
        #expect(mesh.told() == [])
    }

    /// The clock goes back over the time: it has been.
    @Test func notAgainWhenTheClockIsSetBack() throws {
        let mesh = FakeMesh()
        mesh.engine.zone = LocalZone { _ in 0 }
        try mesh.use(["net": "when = at 13:00\nsay = The net begins"])
        try mesh.start()
        try mesh.pass(hour)
        #expect(mesh.told().count == 1)
        try mesh.setClock(by: -30 * minute)
        try mesh.pass(hour)
        #expect(mesh.told() == [])
    }

    /// The rule was read while the clock was years ahead, and is read again when it is right.
    @Test func alsoByAClockThatWasAhead() throws {
        let (mesh, years) = (FakeMesh(), 4 * 365 * 24 * hour)
        mesh.engine.zone = LocalZone { _ in 0 }
        let rules = ["net": "when = at 13:00\nsay = The net begins"]
        try mesh.start()
        try mesh.setClock(by: years)
        try mesh.use(rules)
        try mesh.setClock(by: -years)
        try mesh.use(rules)
        try mesh.pass(24 * hour)
        #expect(mesh.told() == ["The net begins"])
    }

    /// What it told then is no time since which there is anything to tell.
    @Test func andADigestIsOfADayThen() throws {
        let (mesh, years) = (FakeMesh(), 4 * 365 * 24 * hour)
        mesh.engine.zone = LocalZone { _ in 0 }
        try mesh.use(["day": "when = at 13:00"])
        try mesh.start()
        try mesh.setClock(by: years)
        try mesh.pass(2 * hour)
        try mesh.setClock(by: -years)
        try mesh.hear(anna)
        try mesh.pass(24 * hour)
        #expect(mesh.firings.map(\.row.title) == ["0 nodes heard, 0 texts", "1 node heard, 0 texts"])
    }

    /// A Raspberry Pi starts in 1970, and learns a few minutes after the time that it has come.
    @Test func alsoOverAStartWithoutAClock() throws {
        let killed = try KilledMesh(["net": "when = at 13:00\nsay = The net begins"], zone: LocalZone { _ in 0 })
        let mesh = killed.mesh
        try mesh.pass(noon + 58 * minute - mesh.now.at)
        mesh.now.at = minute
        try killed.kill()
        try mesh.setClock(by: noon + 65 * minute - mesh.now.at)
        #expect(mesh.told() == ["The net begins"])
    }

    @Test(arguments: [
        ("at", "\"at\" says no time; write for example: at 0 7 * * *"), ("at 7", "\"7\" has 1 of five parts"),
        ("at 0 7 * *", "\"0 7 * *\" has 4 of five parts"),
        ("at 60 7 * * *", "\"60\" is no minute; write * or numbers from 0 to 59"),
        ("at 0 25 * * *", "\"25\" is no hour"), ("at 0 7 0 * *", "\"0\" is no day of the month"),
        ("at 0 7 * 13 *", "\"13\" is no month"), ("at 0 7 * * 8", "\"8\" is no day of the week"),
        ("at 0 7 31 2 *", "\"0 7 31 2 *\" never comes: no such month has 31 days"),
        ("at 0 7 31 4,6 *", "\"0 7 31 4,6 *\" never comes"),
        ("at */0 7 * * *", "\"*/0\" is no minute"), ("at 5-1 7 * * *", "\"5-1\" is no minute"),
        ("at 25:00", "\"25\" is no hour"),
    ])
    func whatCannotBe(_ when: String, _ text: String) {
        let file = RuleFile("when = \(when)", name: "rule", path: "")
        #expect(file.mistakes.first?.text.hasPrefix(text) == true, "\(file.mistakes)")
    }

    @Test func whatIsSaidNeedsATime() {
        let file = RuleFile("when = mention\nsay = x", name: "rule", path: "")
        #expect(
            file.mistakes.first?.text == "say cannot be with \"mention\": it has words of its own; take the line out")
    }
}

/// A zone as Debian's tzdata has it, apart from the process's own.
struct Zone {
    let zone: LocalZone

    init(_ name: String) throws {
        // TZif: a block of 32-bit times, then the same with 64 bits (RFC 8536).
        let file = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)"))
        let bytes = [UInt8](file)
        func number(_ place: Int, _ size: Int) -> Int64 {
            let value = bytes[place..<(place + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
        }
        func counts(_ place: Int) -> [Int] { (0..<6).map { Int(number(place + 20 + 4 * $0, 4)) } }
        let first = counts(0)
        let second = 44 + first[3] * 5 + first[4] * 6 + first[5] + first[2] * 8 + first[1] + first[0]
        let (times, types) = (counts(second)[3], counts(second)[4])
        let start = second + 44
        var changes: [(at: Int64, offset: Int64)] = []
        func offset(_ type: Int) -> Int64 { number(start + times * 9 + type * 6, 4) }
        for index in 0..<times {
            changes.append((number(start + 8 * index, 8), offset(Int(bytes[start + 8 * times + index]))))
        }
        let (all, before) = (changes, types > 0 ? offset(0) : 0)
        zone = LocalZone { time in all.last { $0.at <= time }?.offset ?? before }
    }

    /// Host milliseconds.
    func midnight(_ day: String) throws -> Int64 {
        let formatter = ISO8601DateFormatter()
        let date = try #require(formatter.date(from: "\(day)T00:00:00Z"))
        return zone.moment(of: Int64(date.timeIntervalSince1970)) * 1_000
    }

    /// Day of the month, hour and minute.
    func shown(_ time: Int64) -> String {
        let local = Date(timeIntervalSince1970: Double(time / 1_000 + zone.offset(time / 1_000)))
        let text = ISO8601DateFormatter().string(from: local)
        return "\(text.dropFirst(8).prefix(2)) \(text.dropFirst(11).prefix(5))"
    }
}
