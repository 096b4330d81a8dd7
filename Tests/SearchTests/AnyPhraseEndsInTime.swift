import Testing

@testable import Search

/// Phrases and texts come from strangers: 2,000 phrases drawn from a seed, and five texts for each. A search ends within the
/// limits, and what it finds puts the text together again.
@Suite struct AnyPhraseEndsInTime {
    private static let pieces = [
        "a", "b", "ping", " ", "  ", "{x}", "{y}", "{z:[ab]+}", "{n:a{1,3}}", "{w:(a*)*}", "{v:.*}", "{", "}", "{{x}}",
        "{x", "ä",
        "👍", "\\", "(", "{u:(}", "{t:a|}", "{1}", "{x y}", "\t",
    ]
    private static let words = ["a", "b", "aa", "ab", "ping", "PING", "Ä", "👍", " ", "\t", "{x}", "}", "\n", "\\", "("]

    private struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11 ^ state << 29
        }
    }

    @Test func tenThousandTexts() throws {
        var random = Seeded(state: 67)
        func drawn(_ parts: [String], _ most: Int) -> String {
            (0..<Int.random(in: 1...most, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
        }
        var (texts, found, refused) = (0, 0, 0)
        for _ in 0..<2_000 {
            let written = drawn(Self.pieces, 5)
            let phrase = try? Pattern(phrase: written)
            if phrase == nil { refused += 1 }
            for _ in 0..<5 {
                let text = PatternText(drawn(Self.words, 12))
                texts += 1
                guard let phrase else { continue }
                let (isFound, steps) = Self.search(phrase, text)
                #expect(steps <= Pattern.mostSteps + 2 * phrase.program.states.count)
                guard isFound, let match = phrase.match(in: text) else {
                    #expect(!isFound)
                    continue
                }
                found += 1
                #expect(match.range == 0..<text.scalars.count, "\(written)")
                for (name, value) in match.groups {
                    #expect(phrase.names.contains(name))
                    #expect(PatternText(value).scalars.count <= text.scalars.count)
                }
                if !written.contains(":"), !match.groups.values.contains(where: { $0.contains("{") }) {
                    let again = match.groups.reduce(written) { $0.replacing("{\($1.key)}", with: $1.value) }
                    #expect(Self.compared(again) == Self.compared(text.text(0..<text.scalars.count)), "\(written)")
                }
            }
        }
        #expect(texts == 10_000 && found > 300 && refused > 300, "\(found) \(refused)")
    }

    /// In one letter case, with one blank in place of several, and none at the ends.
    private static func compared(_ text: String) -> [UInt32] {
        let folded = PatternText(text).folded
        let blanks: Set<UInt32> = [0x20, 0x09, 0x0A, 0x0C, 0x0D]
        return Array(folded.split(whereSeparator: blanks.contains).joined(separator: [0x20]))
    }

    private static func search(_ phrase: Pattern, _ text: PatternText) -> (isFound: Bool, steps: Int) {
        var search = PatternSearch(phrase.program, in: text, slots: 2 + 2 * phrase.names.count, most: Pattern.mostSteps)
        return (search.run(), search.steps)
    }

    /// A text over a broker may be long. It fits, but to find that would take ten times as long as may be.
    @Test func orIsNotFound() throws {
        let phrase = try Pattern(phrase: "{x:(a{0,50}){0,50}}b {y}")
        let text = PatternText(String(repeating: "a", count: 3_000) + "b c")
        #expect(phrase.match(in: text) == nil)
        let (isFound, steps) = Self.search(phrase, text)
        #expect(!isFound && (Pattern.mostSteps...(Pattern.mostSteps + 2 * phrase.program.states.count)).contains(steps))
        let short = PatternText(String(repeating: "a", count: 30) + "b c")
        #expect(phrase.match(in: short)?.groups["y"] == "c")
    }

    @Test(arguments: [
        (1...1_000).map { "{n\($0)}" }.joined(separator: " "), "{" + String(repeating: "{x}", count: 50) + "}",
        "{{x}}", "{x{y}}", String(repeating: "{", count: 300), "{x}{x}", "{x:(}", "{}", "{x:a", "{x y}",
        String(repeating: "a", count: 1_001), (1...21).map { "{n\($0)}" }.joined(),
    ])
    func whatCannotBeIsRefused(_ phrase: String) {
        #expect(throws: PatternMistake.self) { try Pattern(phrase: phrase) }
    }
}
