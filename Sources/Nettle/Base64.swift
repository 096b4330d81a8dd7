import CNettle

/// RFC 4648: its section 4 with padding, and what people and links make of it (section 5).
public enum Base64 {
    /// `nettle_base64_encode_raw`.
    public static func encoded(_ bytes: UnsafeRawBufferPointer) -> String {
        let count = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: count) { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
                nettle_base64_encode_raw($0.baseAddress, bytes.count, bytes.bindMemory(to: UInt8.self).baseAddress)
            }
            return count
        }
    }

    public static func encoded(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { encoded($0) } }

    /// In the alphabet for links and file names, without padding.
    public static func linkEncoded(_ bytes: [UInt8]) -> String {
        String(
            encoded(bytes).compactMap { character in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            } as [Character])
    }

    /// Nil unless the text is exactly how these bytes are written (`nettle_base64_decode_update`, which alone would pass
    /// over blanks and odd bits).
    public static func decoded(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        // An array of no capacity is one that all threads share, and its count would be written.
        if text.isEmpty { return [] }
        var context = base64_decode_ctx()
        nettle_base64_decode_init(&context)
        var isValid = false
        let bytes = [UInt8](unsafeUninitializedCapacity: (text.count + 1) * 6 / 8) { buffer, count in
            let characters = text.bindMemory(to: CChar.self).baseAddress
            isValid = nettle_base64_decode_update(&context, &count, buffer.baseAddress, text.count, characters) == 1
            if !isValid { count = 0 }
        }
        guard isValid, nettle_base64_decode_final(&context) == 1 else { return nil }
        return encoded(bytes).utf8.elementsEqual(text) ? bytes : nil
    }

    public static func decoded(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decoded(UnsafeRawBufferPointer($0)) }
    }

    /// In either alphabet, with padding or without.
    public static func decodedLeniently(_ text: String) -> [UInt8]? {
        var characters = text.utf8.map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        guard !characters.contains(UInt8(ascii: "=")) else { return nil }
        while characters.count % 4 != 0 { characters.append(UInt8(ascii: "=")) }
        return characters.withUnsafeBytes { decoded($0) }
    }
}
