/// A text from the mesh as it may be shown on a terminal: one line, and no byte that a terminal would obey.
///
/// Control characters of ASCII become their pictures (U+2400...), other controls and everything that changes the order
/// of the text around it (bidirectional overrides and isolates) U+FFFD. Joiners and variation selectors stay: emoji and
/// several scripts need them.
public func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(replacement(scalar)) }
    return String(result)
}

private func replacement(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x00...0x1f: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
    case 0x7f: "\u{2421}"
    case 0x80...0x9f: "\u{FFFD}"
    // Marks, embeddings, overrides and isolates of the bidirectional algorithm; line and paragraph separators.
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0x2028, 0x2029: "\u{FFFD}"
    // Invisible: zero width space, word joiner and operators, byte order mark, interlinear notes.
    case 0x200b, 0x2060...0x2065, 0x206a...0x206f, 0xfeff, 0xfff9...0xfffb: "\u{FFFD}"
    default: scalar
    }
}
