extension String {
    /// One grapheme that is shown as a picture. Digits, `#`, `©` and the like are emoji only with U+FE0F behind them.
    public var isOneEmoji: Bool {
        guard count == 1, let first = unicodeScalars.first else { return false }
        if unicodeScalars.contains("\u{FE0E}") { return false }
        if unicodeScalars.contains("\u{FE0F}") { return first.properties.isEmoji }
        return first.properties.isEmojiPresentation || (first.properties.isEmoji && first.value > 0xFF)
    }
}
