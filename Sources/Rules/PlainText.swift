// Words in the bytes of a text. Most texts and words are ASCII, where a byte is a character and a bit its letter case; to make
// characters of a text takes ten times as long. What bytes cannot say, characters do (``Words``).
//
// 1. Of all other characters, only a few count as one of ASCII, or have a small letter that does (``PlainText/isOdd``). So a text
//    without them, and without the bytes of a word's ASCII, does not have the word, whatever else is in it.
// 2. That it has the word, bytes say only where all of the text is ASCII: elsewhere an accent may follow and be a part of the
//    letter, and word edges are a matter of scripts.

/// A text as bytes, in small letters as far as it is ASCII.
struct PlainText {
    fileprivate let bytes: [UInt8]
    fileprivate let isASCII: Bool
    /// It has a character that counts as one of ASCII without being one: the Kelvin sign, the Greek question mark, the varia.
    let isOdd: Bool

    init(_ text: String) {
        var text = text
        var isASCII = true
        bytes = text.withUTF8 { utf8 in
            [UInt8](unsafeUninitializedCapacity: utf8.count) { bytes, count in
                for (place, byte) in utf8.enumerated() {
                    bytes[place] = byte.small
                    isASCII = isASCII && byte < 0x80
                }
                count = utf8.count
            }
        }
        self.isASCII = isASCII
        isOdd =
            !isASCII && text.unicodeScalars.contains { $0 == "\u{212A}" || $0 == "\u{37E}" || $0 == "\u{1FEF}" }
    }
}

/// A word of a rule, to be looked for in bytes.
struct PlainWord: Hashable, Sendable {
    /// The longest run of ASCII in it, in small letters; empty if it has none that bytes may be asked for.
    private let run: [UInt8]
    /// The run is all of it.
    private let isWhole: Bool

    /// - Parameter word: in small letters.
    init(_ word: [Character]) {
        // A line's end may be two bytes and one character.
        let isPlain = !word.contains { $0.isNewline || $0.asciiValue == nil && $0.isLikeASCII }
        let runs = isPlain ? word.split { $0.asciiValue == nil } : []
        let longest = runs.max { $0.count < $1.count } ?? []
        run = longest.compactMap { $0.asciiValue?.small }
        isWhole = longest.count == word.count
    }

    /// nil: bytes cannot say.
    func isIn(_ text: PlainText) -> Bool? {
        guard !run.isEmpty, !text.isOdd else { return nil }
        guard text.isASCII else { return has(text.bytes) { _ in true } ? nil : false }
        return isWhole && has(text.bytes) { isWord(at: $0, in: text.bytes) }
    }

    /// Whether the run is there, at a place that counts.
    private func has(_ text: [UInt8], _ counts: (Int) -> Bool) -> Bool {
        guard text.count >= run.count else { return false }
        return text.withUnsafeBufferPointer { text in
            run.withUnsafeBufferPointer { run in
                for place in 0...(text.count - run.count) where text[place] == run[0] {
                    var length = 1
                    while length < run.count, text[place + length] == run[length] { length += 1 }
                    if length == run.count, counts(place) { return true }
                }
                return false
            }
        }
    }

    private func isWord(at place: Int, in text: [UInt8]) -> Bool {
        let end = place + run.count
        let joinsBefore = place > 0 && text[place - 1].isOfWord && text[place].isOfWord
        return !joinsBefore && !(end < text.count && text[end - 1].isOfWord && text[end].isOfWord)
    }
}

extension Character {
    /// It counts as a character of ASCII.
    fileprivate var isLikeASCII: Bool { self == "k" || self == ";" || self == "`" }
}

extension UInt8 {
    fileprivate var small: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }

    /// Of a small letter, a digit or "_".
    fileprivate var isOfWord: Bool { 0x61...0x7A ~= self || 0x30...0x39 ~= self || self == 0x5F }
}
