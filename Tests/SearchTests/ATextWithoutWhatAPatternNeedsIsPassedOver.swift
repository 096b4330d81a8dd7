import Testing

@testable import Search

/// Most texts lack the letters that a pattern needs. They are found out by these alone, in whatever case they are.
@Suite struct ATextWithoutWhatAPatternNeedsIsPassedOver {
    @Test(arguments: [
        ("help", ["help"]), ("^help|\\bsos\\b", ["help", "sos"]), ("(a|b)cd", ["cd"]), ("a*bc?", ["b"]),
        ("Straße", ["straße"]), ("(?-i)SOS", ["sos"]), ("ab\\bcd", ["abcd"]), ("(?P<n>ab)cd{1}", ["abcd"]),
        ("(?:foo){2}x", ["foo"]), ("(?:foo){0,2}x", ["x"]), ("a.bcd.ef", ["bcd"]), ("(?:abc|de)fg.", ["abc", "de"]),
        ("(?:abcd|efg)h", ["abcd", "efg"]),
        // Of these nobody knows.
        ("[ab]+", []), ("help|", []), ("a|b*", []), ("", []), ("(?:a|b|c|d|e|f|g|h|i|j|k)", []), ("\\d{5}", []),
    ])
    func whatItNeeds(_ written: String, _ runs: [String]) throws {
        let needed = try Pattern(written).program.needed.runs
        #expect(needed == runs.map { $0.unicodeScalars.map(\.value) })
    }

    @Test func aPhraseNeedsItsWords() throws {
        let phrase = try Pattern(phrase: "Weather {city}")
        #expect(phrase.program.needed.runs == ["weather".unicodeScalars.map(\.value)])
    }

    @Test(arguments: [
        ("kg", "5 \u{212A}G", true), ("(?-i)kg", "5 KG", false), ("σας", "ΣΑΣ", true), ("abab", "aabab", true),
        ("ab", "a", false), ("a", "", false), ("aab", "aaab", true),
    ])
    func inWhateverCase(_ pattern: String, _ text: String, _ isThere: Bool) throws {
        #expect(try Pattern(pattern).isIn(text) == isThere)
        #expect(try (Pattern(pattern).match(in: PatternText(text)) != nil) == isThere)
    }
}
