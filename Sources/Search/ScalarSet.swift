/// A class of a pattern: `[a-z]`, `\d`, `\pL`. One that ignores letter case is right only about folded scalars.
struct ScalarSet: Hashable, Sendable {
    struct Category: Hashable, Sendable {
        /// A bit for each general category in `named`.
        var mask: UInt32
        var isNegated: Bool
        var ignoresCase: Bool
    }

    static let last: UInt32 = 0x10FFFF

    private(set) var ranges: [ClosedRange<UInt32>] = []
    private(set) var categories: [Category] = []
    var isNegated = false
    /// The ASCII scalars in two halves: most lookups are for these.
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    mutating func insert(_ range: ClosedRange<UInt32>, ignoresCase: Bool) {
        ranges.append(range)
        guard ignoresCase else { return }
        for block in LetterCase.blocks where block.overlaps(range) {
            for scalar in block.clamped(to: range) {
                let folded = LetterCase.folded(scalar)
                if !range.contains(folded) { ranges.append(folded...folded) }
            }
        }
    }

    /// Inserts the ranges of another set, which must be sorted; if negated, everything between them.
    mutating func insert(_ other: ScalarSet, isNegated: Bool) {
        if isNegated {
            var next: UInt32 = 0
            for range in other.ranges {
                if range.lowerBound > next { ranges.append(next...(range.lowerBound - 1)) }
                next = range.upperBound + 1
            }
            if next <= Self.last { ranges.append(next...Self.last) }
        } else {
            ranges += other.ranges
        }
    }

    mutating func insert(_ category: Category) { categories.append(category) }

    /// Merges ranges that overlap, and prepares lookups.
    func sorted() -> ScalarSet {
        var result = self
        result.ranges = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.ranges.last, range.lowerBound <= last.upperBound + 1 {
                let end = max(last.upperBound, range.upperBound)
                result.ranges[result.ranges.count - 1] = last.lowerBound...end
            } else {
                result.ranges.append(range)
            }
        }
        for scalar in 0..<128 as Range<UInt32> where result.finds(scalar) {
            if scalar < 64 { result.low |= 1 << UInt64(scalar) } else { result.high |= 1 << UInt64(scalar - 64) }
        }
        return result
    }

    func contains(_ scalar: UInt32) -> Bool {
        if scalar < 64 { return low >> UInt64(scalar) & 1 == 1 }
        if scalar < 128 { return high >> UInt64(scalar - 64) & 1 == 1 }
        return finds(scalar)
    }

    private func finds(_ scalar: UInt32) -> Bool {
        var (start, end) = (0, ranges.count)
        while start < end {
            let middle = (start + end) / 2
            if ranges[middle].upperBound < scalar { start = middle + 1 } else { end = middle }
        }
        let isInRange = start < ranges.count && ranges[start].contains(scalar)
        return (isInRange || categories.contains { $0.contains(scalar) }) != isNegated
    }

    /// Whether it may contain scalars outside of ASCII, before or after folding.
    var isMoreThanASCII: Bool { isNegated || !categories.isEmpty || ranges.last.map { $0.upperBound >= 0x80 } ?? false }
}

extension ScalarSet.Category {
    func contains(_ scalar: UInt32) -> Bool {
        if ignoresCase {
            return LetterCase.all(of: scalar).contains { Self.bit($0) & mask != 0 } != isNegated
        }
        return (Unicode.Scalar(scalar).map { Self.bit($0) & mask != 0 } ?? false) != isNegated
    }

    private static func bit(_ scalar: Unicode.Scalar) -> UInt32 {
        let category = scalar.properties.generalCategory
        return named.firstIndex { $0.category == category }.map { 1 << UInt32($0) } ?? 0
    }

    /// The categories that a name such as "L" or "Lu" means; nil if there are none.
    static func mask(_ name: String) -> UInt32? {
        var mask: UInt32 = 0
        for (place, found) in named.enumerated()
        where found.name == name || found.name.hasPrefix(name) && name.utf8.count == 1 {
            mask |= 1 << UInt32(place)
        }
        return mask == 0 ? nil : mask
    }

    private static let named: [(name: String, category: Unicode.GeneralCategory)] = [
        ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter), ("Lm", .modifierLetter),
        ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
        ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
        ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation), ("Pi", .initialPunctuation),
        ("Pf", .finalPunctuation), ("Po", .otherPunctuation), ("Sm", .mathSymbol), ("Sc", .currencySymbol),
        ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
        ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format), ("Co", .privateUse),
    ]
}
