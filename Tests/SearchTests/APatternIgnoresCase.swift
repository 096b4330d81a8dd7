import Search
import Testing

/// In any letter case of any alphabet, unless it says otherwise.
@Suite struct APatternIgnoresCase {
    @Test(arguments: [
        ("hilfe", "HILFE!", true), ("straße", "STRAẞE", true), ("жук", "ЖУК", true), ("ΣΑΣ", "σας", true),
        ("(?-i)SOS", "sos", false), ("(?-i)SOS", "an SOS", true), ("a(?-i:B)c", "AbC", false),
        ("a(?-i:B)c", "ABC", true),
        ("[À-Ö]", "è", true), ("(?-i)[À-Ö]", "è", false), ("[^a]", "A", false), ("kg", "5 \u{212A}G", true),
        ("ı", "I", false), ("(?-i)[ſ]", "s", false), ("\\p{Lu}", "ß", true), ("(?-i)\\p{Lu}", "ß", false),
    ])
    func unlessItSaysOtherwise(_ pattern: String, _ text: String, _ isThere: Bool) throws {
        #expect(try Pattern(pattern).isIn(text) == isThere)
    }
}
