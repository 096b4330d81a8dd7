import Platform
import Routes

/// A span of time as people write it: `90s`, `30m`, `2h`, `7d`, `4w`.
public enum TimeSpan {
    public static let forms = "90s, 30m, 2h, 7d or 4w"

    /// Milliseconds; nil when it is none, or longer than a hundred years.
    public static func milliseconds(_ text: some StringProtocol) -> Int64? {
        let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000]
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ units[$0] }), !digits.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(digits),
            count <= 3_155_760_000_000 / unit
        else { return nil }
        return count * unit
    }
}

extension LocalQuestion {
    /// When the query's `since` was, in host milliseconds; nil without one.
    func since() throws(APIError) -> Int64? {
        guard let text = request.queryValue("since") else { return nil }
        guard let span = TimeSpan.milliseconds(text) else {
            throw .badRequest("\"\(text)\" is no time; write it like \(TimeSpan.forms)")
        }
        return WallClock.milliseconds() - span
    }

    /// A number of the query; nil without one.
    func number(_ key: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let text = request.queryValue(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badRequest(
                "\"\(text)\" is no \(key); give a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
