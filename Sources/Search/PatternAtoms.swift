// One character, class or group of a pattern, and the flags in `(?`.

extension PatternParser {
    mutating func atom() throws(PatternMistake) -> Part? {
        let start = place
        switch text[place] {
        case "(": return try group()
        case "[": return (.set(try set(), ignoresCase: flags.ignoresCase), 1)
        case ".":
            place += 1
            return (.any(alsoNewline: flags.isDotAll), 1)
        case "^":
            place += 1
            return (.assertion(flags.isMultiline ? .lineBegin : .textBegin), 1)
        case "$":
            place += 1
            return (.assertion(flags.isMultiline ? .lineEnd : .textEnd), 1)
        case "\\":
            place += 1
            switch next {
            case "b", "B", "A", "z":
                place += 1
                let assertions: [Unicode.Scalar: PatternSyntax.Assertion] = [
                    "b": .word, "B": .noWord, "A": .textBegin, "z": .textEnd,
                ]
                return (.assertion(assertions[text[place - 1]]!), 1)
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

    func literal(_ scalar: UInt32) -> PatternSyntax {
        .scalar(flags.ignoresCase ? LetterCase.folded(scalar) : scalar, ignoresCase: flags.ignoresCase)
    }

    mutating func group() throws(PatternMistake) -> Part? {
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

    mutating func groupName() throws(PatternMistake) -> Int {
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
    mutating func word(until end: Unicode.Scalar) throws(PatternMistake) -> String {
        let start = place
        while let scalar = next, scalar.isOfWord { place += 1 }
        let name = String(String.UnicodeScalarView(text[start..<place]))
        guard (1...32).contains(name.utf8.count), take(end) else {
            throw mistake("a name has 1 to 32 letters, digits and _, and \(end) behind it", at: start)
        }
        return name
    }

    /// Reads the flags after `(?`. True if they are for the rest of the enclosing group.
    mutating func setFlags(from start: Int) throws(PatternMistake) -> Bool {
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
}
