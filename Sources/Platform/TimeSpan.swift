/// A span of time as people write it, a whole number and a unit: `90s`, `30m`, `2h`, `7d`, `4w`.
public enum TimeSpan {
    public static let forms = "90s, 30m, 2h, 7d or 4w"

    /// A hundred years, in milliseconds.
    public static let longest: Int64 = 3_155_760_000_000

    /// - Parameters:
    ///   - units: those of `smhdw` that it may have.
    ///   - range: of milliseconds.
    /// - Returns: milliseconds; nil for anything else, or beyond the range.
    public static func milliseconds(
        _ text: some StringProtocol, units: String = "smhdw", in range: ClosedRange<Int64> = 0...longest
    ) -> Int64? {
        let digits = text.dropLast()
        guard let letter = text.last, units.contains(letter), let unit = milliseconds(of: letter), !digits.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(digits),
            count <= range.upperBound / unit, range.contains(count * unit)
        else { return nil }
        return count * unit
    }

    private static func milliseconds(of unit: Character) -> Int64? {
        switch unit {
        case "s": 1000
        case "m": 60_000
        case "h": 3_600_000
        case "d": 86_400_000
        case "w": 604_800_000
        default: nil
        }
    }
}
