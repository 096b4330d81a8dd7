import Search

/// A pattern; behind a NUL, the text that it is looked for in.
final class PatternInText: FuzzTarget {
    func run(_ input: [UInt8]) throws {
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let written = String(decoding: parts[0], as: UTF8.self)
        let text = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
        for isPhrase in [false, true] {
            do throws(PatternMistake) {
                let pattern = isPhrase ? try Pattern(phrase: written) : try Pattern(written)
                found = (pattern, pattern.match(in: PatternText(text)))
            } catch {
                found = nil
                try check(
                    (1...written.unicodeScalars.count + 1).contains(error.place), "a mistake is at \(error.place)")
                try check(!error.text.isEmpty, "a mistake says nothing")
            }
            guard let (pattern, match) = found else { continue }
            try check(pattern.isIn(text) == (match != nil), "it is there and is not")
            guard let match else { continue }
            try check(match.range.upperBound <= text.unicodeScalars.count, "it ends behind the text")
            try check(Set(match.groups.keys).isSubset(of: pattern.names), "it has groups of its own")
        }
    }

    private var found: (Pattern, PatternMatch?)?
}
