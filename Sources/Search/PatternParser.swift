/// Parses a pattern. It may come from a stranger, so its length, depth and states are bounded.
struct PatternParser {
    private struct Flags {
        var ignoresCase = true
        var isDotAll = false
        var isMultiline = false
    }

    /// A part, and how many states it has.
    private typealias Part = (syntax: PatternSyntax, states: Int)

    /// The most states of a pattern.
    static let mostStates = 10_000
    private static let deepest = 100
    private static let mostNames = 20
    private static let mostRepeats = 1_000

    private let text: [Unicode.Scalar]
    private var place = 0
    /// Where reading stops.
    private var end: Int
    private(set) var names: [String] = []
    private var flags = Flags()
    private var depth = 0

    init(_ text: String) throws(PatternMistake) {
        self.text = Array(text.unicodeScalars)
        end = self.text.count
        guard text.utf8.count > Pattern.longest else { return }
        var (bytes, length) = (0, 0)
        for scalar in self.text {
            bytes += UTF8.width(scalar)
            if bytes > Pattern.longest { break }
            length += 1
        }
        throw mistake("the pattern has \(text.utf8.count) bytes, and may have \(Pattern.longest)", at: length)
    }

    func mistake(_ text: String, at place: Int) -> PatternMistake { PatternMistake(text: text, place: place + 1) }

    mutating func pattern() throws(PatternMistake) -> PatternSyntax {
        let part = try choice()
        // Only a bracket can have ended it.
        guard next == nil else { throw mistake("\")\" closes nothing; write \\) for the character", at: place) }
        return part.syntax
    }

    // MARK: choices, sequences and repetitions

    private mutating func choice() throws(PatternMistake) -> Part {
        let before = flags
        depth += 1
        defer { (flags, depth) = (before, depth - 1) }
        guard depth <= Self.deepest else {
            throw mistake("more than \(Self.deepest) groups are in each other", at: place)
        }
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        if parts.count == 1 { return parts[0] }
        return try bounded(
            (.choice(parts.map(\.syntax)), parts.reduce(2 * parts.count) { $0 + $1.states }), at: place)
    }

    private mutating func sequence() throws(PatternMistake) -> Part {
        var (parts, states) = ([PatternSyntax](), 0)
        while let scalar = next, scalar != "|", scalar != ")" {
            guard let part = try repeated() else { continue }
            parts.append(part.syntax)
            states += part.states
        }
        if parts.isEmpty { return (.nothing, 1) }
        return try bounded(parts.count == 1 ? (parts[0], states) : (.sequence(parts), states), at: place)
    }

    /// nil if only flags were set.
    private mutating func repeated() throws(PatternMistake) -> Part? {
        let start = place
        if try repetition() != nil {
            throw mistake("there is nothing to repeat; write \\ before the character", at: start)
        }
        guard let part = try atom() else {
            let after = place
            if try repetition() != nil { throw mistake("there is nothing to repeat", at: after) }
            return nil
        }
        let behind = place
        guard let (least, most) = try repetition() else { return part }
        let isLazy = take("?")
        let again = place
        if try repetition() != nil {
            throw mistake("it is repeated already; put it in brackets to repeat that, such as (?:a*)*", at: again)
        }
        let states = (part.states + 2) * max(1, most ?? least)
        return try bounded((.repeated(part.syntax, from: least, to: most, isLazy: isLazy), states), at: behind)
    }

    private func bounded(_ part: Part, at place: Int) throws(PatternMistake) -> Part {
        guard part.states <= Self.mostStates else {
            throw mistake("the pattern has more than \(Self.mostStates) states; repeat less", at: place)
        }
        return part
    }

    /// `*`, `+`, `?`, `{2}`, `{2,}` and `{2,5}`. Other braces are ordinary characters.
    private mutating func repetition() throws(PatternMistake) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = place
        guard take("{") else { return nil }
        guard let least = number() else {
            place = start
            return nil
        }
        let hasMost = take(",")
        let most = hasMost ? number() : least
        guard take("}") else {
            place = start
            return nil
        }
        guard max(least, most ?? 0) <= Self.mostRepeats else {
            throw mistake("more than \(Self.mostRepeats) repetitions", at: start)
        }
        if let most, most < least { throw mistake("{\(least),\(most)}: the smaller number comes first", at: start) }
        return (least, most)
    }

    private mutating func number() -> Int? {
        let start = place
        while let scalar = next, "0"..."9" ~= scalar { place += 1 }
        guard place > start else { return nil }
        return place - start > 6 ? Int.max : text[start..<place].reduce(0) { $0 * 10 + Int($1.value) - 0x30 }
    }

    // MARK: atoms

    private mutating func atom() throws(PatternMistake) -> Part? {
        let start = place
        switch text[place] {
        case "(": return try group()
        case "[": return (.set(try set(), ignoresCase: flags.ignoresCase), 1)
        case ".":
            place += 1
            return (.any(alsoNewline: flags.isDotAll), 1)
        case "^":
            place += 1
            return (.place(flags.isMultiline ? .lineBegin : .textBegin), 1)
        case "$":
            place += 1
            return (.place(flags.isMultiline ? .lineEnd : .textEnd), 1)
        case "\\":
            place += 1
            switch next {
            case "b", "B", "A", "z":
                place += 1
                let places: [Unicode.Scalar: PatternSyntax.Place] = [
                    "b": .word, "B": .noWord, "A": .textBegin, "z": .textEnd,
                ]
                return (.place(places[text[place - 1]]!), 1)
            default: break
            }
            var set = ScalarSet()
            if try escapedSet(into: &set) { return (.set(set.sorted(), ignoresCase: flags.ignoresCase), 1) }
            place = start
            return (literal(try scalar()), 1)
        default:
            place += 1
            return (literal(text[start].value), 1)
        }
    }

    private func literal(_ scalar: UInt32) -> PatternSyntax {
        .scalar(flags.ignoresCase ? LetterCase.folded(scalar) : scalar, ignoresCase: flags.ignoresCase)
    }

    private mutating func group() throws(PatternMistake) -> Part? {
        let start = place
        place += 1
        var name: Int?
        let outside = flags
        if take("?") {
            if take("P<") || next == "<" && !isNext("<=") && !isNext("<!") && take("<") {
                name = try groupName()
            } else if isNext("=") || isNext("!") || isNext("<") {
                throw mistake(
                    "looking ahead or back cannot be done in linear time; there is no (?=, (?!, (?<= or (?<!", at: start
                )
            } else if try setFlags(from: start) {
                return nil
            }
        }
        let part = try choice()
        guard take(")") else { throw mistake("this bracket is not closed; write \\( for the character", at: start) }
        // Flags of (?i:...) apply only inside.
        flags = outside
        guard let name else { return part }
        return try bounded((.named(name, part.syntax), part.states + 2), at: start)
    }

    private mutating func groupName() throws(PatternMistake) -> Int {
        let start = place
        let name = try word(until: ">")
        guard !names.contains(name) else { throw mistake("two groups are called \"\(name)\"", at: start) }
        guard names.count < Self.mostNames else {
            throw mistake("more than \(Self.mostNames) groups have names", at: start)
        }
        names.append(name)
        return names.count - 1
    }

    /// Reads a group's name and the character after it.
    private mutating func word(until end: Unicode.Scalar) throws(PatternMistake) -> String {
        let start = place
        while let scalar = next, scalar.isOfWord { place += 1 }
        let name = String(String.UnicodeScalarView(text[start..<place]))
        guard (1...32).contains(name.utf8.count), take(end) else {
            throw mistake("a name has 1 to 32 letters, digits and _, and \(end) behind it", at: start)
        }
        return name
    }

    /// Reads the flags after `(?`. True if they are for the rest of the enclosing group.
    private mutating func setFlags(from start: Int) throws(PatternMistake) -> Bool {
        var (isOn, count) = (true, 0)
        while let scalar = next {
            place += 1
            switch scalar {
            case "i": flags.ignoresCase = isOn
            case "s": flags.isDotAll = isOn
            case "m": flags.isMultiline = isOn
            case "-" where isOn:
                isOn = false
                count = 0
                continue
            case ":" where count > 0 || isOn: return false
            case ")" where count > 0: return true
            default: throw mistake("unknown flags; there are i, s and m, such as (?-i)", at: start)
            }
            count += 1
        }
        throw mistake("this bracket is not closed; write \\( for the character", at: start)
    }

    // MARK: classes

    private mutating func set() throws(PatternMistake) -> ScalarSet {
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
    private mutating func namedSet(into set: inout ScalarSet) throws(PatternMistake) -> Bool {
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
    private mutating func escapedSet(into set: inout ScalarSet) throws(PatternMistake) -> Bool {
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

    private func insert(_ ranges: [ClosedRange<UInt32>], isNegated: Bool, into set: inout ScalarSet) {
        var found = ScalarSet()
        for range in ranges { found.insert(range, ignoresCase: flags.ignoresCase) }
        set.insert(found.sorted(), isNegated: isNegated)
    }

    private static let perl: [Unicode.Scalar: [ClosedRange<UInt32>]] = [
        "d": [0x30...0x39], "s": [0x09...0x0A, 0x0C...0x0D, 0x20...0x20],
        "w": [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A],
    ]
    private static let negated: [Unicode.Scalar: Unicode.Scalar] = ["D": "d", "S": "s", "W": "w"]

    private static let posix: [String: [ClosedRange<UInt32>]] = [
        "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A], "alpha": [0x41...0x5A, 0x61...0x7A],
        "ascii": [0...0x7F], "blank": [0x09...0x09, 0x20...0x20], "cntrl": [0...0x1F, 0x7F...0x7F],
        "digit": [0x30...0x39], "graph": [0x21...0x7E], "lower": [0x61...0x7A], "print": [0x20...0x7E],
        "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E], "space": [0x09...0x0D, 0x20...0x20],
        "upper": [0x41...0x5A], "word": [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A],
        "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
    ]

    // MARK: scalars

    /// A scalar, which may be escaped with a backslash.
    private mutating func scalar() throws(PatternMistake) -> UInt32 {
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
    private mutating func hexadecimal(from start: Int) throws(PatternMistake) -> UInt32 {
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

    // MARK: what comes next

    private var next: Unicode.Scalar? { at(place) }

    private func at(_ place: Int) -> Unicode.Scalar? { place < end ? text[place] : nil }

    private func isNext(_ part: String) -> Bool { text[place..<end].starts(with: part.unicodeScalars) }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        place += 1
        return true
    }

    private mutating func take(_ part: String) -> Bool {
        guard isNext(part) else { return false }
        place += part.unicodeScalars.count
        return true
    }
}

// MARK: phrases

extension PatternParser {
    /// Parses a phrase: words, blanks and names in braces.
    mutating func phrase() throws(PatternMistake) -> PatternSyntax {
        var blanks = ScalarSet()
        for range in Self.perl["s"]! { blanks.insert(range, ignoresCase: false) }
        let blank = PatternSyntax.set(blanks.sorted(), ignoresCase: false)
        func some(_ least: Int) -> PatternSyntax { .repeated(blank, from: least, to: nil, isLazy: false) }
        var (parts, states) = ([PatternSyntax.place(.textBegin), some(0)], 4)
        var isBlank = true
        while let scalar = next {
            let start = place
            if scalar == " " || scalar == "\t" {
                place += 1
                if !isBlank { parts.append(some(1)) }
                isBlank = true
                continue
            }
            isBlank = false
            let part: Part = take("{") ? try filled(from: start, except: blanks) : (literal(scalar.value), 1)
            if scalar != "{" { place += 1 }
            parts.append(part.syntax)
            states += part.states + 3
            _ = try bounded((.nothing, states), at: start)
        }
        guard parts.count > 2 else { throw mistake("there is no word", at: 0) }
        if isBlank { parts.removeLast() }
        return .sequence(parts + [some(0), .place(.textEnd)])
    }

    /// `{city}`: as few words as possible. `{z:[0-9]{5}}`: what the pattern matches.
    private mutating func filled(from start: Int, except blanks: ScalarSet) throws(PatternMistake) -> Part {
        let before = place
        while let scalar = next, scalar.isOfWord { place += 1 }
        let hasPattern = next == ":"
        place = before
        let name = try word(until: hasPattern ? ":" : "}")
        guard !names.contains(name), names.count < Self.mostNames else {
            throw mistake(names.contains(name) ? "\"\(name)\" is there twice" : "too many names", at: start)
        }
        names.append(name)
        let number = names.count - 1
        if hasPattern {
            let part = try braced(from: start)
            return (.named(number, part.syntax), part.states + 2)
        }
        var others = blanks
        others.isNegated = true
        let one = PatternSyntax.set(others.sorted(), ignoresCase: false)
        let rest = PatternSyntax.sequence([.repeated(.any(alsoNewline: true), from: 0, to: nil, isLazy: true), one])
        return (.named(number, .sequence([one, .repeated(rest, from: 0, to: 1, isLazy: true)])), 9)
    }

    /// A pattern up to its closing brace; braces of repetitions belong to it.
    private mutating func braced(from start: Int) throws(PatternMistake) -> Part {
        let (whole, before) = (end, place)
        var (closing, open) = (before, 0)
        while let scalar = at(closing), scalar != "}" || open > 0 {
            if scalar == "{" { open += 1 }
            if scalar == "}" { open -= 1 }
            closing += scalar == "\\" ? 2 : 1
        }
        guard closing < whole else { throw mistake("this brace is not closed", at: start) }
        end = closing
        let part = try choice()
        guard next == nil else { throw mistake("\")\" closes nothing; write \\) for the character", at: place) }
        (end, place) = (whole, closing + 1)
        return part
    }
}
