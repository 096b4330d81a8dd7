extension JSONWriter {
    public mutating func value(_ text: String?) {
        guard let text else { return null() }
        text.utf8.span.withUnsafeBufferPointer { string($0) }
    }

    /// Escapes what RFC 8259 demands and nothing else; everything above ASCII goes out as it is.
    private mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        // The longest escape is six bytes for one.
        buffer.append(upTo: 6 * text.count + 2) { to in
            var end = to
            Self.put(UInt8(ascii: "\""), &end)
            var place = 0
            while place < text.count {
                if text.count - place >= 8 {
                    let eight = UnsafeRawPointer(text.baseAddress! + place).loadUnaligned(as: UInt64.self)
                    if Self.isPlain(eight) {
                        UnsafeMutableRawPointer(end).storeBytes(of: eight, as: UInt64.self)
                        end += 8
                        place += 8
                        continue
                    }
                }
                let byte = text[place]
                if byte < 0x20 || byte == 0x22 || byte == 0x5C {
                    Self.putEscaped(byte, &end)
                } else {
                    Self.put(byte, &end)
                }
                place += 1
            }
            Self.put(UInt8(ascii: "\""), &end)
            return end - to
        }
    }

    /// None of eight bytes is below 0x20, a quotation mark or a backslash.
    ///
    /// A byte's highest bit in `x - 0x01…` & ~x is set when the byte is 0 (or stands above one that is); the same with
    /// 0x20 for those that are less than that.
    private static func isPlain(_ eight: UInt64) -> Bool {
        let quotes = eight ^ 0x2222_2222_2222_2222
        let backslashes = eight ^ 0x5C5C_5C5C_5C5C_5C5C
        let found =
            (eight &- 0x2020_2020_2020_2020) & ~eight | (quotes &- 0x0101_0101_0101_0101) & ~quotes
            | (backslashes &- 0x0101_0101_0101_0101) & ~backslashes
        return found & 0x8080_8080_8080_8080 == 0
    }

    private static func put(_ byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
        end.pointee = byte
        end += 1
    }

    private static func putEscaped(_ byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
        put(UInt8(ascii: "\\"), &end)
        switch byte {
        case 0x08: put(UInt8(ascii: "b"), &end)
        case 0x09: put(UInt8(ascii: "t"), &end)
        case 0x0A: put(UInt8(ascii: "n"), &end)
        case 0x0C: put(UInt8(ascii: "f"), &end)
        case 0x0D: put(UInt8(ascii: "r"), &end)
        case 0x22, 0x5C: put(byte, &end)
        default:
            for digit in "u00".utf8 { put(digit, &end) }
            put(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"), &end)
            put(hexDigit(of: byte & 15), &end)
        }
    }
}
