/// Letters that differ only in case, by Unicode's simple case folding.
enum LetterCase {
    /// One scalar for all cases of a letter: "k" for "K" and for the Kelvin sign.
    static func folded(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return 0x41...0x5A ~= scalar ? scalar + 0x20 : scalar }
        // Turkish: the dotless i is a letter of its own.
        guard scalar != 0x131, hasCase(scalar), let letter = Unicode.Scalar(scalar) else { return scalar }
        let capital = single(letter.properties.uppercaseMapping) ?? letter
        return (single(capital.properties.lowercaseMapping) ?? capital).value
    }

    /// The folded scalar and its other cases.
    static func all(of folded: UInt32) -> [Unicode.Scalar] {
        guard let letter = Unicode.Scalar(folded) else { return [] }
        guard hasCase(folded) || folded < 0x80 else { return [letter] }
        let others = [letter.properties.uppercaseMapping, letter.properties.titlecaseMapping].compactMap(single)
        // The sharp s has a capital letter, but its mapping is SS.
        return [letter] + others + (letter == "\u{DF}" ? ["\u{1E9E}"] : [])
    }

    private static func single(_ text: String) -> Unicode.Scalar? {
        text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
    }

    /// Outside of these no letter has two cases.
    static let blocks: [ClosedRange<UInt32>] = [
        0x41...0x5A, 0x61...0x7A, 0xB5...0x587, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1C80...0x1CBF, 0x1D79...0x1D8E,
        0x1E00...0x1FFF, 0x2126...0x2184, 0x24B6...0x24E9, 0x2C00...0x2D2D, 0xA640...0xA7FF, 0xAB30...0xABBF,
        0xFB05...0xFB06, 0xFF21...0xFF5A, 0x10400...0x104FF, 0x10570...0x105BF, 0x10C80...0x10D8F, 0x118A0...0x118DF,
        0x16E40...0x16E7F, 0x1E900...0x1E943,
    ]

    private static func hasCase(_ scalar: UInt32) -> Bool { blocks.contains { $0.contains(scalar) } }
}
