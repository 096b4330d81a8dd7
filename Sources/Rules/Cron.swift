import Folders

/// Times by minute, hour, day of the month, month and day of the week, as in a crontab, in the host's time zone.
///
/// A time that the clocks skip runs once, when they skip it; a time that they show twice runs the first time.
public struct Cron: Hashable, Sendable {
    private var minutes: [Int64] = []
    private var hours: [Int64] = []
    private var days: Set<Int> = []
    private var months: Set<Int> = []
    /// Sunday is 0.
    private var weekdays: Set<Int> = []
    /// Both are given, and either is enough.
    private var isEitherDay = false

    private struct Field {
        let name: String
        let values: ClosedRange<Int>
        var words: [String] = []
    }

    private static let fields = [
        Field(name: "minute", values: 0...59), Field(name: "hour", values: 0...23),
        Field(name: "day of the month", values: 1...31),
        Field(
            name: "month", values: 1...12,
            words: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
        Field(name: "day of the week", values: 0...7, words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
    ]

    /// How often it comes in an hour, if at all.
    var mostTimesAnHour: Int { minutes.count }

    /// - Parameter text: "0 7 * * *", or "7:00" for the same.
    init(_ text: String) throws(BadValue) {
        var words = text.split(whereSeparator: \.isBlank).map(String.init)
        let time = text.split(separator: ":", omittingEmptySubsequences: false)
        if words.count == 1, time.count == 2, time[1].count == 2 {
            words = [String(time[1]), String(time[0]), "*", "*", "*"]
        }
        guard words.count == 5 else {
            throw BadValue(
                "\"\(text)\" has \(words.count) of five parts: minute, hour, day of the month, month and day of the week; "
                    + "write for example: at 0 7 * * * for 7:00 each day")
        }
        var found: [Set<Int>] = []
        for (word, field) in zip(words, Self.fields) { found.append(try Self.values(of: word, field)) }
        (minutes, hours) = (found[0].sorted().map(Int64.init), found[1].sorted().map(Int64.init))
        (days, months) = (found[2], found[3])
        weekdays = Set(found[4].map { $0 % 7 })
        isEitherDay = !words[2].hasPrefix("*") && !words[4].hasPrefix("*")
        let longest = months.map { $0 == 2 ? 29 : [4, 6, 9, 11].contains($0) ? 30 : 31 }.max() ?? 0
        guard isEitherDay || days.min() ?? 0 <= longest else {
            throw BadValue("\"\(text)\" never comes: no such month has \(days.min() ?? 0) days")
        }
    }

    /// `*`, `5`, `1-5`, `*/15`, `8-18/2` and several of them with commas between.
    private static func values(of text: String, _ field: Field) throws(BadValue) -> Set<Int> {
        let wrong = BadValue(
            "\"\(text)\" is no \(field.name); write * or numbers from \(field.values.lowerBound) to "
                + "\(field.values.upperBound), such as 5, 1-5, */15 or 1,15")
        var found: Set<Int> = []
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let halves = part.split(separator: "/", omittingEmptySubsequences: false)
            guard (1...2).contains(halves.count) else { throw wrong }
            var step = 1
            if halves.count == 2 {
                guard let number = number(halves[1]), number > 0 else { throw wrong }
                step = number
            }
            var range = field.values
            if halves[0] != "*" {
                let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
                guard (1...2).contains(ends.count), let low = value(ends[0], field),
                    let high = value(ends[ends.count - 1], field),
                    low <= high, field.values.contains(low), field.values.contains(high)
                else { throw wrong }
                // "8/2" runs from 8 to the field's end.
                range = low...(ends.count == 1 && halves.count == 2 ? field.values.upperBound : high)
            }
            found.formUnion(stride(from: range.lowerBound, through: range.upperBound, by: step))
        }
        return found
    }

    private static func value(_ text: Substring, _ field: Field) -> Int? {
        if let place = field.words.firstIndex(of: String(text)) { return place + (field.values.lowerBound) }
        return number(text)
    }

    private static func number(_ text: Substring) -> Int? {
        (1...4).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit) ? Int(text) : nil
    }

    // MARK: when

    /// The next time, in host milliseconds; nil if there is none within nine years.
    func next(after time: Int64, in zone: LocalZone) -> Int64? {
        let start = floored(time, 1_000)
        let now = start + zone.offset(start)
        // A local time that the clocks skipped may still be due, up to three hours later.
        let earliest = now - 10_800
        let today = floored(now, 86_400)
        for day in (today - 1)...(today + 9 * 366) where has(day: day) {
            for hour in hours {
                for minute in minutes {
                    let local = day * 86_400 + hour * 3_600 + minute * 60
                    guard local >= earliest else { continue }
                    let moment = zone.moment(of: local) * 1_000
                    if moment > time { return moment }
                }
            }
        }
        return nil
    }

    private func has(day: Int64) -> Bool {
        let (month, dayOfMonth) = Self.date(of: day)
        guard months.contains(month) else { return false }
        let isDay = days.contains(dayOfMonth)
        // 1970-01-01 was a Thursday.
        let isWeekday = weekdays.contains(Int(modulo(day + 4, 7)))
        return isEitherDay ? isDay || isWeekday : isDay && isWeekday
    }

    /// The date of a day counted since 1970. Years begin in March here, so that a leap day is their last.
    private static func date(of day: Int64) -> (month: Int, day: Int) {
        let shifted = day + 719_468
        let inEra = modulo(shifted, 146_097)
        let year = (inEra - inEra / 1_460 + inEra / 36_524 - inEra / 146_096) / 365
        let inYear = inEra - (365 * year + year / 4 - year / 100)
        let month = (5 * inYear + 2) / 153
        return (Int(month < 10 ? month + 3 : month - 9), Int(inYear - (153 * month + 2) / 5 + 1))
    }
}

private func floored(_ value: Int64, _ divisor: Int64) -> Int64 { (value - modulo(value, divisor)) / divisor }

private func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
    let rest = value % divisor
    return rest < 0 ? rest + divisor : rest
}
