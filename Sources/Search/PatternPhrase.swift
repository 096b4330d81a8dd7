// Phrases: words, blanks and names in braces, as `weather {city}`.

extension PatternParser {
    /// Parses a phrase: words, blanks and names in braces.
    mutating func phrase() throws(PatternMistake) -> PatternSyntax {
        var blanks = ScalarSet()
        for range in Self.perl["s"]! { blanks.insert(range, ignoresCase: false) }
        let blank = PatternSyntax.set(blanks.sorted(), ignoresCase: false)
        func some(_ least: Int) -> PatternSyntax { .repeated(blank, from: least, to: nil, isLazy: false) }
        var (parts, states) = ([PatternSyntax.assertion(.textBegin), some(0)], 4)
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
        return .sequence(parts + [some(0), .assertion(.textEnd)])
    }

    /// `{city}`: as few words as possible. `{z:[0-9]{5}}`: what the pattern matches.
    mutating func filled(from start: Int, except blanks: ScalarSet) throws(PatternMistake) -> Part {
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
    mutating func braced(from start: Int) throws(PatternMistake) -> Part {
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
