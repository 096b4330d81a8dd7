/// Percent-encoding of RFC 3986, 2.1.
public enum PercentEncoding {
    /// The decoded bytes; nil when a "%" is not followed by two hex digits.
    @inlinable
    public static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var decoded: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else {
                    return nil
                }
                decoded.append(high << 4 | low)
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return decoded
    }

    /// A key or value of a form: `+` is a blank and `%41` an A; an escape that is none stays as it is.
    public static func decodeForm(_ text: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte == UInt8(ascii: "%"), index + 2 < text.endIndex, let high = hexDigit(text[index + 1]),
                let low = hexDigit(text[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// With each byte that has to be as %XX.
    public static func encode(_ text: String, where isEscaped: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isEscaped(byte) {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// One segment of a path: everything but letters, digits and `-._~` as %XX.
    public static func segment(_ text: String) -> String {
        encode(text) { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                false
            default: true
            }
        }
    }
}
