// The contract is what a JavaScript server does with query values and texts: parseInt, trim, UTF-16 lengths.

/// The integer at the start of a text, as JavaScript's `parseInt(text, 10)` finds it: blanks and a sign may come
/// before it, anything may follow. Nil: no digit (NaN). Beyond 64 bits it stays at the limit.
func parseInt(_ text: some StringProtocol) -> Int64? {
    var digits = text.unicodeScalars.drop(while: \.isJavaScriptBlank)
    var isNegative = false
    if let sign = digits.first, sign == "-" || sign == "+" {
        isNegative = sign == "-"
        digits = digits.dropFirst()
    }
    var number: Int64?
    for scalar in digits {
        guard (0x30...0x39).contains(scalar.value) else { break }
        let (tens, tensOverflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
        let (next, overflow) = tens.subtractingReportingOverflow(Int64(scalar.value - 0x30))
        number = tensOverflow || overflow ? .min : next
    }
    // Counted downwards, because the negative side is longer by one.
    return number.map { isNegative ? $0 : $0 == .min ? .max : -$0 }
}

extension Unicode.Scalar {
    /// What `String.prototype.trim` removes: WhiteSpace and LineTerminator of ECMA-262.
    var isJavaScriptBlank: Bool {
        switch value {
        case 0x09...0x0D, 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF: true
        default: false
        }
    }
}

extension StringProtocol {
    /// Without blanks at both ends, as `trim()` leaves it.
    var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isJavaScriptBlank }) else { return "" }
        return String(self[first...]).trimmedEnd
    }

    /// Without blanks at the end.
    var trimmedEnd: String {
        let scalars = unicodeScalars
        guard let last = scalars.lastIndex(where: { !$0.isJavaScriptBlank }) else { return "" }
        return String(self[..<scalars.index(after: last)])
    }
}
