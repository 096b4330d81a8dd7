import Testing

@testable import Rules

/// Words are looked for in bytes where bytes can say it, and found where characters have them, and only there.
@Suite struct AWordIsFoundInBytesAsInCharacters {
    private func isInCharacters(_ words: [String], _ text: String) -> Bool {
        words.contains { Words.find(Words.characters(of: $0), in: Words.characters(of: text)) }
    }

    @Test(arguments: [
        ("sos", "SOS!", true), ("sos", "sosos", false), ("sos", "sosos sos", true), ("sos", "an S.O.S", false),
        ("a", "", false), ("", "", true), ("", "a", true), ("a b", "A  b", false), ("a b", "(A B)", true),
        ("-x", "a-x", true), ("-x", "a-xy", false), ("x-", "x-a", true), ("c_3", "c_3", true), ("c", "c_3", false),
        ("3", "c3", false), ("müll", "MÜLL", true), ("müll", "mu\u{308}ll", true), ("mull", "müll", false),
        ("cafe", "cafe\u{301}", false), ("cafe", "cafe!", true), ("k", "\u{212A}", true), ("\u{212A}", "K", true),
        (";", "\u{37E}", true), ("\u{37E}", ";", true), ("\u{1FEF}", "`", true), ("i", "\u{130}", false),
        ("ass", "aß", false), ("火", "山火事", true), ("a", "山a事", true), ("a\r\nb", "a\r\nb", true),
        ("a\nb", "a\r\nb", false), ("a", "x\r\na\r\n", true), ("ok", "👍ok👍", true), ("ok", "\u{600}ok", false),
    ])
    func here(_ word: String, _ text: String, _ isThere: Bool) {
        #expect(Words([word]).isIn(text) == isInCharacters([word], text))
        #expect(Words([word]).isIn(text) == isThere, "\(word) in \(text)")
    }

    @Test func inManyTexts() {
        let pieces = [
            "a", "b", "k", "K", "A", "ab", "kab", "3", "_", " ", " ", ".", "-", ";", "`", "\n", "\r\n", "\r", "\0", "é",
            "e\u{301}", "\u{301}", "Ü", "ü", "ß", "ẞ", "\u{212A}", "\u{37E}", "\u{1FEF}", "\u{130}", "ı", "Σ", "ς", "火",
            "ก", "\u{200D}", "👍", "👍🏽", "\u{600}", "1\u{20E3}", "ﬀ", "ａ",
        ]
        var dice = SystemRandomNumberGenerator()
        func made(_ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &dice)).map { _ in pieces.randomElement(using: &dice)! }.joined()
        }
        var found = 0
        for _ in 0..<20_000 {
            let words = [made(3), made(2)]
            let text = Bool.random(using: &dice) ? made(12) : made(3) + words[0].uppercased() + made(3)
            let isThere = Words(words).isIn(text)
            #expect(isThere == isInCharacters(words, text), "\(words) in \(text.debugDescription)")
            found += isThere ? 1 : 0
        }
        #expect(found > 2_000 && found < 18_000)
    }

    /// No other character than the odd ones counts as one of ASCII, in small letters.
    @Test func ofAllCharacters() {
        let ascii = Set((0..<0x80).map { Character(Unicode.Scalar(UInt8($0))) })
        for scalar in (0x80...0x10FFFF).lazy.compactMap({ Unicode.Scalar(UInt32($0)) }) {
            let text = String(Character(scalar))
            let isLikeASCII = Words.characters(of: text).contains(where: ascii.contains)
            #expect(!isLikeASCII || PlainText(text).isOdd, "\(scalar.value)")
        }
    }
}
