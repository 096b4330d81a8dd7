/// Base64 as people and links write it (RFC 4648, sections 4 and 5).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// In the alphabet for links and file names, without padding.
    static func urlEncoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0...group.count { text.append(alphabet[Int(word >> UInt32(18 - 6 * place) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Both alphabets, with padding or without. Nil: it is none.
    static func decoded(_ text: String) -> [UInt8]? {
        var characters = text.utf8[...]
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        guard characters.count % 4 != 1 else { return nil }
        var (bytes, word, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for character in characters {
            guard let value = value(character) else { return nil }
            word = word << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> bits))
            }
        }
        // What is left over must be nothing.
        return word & (1 << bits - 1) == 0 ? bytes : nil
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: alphabet.firstIndex(of: character).map { UInt32($0) }
        }
    }
}
