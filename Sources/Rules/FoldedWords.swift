import Search

/// Words to look for in texts: whole words in any letter case; in scripts without blanks, anywhere.
struct Words: Hashable, Sendable {
    private let folded: [[Character]]
    /// The same, of which bytes say nearly always whether they are there.
    private let plain: [PlainWord]

    init(_ words: some Sequence<some StringProtocol>) {
        folded = words.map { Self.characters(of: $0) }
        plain = folded.map(PlainWord.init)
    }

    var isEmpty: Bool { folded.isEmpty }

    func isIn(_ text: String) -> Bool {
        guard !isEmpty else { return false }
        let bytes = PlainText(text)
        var characters: [Character]?
        return folded.indices.contains { index in
            if let found = plain[index].isIn(bytes) { return found }
            let folded = characters ?? Self.characters(of: text)
            characters = folded
            return Self.find(self.folded[index], in: folded)
        }
    }

    /// In small letters.
    static func characters(of text: some StringProtocol) -> [Character] { Array(text.lowercased()) }

    static func find(_ word: [Character], in text: [Character]) -> Bool {
        var rest = text[...]
        while let found = rest.firstRange(of: word) {
            if isEdge(text, before: found.lowerBound), isEdge(text, behind: found.upperBound) { return true }
            rest = text[(found.lowerBound + 1)...]
        }
        return false
    }

    /// Whether a word may begin here.
    private static func isEdge(_ text: [Character], before place: Int) -> Bool {
        place == 0 || place == text.count || !text[place - 1].joins(text[place])
    }

    private static func isEdge(_ text: [Character], behind place: Int) -> Bool {
        place == 0 || place == text.count || !text[place].joins(text[place - 1])
    }
}

extension Character {
    /// The two belong to one word.
    fileprivate func joins(_ other: Character) -> Bool {
        isOfWord && other.isOfWord && !isBlankless && !other.isBlankless
    }

    private var isOfWord: Bool { isLetter || isNumber || self == "_" }

    /// From a script that writes words without blanks between: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
    private var isBlankless: Bool {
        switch unicodeScalars.first?.value ?? 0 {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x303F, 0x3040...0x30FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
