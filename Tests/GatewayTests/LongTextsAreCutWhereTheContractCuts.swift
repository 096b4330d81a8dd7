import Gateway
import Testing

@testable import Gateway

@Suite struct LongTextsAreCutWhereTheContractCuts {
    private func x(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func bytesCountNotCharacters() {
        #expect(MessageSplitter.split(x(200)) == [x(200)])
        #expect(MessageSplitter.split(x(201)) == [x(200), "x"])
        #expect(MessageSplitter.split(x(600)).count == 3)
        #expect(MessageSplitter.split(x(601)).count == 4)
        #expect(MessageSplitter.split(String(repeating: "é", count: 100)).count == 1)
        #expect(MessageSplitter.split(String(repeating: "é", count: 101)).map(\.count) == [100, 1])
    }

    /// first part and second part of a text with one place to break at, and why
    @Test(arguments: [
        // a newline beyond half of the 200
        ("newline", 120, "\n", true), ("newline too early", 90, "\n", false),
        ("sentence", 120, ". ", true), ("exclamation", 120, "! ", true), ("question", 120, "? ", true),
        ("comma", 120, ", ", true), ("semicolon", 120, "; ", true), ("colon", 120, ": ", true),
        ("dash", 120, " - ", true),
        // a blank or hyphen beyond 30 %
        ("blank", 70, " ", true), ("blank too early", 50, " ", false), ("hyphen", 70, "-", true),
        ("hyphen too early", 50, "-", false),
    ])
    func places(_ what: String, _ position: Int, _ separator: String, _ breaks: Bool) {
        let text = x(position) + separator + x(300)
        let parts = MessageSplitter.split(text)
        #expect((parts[0] == x(position) + separator.trimmedEnd) == breaks)
        #expect(breaks ? parts[1].hasPrefix("x") : parts[0].utf8.count == 200)
    }

    @Test func aBetterKindOfPlaceWinsOverALaterOne() {
        let text = x(110) + ". " + x(30) + ", " + x(30) + " " + x(200)
        #expect(MessageSplitter.split(text)[0] == x(110) + ".")
        let late = x(40) + ". " + x(100) + ", " + x(30) + " " + x(200)
        #expect(MessageSplitter.split(late)[0] == x(40) + ". " + x(100) + ",")
    }

    @Test func blanksAtTheCutGoAwayOnBothSides() {
        let parts = MessageSplitter.split(x(150) + "   \n  " + x(150))
        #expect(parts == [x(150), x(150)])
    }

    @Test func noGraphemeIsCut() {
        let family = "👨‍👩‍👧‍👦"  // 25 bytes, one grapheme
        let text = String(repeating: family, count: 20)
        let parts = MessageSplitter.split(text)
        #expect(parts.joined() == text)
        #expect(parts.allSatisfy { $0.utf8.count <= 200 && $0.count * 25 == $0.utf8.count })
    }

    @Test func aGraphemeThatIsTooLongIsCutBetweenScalars() {
        let text = "e" + String(repeating: "\u{301}", count: 5000)
        let parts = MessageSplitter.split(text)
        #expect(parts.allSatisfy { !$0.isEmpty && $0.utf8.count <= 200 })
        #expect(parts.joined() == text)
    }

    @Test func whateverComesEveryPartFitsAndNoVisibleCharacterIsLost() {
        var random = SplitMix(seed: 7)
        let alphabet: [Character] = ["a", " ", "\n", ".", "-", "é", "👋", "🇨🇭", "\r\n", "x", "?", "漢", "\u{A0}"]
        for _ in 0..<200 {
            let text = String(
                (0..<Int.random(in: 1...900, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
            )
            .trimmed
            let parts = MessageSplitter.split(text)
            #expect(parts.allSatisfy { $0.utf8.count <= 200 })
            let visible = { (text: String) in text.unicodeScalars.filter { !$0.isJavaScriptBlank } }
            #expect(visible(parts.joined()).elementsEqual(visible(text)))
        }
    }
}

/// A small seeded generator, so that a failure comes again.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
