/// How many cells of a terminal a text takes.
///
/// The C library's wcwidth knows this only under a UTF-8 locale, which a service or a pipe may not have.
public func displayWidth(_ text: String) -> Int {
    text.reduce(0) { $0 + displayWidth($1) }
}

/// 0, 1 or 2 cells. A character is what a reader takes for one: with its combining marks, or a joined emoji.
public func displayWidth(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
        // Variation selector 16 asks for the emoji form, which is wide.
        if scalar == "\u{FE0F}", width > 0 { return 2 }
        width = max(width, displayWidth(scalar))
    }
    return width
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
    default: break
    }
    // Vowels and finals of Hangul syllables stand on the first consonant's cells.
    if (0x1160...0x11ff).contains(scalar.value) { return 0 }
    if scalar.properties.isEmojiPresentation || isEastAsianWide(scalar.value) { return 2 }
    return 1
}

/// East Asian Width W and F (Unicode Standard Annex 11), in its contiguous blocks.
private func isEastAsianWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf,
        0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6,
        0x16fe0...0x18cff, 0x1aff0...0x1b2ff, 0x20000...0x3fffd:
        true
    default:
        false
    }
}
