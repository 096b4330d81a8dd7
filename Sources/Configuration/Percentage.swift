/// A share of something, to a hundredth of a per cent.
public struct Percentage: Sendable, Equatable, CustomStringConvertible {
    /// 0...10000.
    private let hundredths: Int

    public init(_ value: Int) { hundredths = value * 100 }

    static let allowed = "0 to 100 with two decimals at most, such as 2 or 0.5"

    /// A number, with or without the sign for per cent; nil for anything else.
    public init?(_ text: String) {
        var number = Substring(text)
        if number.hasSuffix("%") { number = number.dropLast() }
        while number.hasSuffix(" ") { number = number.dropLast() }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        func digits(_ part: Substring, _ most: Int) -> Bool {
            (1...most).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) }
        }
        guard (1...2).contains(parts.count), digits(parts[0], 3), parts.count == 1 || digits(parts[1], 2),
            let whole = Int(parts[0]), let decimals = parts.count == 1 ? 0 : Int(parts[1])
        else { return nil }
        hundredths = whole * 100 + (parts.last?.utf8.count == 1 && parts.count == 2 ? decimals * 10 : decimals)
        guard hundredths <= 10_000 else { return nil }
    }

    public var value: Double { Double(hundredths) / 100 }

    public var description: String {
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
