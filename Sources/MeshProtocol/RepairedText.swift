import MeshModel

/// The text of a message as it is stored and shown.
///
/// The air carries any bytes. Broken UTF-8 becomes U+FFFD, as many as `String(decoding:as:)` makes; so do NUL and all
/// other control characters (C0, DEL, C1) but newline and tab. CR LF and CR become a newline.
public func repairedText(_ bytes: some Collection<UInt8>) -> String {
    if bytes.allSatisfy(\.isHarmless) { return String(decoding: bytes, as: UTF8.self) }
    var repaired = String.UnicodeScalarView()
    var previous: Unicode.Scalar = " "
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
        switch scalar {
        case "\r": repaired.append("\n")
        case "\n" where previous == "\r": break
        case "\n", "\t": repaired.append(scalar)
        default: repaired.append(scalar.isControl ? "\u{FFFD}" : scalar)
        }
        previous = scalar
    }
    return String(repaired)
}

/// A text that somebody sent, with a BEL at its end when one is anywhere in it: apps ring by it, and show it as nothing. What
/// is nothing else is shown as a bell.
public func spokenText(_ bytes: some Collection<UInt8>) -> String {
    guard bytes.contains(7) else { return repairedText(bytes) }
    let words = repairedText(bytes.filter { $0 != 7 })
    return (words.isEmpty ? "\u{1F514}" : words) + String.bell
}

/// A name as it is stored and shown: like ``repairedText(_:)`` on one line, without blanks around it.
public func repairedName(_ bytes: some Collection<UInt8>) -> String {
    if bytes.allSatisfy(\.isHarmless) {
        // Nearly every name. A quarter of all packets bring one.
        let start = bytes.firstIndex { $0 != 0x20 } ?? bytes.endIndex
        var (count, length) = (0, 0)
        for byte in bytes[start...] {
            count += 1
            if byte != 0x20 { length = count }
        }
        return String(decoding: bytes[start...].prefix(length), as: UTF8.self)
    }
    var scalars = Array(repairedText(bytes).unicodeScalars)
    for index in scalars.indices where scalars[index] == "\n" || scalars[index] == "\t" { scalars[index] = " " }
    let trimmed = scalars.drop { $0 == " " }
    let end = trimmed.lastIndex { $0 != " " }.map { $0 + 1 } ?? trimmed.startIndex
    var name = String.UnicodeScalarView()
    name.append(contentsOf: trimmed[..<end])
    return String(name)
}

extension UInt8 {
    /// Neither a control character of ASCII nor the beginning of another one (C2).
    fileprivate var isHarmless: Bool { self >= 0x20 && self != 0x7F && self != 0xC2 }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
