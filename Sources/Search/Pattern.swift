/// A pattern to search texts for, in the part of RE2's syntax that deploy/RULES.md describes; found anywhere and in any letter
/// case.
///
/// All ways through a pattern are followed at once (Thompson, Pike), so that the time is at most the length of the text times that
/// of the pattern. Back-references and lookahead would need another method, so they cannot be written.
public struct Pattern: Hashable, Sendable {
    /// As it was written.
    public let text: String
    let program: PatternProgram

    /// The most bytes that a pattern may have.
    public static let longest = 1_000
    /// The most visits of states that a phrase may take. It captures, which takes ten times as long as finding does, and texts
    /// come from strangers.
    static let mostSteps = 1_000_000

    public init(_ text: String) throws(PatternMistake) {
        self.text = text
        var parser = try PatternParser(text)
        program = PatternProgram(try parser.pattern(), names: parser.names)
    }

    /// Matches a whole text, with names for its variable parts, such as `weather {city}`, or for what a pattern describes, such
    /// as `zip {z:[0-9]{5}}`. Any number of blanks may separate words. A text for which the search would take too long does not
    /// match.
    public init(phrase text: String) throws(PatternMistake) {
        self.text = text
        var parser = try PatternParser(text)
        program = PatternProgram(try parser.phrase(), names: parser.names, isPhrase: true)
    }

    /// The names of its groups.
    public var names: [String] { program.names }

    public func isIn(_ text: PatternText) -> Bool {
        guard program.needed.isIn(text.folded) else { return false }
        var search = PatternSearch(program, in: text, slots: 0, most: mostSteps)
        return search.run()
    }

    public func isIn(_ text: String) -> Bool { isIn(PatternText(text)) }

    /// The first match in the text; of several at the same place, the one that a reader from left to right tries first.
    public func match(in text: PatternText) -> PatternMatch? {
        guard program.needed.isIn(text.folded) else { return nil }
        var search = PatternSearch(program, in: text, slots: 2 + 2 * names.count, most: mostSteps)
        guard search.run() else { return nil }
        var groups: [String: String] = [:]
        for (place, name) in names.enumerated() {
            let (start, end) = (search.best[2 + 2 * place], search.best[3 + 2 * place])
            if start >= 0, end >= start { groups[name] = text.text(Int(start)..<Int(end)) }
        }
        return PatternMatch(range: Int(search.best[0])..<Int(search.best[1]), groups: groups)
    }

    private var mostSteps: Int { program.isPhrase ? Self.mostSteps : .max }

    public static func == (one: Pattern, other: Pattern) -> Bool {
        one.text == other.text && one.program.isPhrase == other.program.isPhrase
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Where a pattern was found.
public struct PatternMatch: Hashable, Sendable {
    /// In Unicode scalars.
    public let range: Range<Int>
    /// The text of its named groups; groups that took no part in the match are missing.
    public let groups: [String: String]
}

/// Why a pattern is wrong.
public struct PatternMistake: Error, Hashable, Sendable {
    /// What would be right.
    public let text: String
    /// The position in the pattern, in characters from 1 on.
    public let place: Int
}

/// A text prepared for patterns: made once for all that search it.
public struct PatternText: Sendable {
    let scalars: [UInt32]
    /// In one letter case.
    let folded: [UInt32]

    public init(_ text: String) {
        scalars = text.unicodeScalars.map(\.value)
        folded = scalars.map(LetterCase.folded)
    }

    func text(_ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range].compactMap(Unicode.Scalar.init))
        return String(text)
    }
}
