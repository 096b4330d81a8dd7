import Glibc
import Platform

/// What `--expires` says.
enum Expiry {
    static let forms = "a day such as 2027-01-31 (its last one), or a time from now such as 12h, 30d or 8w"

    /// Host milliseconds; nil when the text is neither.
    static func milliseconds(_ text: String, now: time_t = time(nil)) -> Int64? {
        guard let seconds = duration(text).map({ now + $0 }) ?? endOfDay(text), seconds > now else { return nil }
        return Int64(seconds) * 1000
    }

    /// Hours, days or weeks; a hundred years at most.
    private static func duration(_ text: String) -> time_t? {
        TimeSpan.milliseconds(text, units: "hdw", in: 3_600_000...876_000 * 3_600_000).map { time_t($0 / 1000) }
    }

    /// The midnight at which a day ends, in the box's local time.
    private static func endOfDay(_ text: String) -> time_t? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.count) == [4, 2, 2], let year = number(parts[0], 1970...9998),
            let month = number(parts[1], 1...12), let day = number(parts[2], 1...31)
        else { return nil }
        func midnight(_ day: Int) -> (time: time_t, day: Int32) {
            var time = tm()
            (time.tm_year, time.tm_mon, time.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
            // Whether summer time applies is for mktime(3) to find out.
            time.tm_isdst = -1
            let seconds = mktime(&time)
            return (seconds, time.tm_mday)
        }
        // The 30th of February comes back as another day.
        guard midnight(day).day == day else { return nil }
        return midnight(day + 1).time
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(text), range.contains(value) else {
            return nil
        }
        return value
    }
}
