import Glibc

/// A span of time as people write it: `90s`, `30m`, `2h`, `7d`, `4w`.
enum Span {
    static let forms = "90s, 30m, 2h, 7d or 4w"

    /// Milliseconds; nil when it is none, or longer than a hundred years.
    static func milliseconds(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000]
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ units[$0] }), !digits.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(digits),
            count <= 3_155_760_000_000 / unit
        else { return nil }
        return count * unit
    }

    /// - Parameter option: for the sentence when it is none.
    static func milliseconds(_ text: String, of option: String) throws -> Int64 {
        guard let span = milliseconds(text) else {
            throw failure("\(option) takes a time such as \(forms), not \"\(text)\".", .usage)
        }
        return span
    }
}
