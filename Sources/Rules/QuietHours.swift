import Folders

/// Times of the day between which a rule leaves its targets alone, in the host's time zone; over midnight if the first is the
/// later one.
///
/// A time that the clocks skip is the moment of the jump; one that they show twice is the first one.
struct QuietHours: Hashable, Sendable {
    /// Longer than any quiet hours, whatever the clocks do, in milliseconds.
    static let longest: Int64 = 26 * 3_600_000
    private static let day: Int64 = 86_400

    /// Seconds since midnight.
    private let begin: Int64
    private let end: Int64

    /// - Parameter text: "22:00-07:00".
    init(_ text: String) throws(BadValue) {
        let times = text.filter { !$0.isBlank }.split(separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2, let begin = Self.seconds(times[0]), let end = Self.seconds(times[1]) else {
            throw BadValue("quiet cannot be \"\(text)\"; write two times of the day, such as 22:00-07:00")
        }
        guard begin != end else {
            throw BadValue("quiet \"\(text)\" ends as it begins; write two times of the day, such as 22:00-07:00")
        }
        (self.begin, self.end) = (begin, end)
    }

    /// "22:00 to 7:00".
    var shown: String {
        func time(_ seconds: Int64) -> String {
            let minutes = seconds / 60 % 60
            return "\(seconds / 3_600):\(minutes < 10 ? "0" : "")\(minutes)"
        }
        return "\(time(begin)) to \(time(end))"
    }

    /// Parses "7:00" or "07:00".
    private static func seconds(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy(isDigit) }),
            let hour = Int64(parts[0]), let minute = Int64(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 3_600 + minute * 60
    }

    /// The quiet hours that last now, in host milliseconds; nil if there are none.
    func night(at time: Int64, in zone: LocalZone) -> (begin: Int64, end: Int64)? {
        let now = time / 1_000
        let today = (now + zone.offset(now)) / Self.day * Self.day
        // Yesterday's, if they go over midnight.
        for night in [today - Self.day, today] {
            let first = zone.moment(of: night + begin) * 1_000
            let last = zone.moment(of: night + end + (end < begin ? Self.day : 0)) * 1_000
            if first <= time, time < last { return (first, last) }
        }
        return nil
    }
}
