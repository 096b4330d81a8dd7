// The contract is what a JavaScript server does with query values and texts: parseInt, trim, UTF-16 lengths.

import MeshModel

/// The integer at the start of a text, as JavaScript's `parseInt(text, 10)` finds it: blanks and a sign may come
/// before it, anything may follow. Nil: no digit (NaN). Beyond 64 bits it stays at the limit.
public func parseInt(_ text: some StringProtocol) -> Int64? {
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

/// The same without the 10: `0x` begins a number in base 16.
public func parseIntOfEitherBase(_ text: some StringProtocol) -> Int64? {
    let digits = text.drop { $0.unicodeScalars.allSatisfy(\.isJavaScriptBlank) }
    guard digits.hasPrefix("0x") || digits.hasPrefix("0X") else { return parseInt(text) }
    return Int64(digits.dropFirst(2).prefix(while: \.isHexDigit), radix: 16)
}
