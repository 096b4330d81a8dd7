/// A time as people write it: `90s`, `30m`, `24h`, `7d`, `2w`.
enum TimeSpan {
    static func milliseconds(_ text: some StringProtocol) -> Int64? {
        let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...100_000).contains(count)
        else { return nil }
        return count * unit
    }
}

extension LocalQuestion {
    /// When the query's `since` was, in host milliseconds; nil without one.
    func since() throws(APIError) -> Int64? {
        guard let text = request.queryValue("since") else { return nil }
        guard let span = TimeSpan.milliseconds(text) else {
            throw .badRequest("\"\(text)\" is no time; write it like 90s, 30m, 24h, 7d or 2w")
        }
        return Clock.wall() - span
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
