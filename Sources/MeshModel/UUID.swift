import JSON

/// A random UUID (version 4) in lower case.
public func randomUUID() -> String {
    var random = SystemRandomNumberGenerator()
    return uuid(version: 4, (random.next(), random.next()))
}

/// A UUID of these bits, but for those that name the version and the variant (RFC 9562), in lower case.
public func uuid(version: UInt8, _ bits: (UInt64, UInt64)) -> String {
    var bytes = withUnsafeBytes(of: bits) { Array($0) }
    bytes[6] = bytes[6] & 0x0F | version << 4
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
        if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
        text += [hexDigit(of: byte >> 4), hexDigit(of: byte & 15)]
    }
    return String(decoding: text, as: UTF8.self)
}
