import Testing

@testable import Rules

/// Quiet hours are those of the host's clocks, also in the nights in which these are changed.
@Suite struct AQuietNightFollowsTheClocks {
    /// Hours, a day in Berlin, minutes after its midnight, and how many minutes of quiet are left.
    private static let nights: [(String, String, Int64, Int64?)] = [
        ("22:00-07:00", "2026-11-25", 1_320, 540), ("22:00-07:00", "2026-11-25", 1_319, nil),
        ("22:00-07:00", "2026-11-25", 0, 420), ("22:00-07:00", "2026-11-25", 419, 1),
        ("22:00-07:00", "2026-11-25", 420, nil), ("13:00-14:30", "2026-11-25", 780, 90),
        ("13:00-14:30", "2026-11-25", 870, nil), ("0:00-06:00", "2026-11-25", 0, 360),
        ("22:00-00:00", "2026-11-25", 1_380, 60), ("22:00-00:00", "2026-11-26", 0, nil),
        ("22:00-21:59", "2026-11-25", 1_319, nil), ("22:00-21:59", "2026-11-25", 1_320, 1_439),
        // 2027-03-28: from 2:00 to 3:00. An hour less.
        ("22:00-07:00", "2027-03-27", 1_320, 480), ("22:00-02:30", "2027-03-27", 1_320, 240),
        ("02:30-07:00", "2027-03-28", 119, nil), ("02:30-07:00", "2027-03-28", 120, 240),
        ("02:10-02:40", "2027-03-28", 120, nil),
        // 2026-10-25: from 3:00 to 2:00. An hour more; 2:30 is the first one.
        ("22:00-07:00", "2026-10-24", 1_320, 600), ("22:00-02:30", "2026-10-24", 1_320, 270),
        ("22:00-02:30", "2026-10-25", 185, nil), ("02:30-07:00", "2026-10-25", 185, 295),
    ]

    @Test(arguments: nights)
    func inBerlin(_ text: String, _ day: String, _ minutes: Int64, _ left: Int64?) throws {
        let zone = try Zone("Europe/Berlin")
        let time = try zone.midnight(day) + minutes * minute
        let end = try QuietHours(text).night(at: time, in: zone.zone)?.end
        #expect(end.map { ($0 - time) / minute } == left)
    }

    /// A date that Samoa left out, and the longest night that there is.
    @Test func elsewhere() throws {
        let apia = try Zone("Pacific/Apia")
        let time = try apia.midnight("2011-12-29") + 23 * hour
        let end = try #require(try QuietHours("22:00-07:00").night(at: time, in: apia.zone)).end
        #expect(apia.shown(end) == "31 00:00")
        let berlin = try Zone("Europe/Berlin")
        let long = try berlin.midnight("2026-10-24") + 22 * hour
        let last = try #require(try QuietHours("22:00-21:59").night(at: long, in: berlin.zone)).end
        #expect(last - long == 24 * hour + 59 * minute && last - long < QuietHours.longest)
    }

    @Test(arguments: [
        ("22:00", "quiet cannot be \"22:00\"; write two times of the day, such as 22:00-07:00"),
        ("22-7", "quiet cannot be \"22-7\""), ("22:00-24:00", "quiet cannot be \"22:00-24:00\""),
        ("22:00-7:5", "quiet cannot be \"22:00-7:5\""), ("22:00-07:60", "quiet cannot be"),
        ("-1:00-07:00", "quiet cannot be"), ("22:00-07:00-08:00", "quiet cannot be"),
        ("+2:00-07:00", "quiet cannot be"),
        ("at night", "quiet cannot be \"at night\""), ("7:00-07:00", "quiet \"7:00-07:00\" ends as it begins"),
    ])
    func whatCannotBe(_ value: String, _ text: String) {
        let file = RuleFile("when = mention\nquiet = \(value)", name: "rule", path: "r")
        #expect(file.mistakes.first?.description.hasPrefix("r:2: \(text)") == true, "\(file.mistakes)")
    }

    @Test func blanksDoNotCount() throws {
        #expect(try QuietHours("22:00 - 7:00") == QuietHours("22:00-07:00"))
    }
}
