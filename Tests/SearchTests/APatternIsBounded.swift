import Testing

@testable import Search

/// What cannot be is said with the character where it cannot be, and takes neither time nor memory.
@Suite struct APatternIsBounded {
    @Test(arguments: [
        ("(?=a)b", 1, "looking ahead or back"), ("x(?<!a)", 2, "looking ahead or back"),
        ("(a)\\1", 4, "back-references"), ("ab)", 3, "closes nothing"), ("x(ab", 2, "not closed"),
        ("x[ab", 2, "not closed"), ("*a", 1, "nothing to repeat"), ("a**", 3, "repeated already"),
        ("äa{5,2}", 3, "smaller number comes first"), ("a{1001}", 2, "more than 1000 repetitions"),
        ("[z-a]", 2, "goes backwards"), ("a\\", 2, "nothing is behind the backslash"), ("\\y", 1, "means nothing"),
        ("[[:letter:]]", 2, "there is no class [:letter:]"), ("\\p{Greek}", 1, "no category \"Greek\""),
        ("(?x)a", 1, "unknown flags"), ("(?P<a b>c)", 5, "a name has"), ("(?<n>a)(?<n>b)", 11, "called \"n\""),
        ("\\x4", 1, "two hexadecimal digits"), ("\\x{110000}", 1, "two hexadecimal digits"),
    ])
    func aMistakeHasItsPlace(_ written: String, _ place: Int, _ text: String) {
        let mistake = mistake(written)
        #expect(mistake?.place == place && mistake?.text.contains(text) == true, "\(String(describing: mistake))")
    }

    @Test(arguments: [
        ("a{1000}{1000}", "repeated already"), ("((a{99}){99}){99}", "more than 10000 states"),
        ("(?:(?:(?:){1000}){1000}){1000}", "more than 10000 states"),
        ("(((((a{0,50}){0,50}){0,50}){0,50}){0,50})", "10000 states"),
        ("(a{1000}|b{1000}|c{1000}|d{1000}){9}", "more than 10000 states"),
    ])
    func nestedBounds(_ written: String, _ text: String) {
        #expect(mistake(written)?.text.contains(text) == true)
    }

    @Test func itsLength() throws {
        #expect(try Pattern(String(repeating: "a", count: 1_000)).program.states.count == 1_001)
        let long = mistake(String(repeating: "ä", count: 501))
        #expect(long == PatternMistake(text: "the pattern has 1002 bytes, and may have 1000", place: 501))
        #expect(mistake(String(repeating: "(", count: 65_536))?.place == 1_001)
    }

    @Test func itsDepth() {
        #expect(mistake(String(repeating: "(", count: 99) + String(repeating: ")", count: 99)) == nil)
        #expect(
            mistake(String(repeating: "(", count: 500) + String(repeating: ")", count: 500))?.text.contains(
                "100 groups") == true)
    }

    /// Its largest program.
    @Test func itsStates() throws {
        #expect(try Pattern("(a{1000}){3}").program.states.count <= PatternParser.mostStates)
        #expect(try Pattern("(?:a{0,1000}){3}b").isIn(String(repeating: "a", count: 200) + "b"))
    }

    private func mistake(_ written: String) -> PatternMistake? {
        do throws(PatternMistake) {
            _ = try Pattern(written)
            return nil
        } catch {
            return error
        }
    }
}
