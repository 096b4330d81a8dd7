// Classes: `[a-z]`, `[:alpha:]`, `\d`, `\pL`; and single characters, which may be written with a backslash.

extension PatternParser {
    mutating func set() throws(PatternMistake) -> ScalarSet {
        let start = place
        place += 1
        var set = ScalarSet()
        set.isNegated = take("^")
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            isFirst = false
            if scalar == "[", isNext("[:"), try namedSet(into: &set) { continue }
            if take("\\") {
                if try escapedSet(into: &set) { continue }
                place -= 1
            }
            let from = place
            let low = try self.scalar()
            var high = low
            if next == "-", let behind = at(place + 1), behind != "]" {
                place += 1
                high = try self.scalar()
            }
            guard low <= high else { throw mistake("the range goes backwards; the lower end comes first", at: from) }
            set.insert(low...high, ignoresCase: flags.ignoresCase)
        }
        guard take("]") else { throw mistake("this bracket is not closed; write \\[ for the character", at: start) }
        return set.sorted()
    }

    /// `[:alpha:]` inside a class. False if there is none.
    mutating func namedSet(into set: inout ScalarSet) throws(PatternMistake) -> Bool {
        let start = place
        guard let end = (start + 2..<end).first(where: { text[$0] == ":" && at($0 + 1) == "]" })
        else { return false }
        var name = String(String.UnicodeScalarView(text[(start + 2)..<end]))
        let isNegated = name.hasPrefix("^")
        if isNegated { name.removeFirst() }
        guard let ranges = Self.posix[name] else {
            throw mistake(
                "there is no class [:\(name):]; there are \(Self.posix.keys.sorted().joined(separator: ", "))",
                at: start)
        }
        insert(ranges, isNegated: isNegated, into: &set)
        place = end + 2
        return true
    }

    /// Reads a class after a backslash. False if it is a single scalar.
    mutating func escapedSet(into set: inout ScalarSet) throws(PatternMistake) -> Bool {
        guard let scalar = next else { return false }
        if let ranges = Self.perl[scalar] {
            place += 1
            insert(ranges, isNegated: false, into: &set)
            return true
        }
        if let positive = Self.negated[scalar], let ranges = Self.perl[positive] {
            place += 1
            insert(ranges, isNegated: true, into: &set)
            return true
        }
        guard scalar == "p" || scalar == "P" else { return false }
        let start = place - 1
        place += 1
        var isNegated = scalar == "P"
        var name = ""
        if take("{") {
            if take("^") { isNegated.toggle() }
            while let scalar = next, scalar.isOfWord {
                name.unicodeScalars.append(scalar)
                place += 1
            }
            guard take("}") else { throw mistake("\\p is not closed; write for example \\p{Lu}", at: start) }
        } else if let scalar = next {
            name.unicodeScalars.append(scalar)
            place += 1
        }
        guard let mask = ScalarSet.Category.mask(name) else {
            throw mistake(
                "there is no category \"\(name)\"; write for example \\pL for letters, \\p{Lu}, \\pN", at: start)
        }
        set.insert(ScalarSet.Category(mask: mask, isNegated: isNegated, ignoresCase: flags.ignoresCase))
        return true
    }

    func insert(_ ranges: [ClosedRange<UInt32>], isNegated: Bool, into set: inout ScalarSet) {
        var found = ScalarSet()
        for range in ranges { found.insert(range, ignoresCase: flags.ignoresCase) }
        set.insert(found.sorted(), isNegated: isNegated)
    }

    static let perl: [Unicode.Scalar: [ClosedRange<UInt32>]] = [
        "d": [0x30...0x39], "s": [0x09...0x0A, 0x0C...0x0D, 0x20...0x20],
        "w": [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A],
    ]
    static let negated: [Unicode.Scalar: Unicode.Scalar] = ["D": "d", "S": "s", "W": "w"]

    static let posix: [String: [ClosedRange<UInt32>]] = [
        "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A], "alpha": [0x41...0x5A, 0x61...0x7A],
        "ascii": [0...0x7F], "blank": [0x09...0x09, 0x20...0x20], "cntrl": [0...0x1F, 0x7F...0x7F],
        "digit": [0x30...0x39], "graph": [0x21...0x7E], "lower": [0x61...0x7A], "print": [0x20...0x7E],
        "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E], "space": [0x09...0x0D, 0x20...0x20],
        "upper": [0x41...0x5A], "word": [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A],
        "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
    ]

    // MARK: scalars

    /// A scalar, which may be escaped with a backslash.
    mutating func scalar() throws(PatternMistake) -> UInt32 {
        let start = place
        let scalar = text[place]
        place += 1
        guard scalar == "\\" else { return scalar.value }
        guard let escaped = next else {
            throw mistake("nothing is behind the backslash; write \\\\ for the character", at: start)
        }
        place += 1
        switch escaped {
        case "a": return 0x07
        case "f": return 0x0C
        case "n": return 0x0A
        case "r": return 0x0D
        case "t": return 0x09
        case "v": return 0x0B
        case "x": return try hexadecimal(from: start)
        case "1"..."9", "k", "g":
            throw mistake("back-references cannot be found in linear time; write out what is to come twice", at: start)
        default:
            guard escaped.isASCII, !escaped.isOfWord || escaped == "_" else {
                throw mistake("\\\(escaped) means nothing here", at: start)
            }
            return escaped.value
        }
    }

    /// `\x41` or `\x{1F600}`.
    mutating func hexadecimal(from start: Int) throws(PatternMistake) -> UInt32 {
        let isBraced = take("{")
        var digits = ""
        while let scalar = next, digits.utf8.count < (isBraced ? 8 : 2), scalar.isASCII, Character(scalar).isHexDigit {
            digits.unicodeScalars.append(scalar)
            place += 1
        }
        guard let value = UInt32(digits, radix: 16), isBraced ? take("}") : digits.utf8.count == 2,
            value <= ScalarSet.last
        else { throw mistake("write \\x and two hexadecimal digits, or \\x{1F600}", at: start) }
        return value
    }
}
