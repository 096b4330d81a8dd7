/// Parses a pattern. It may come from a stranger, so its length, depth and states are bounded.
struct PatternParser {
    struct Flags {
        var ignoresCase = true
        var isDotAll = false
        var isMultiline = false
    }

    /// A part, and how many states it has.
    typealias Part = (syntax: PatternSyntax, states: Int)

    /// The most states of a pattern.
    static let mostStates = 10_000
    static let deepest = 100
    static let mostNames = 20
    static let mostRepeats = 1_000

    let text: [Unicode.Scalar]
    var place = 0
    /// Where reading stops.
    var end: Int
    var names: [String] = []
    var flags = Flags()
    var depth = 0

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

    mutating func choice() throws(PatternMistake) -> Part {
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

    mutating func sequence() throws(PatternMistake) -> Part {
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
    mutating func repeated() throws(PatternMistake) -> Part? {
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

    func bounded(_ part: Part, at place: Int) throws(PatternMistake) -> Part {
        guard part.states <= Self.mostStates else {
            throw mistake("the pattern has more than \(Self.mostStates) states; repeat less", at: place)
        }
        return part
    }

    /// `*`, `+`, `?`, `{2}`, `{2,}` and `{2,5}`. Other braces are ordinary characters.
    mutating func repetition() throws(PatternMistake) -> (least: Int, most: Int?)? {
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

    mutating func number() -> Int? {
        let start = place
        while let scalar = next, "0"..."9" ~= scalar { place += 1 }
        guard place > start else { return nil }
        return place - start > 6 ? Int.max : text[start..<place].reduce(0) { $0 * 10 + Int($1.value) - 0x30 }
    }

    // MARK: what comes next

    var next: Unicode.Scalar? { at(place) }

    func at(_ place: Int) -> Unicode.Scalar? { place < end ? text[place] : nil }

    func isNext(_ part: String) -> Bool { text[place..<end].starts(with: part.unicodeScalars) }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        place += 1
        return true
    }

    mutating func take(_ part: String) -> Bool {
        guard isNext(part) else { return false }
        place += part.unicodeScalars.count
        return true
    }
}
