import Testing

@testable import Search

/// Patterns that take others for ever. What is counted is how often a state is looked at, which no clock changes.
@Suite struct APatternTakesTimeInProportionToItsText {
    @Test(arguments: [
        "(a+)+$", "(a*)*b", "(a|a)*b", "(a|aa)+$", "(.*a){20}b", "a?a?a?a?a?a?a?a?a?a?aaaaaaaaaab", "(?:a?){100}b",
        "((a{0,9}){0,9}){0,9}b", "^(([a-z])+.)+[A-Z]([a-z])+$", "(?P<x>(?P<y>a*)*)*b", "(a+a+)+y", "(.|a)*(.|a)*b",
        "(?:(?:(?:a*)*)*)*b", "\\b(?:a|\\pL|\\w)+\\b!",
    ])
    func whateverThePattern(_ written: String) throws {
        let pattern = try Pattern(written)
        for slots in [0, 2 + 2 * pattern.names.count] {
            let short = steps(pattern, slots, in: 100)
            let long = steps(pattern, slots, in: 1_000)
            #expect(long < short * 11, "ten times the text took \(long) steps after \(short)")
            #expect(short < 100 * 4 * pattern.program.states.count)
        }
    }

    private func steps(_ pattern: Pattern, _ slots: Int, in count: Int) -> Int {
        var search = PatternSearch(pattern.program, in: PatternText(String(repeating: "a", count: count)), slots: slots)
        _ = search.run()
        return search.steps
    }

    /// Where it cannot begin, no state is looked at.
    @Test func whatCannotBeginIsPassedOver() throws {
        #expect(steps(try Pattern("help|sos|bat"), 0, in: 10_000) == 0)
    }
}
