// The contract is what a JavaScript server does with texts: these are its blanks, where a text is trimmed or cut.

extension Unicode.Scalar {
    /// What `String.prototype.trim` removes: WhiteSpace and LineTerminator of ECMA-262.
    public var isJavaScriptBlank: Bool {
        switch value {
        case 0x09...0x0D, 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: true
        default: false
        }
    }
}

extension StringProtocol {
    /// Without blanks at both ends, as `trim()` leaves it.
    public var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isJavaScriptBlank }) else { return "" }
        return String(self[first...]).trimmedEnd
    }

    /// Without blanks at the end.
    public var trimmedEnd: String {
        let scalars = unicodeScalars
        guard let last = scalars.lastIndex(where: { !$0.isJavaScriptBlank }) else { return "" }
        return String(self[..<scalars.index(after: last)])
    }
}
