/// A weak entity tag (RFC 9110, 8.8.3).
struct EntityTag {
    let text: String

    /// Of what a body is made from.
    init(parts: [UInt64]) {
        text = "W/\"" + parts.map { String($0, radix: 36) }.joined(separator: "-") + "\""
    }

    /// Of a body.
    init(of body: [UInt8]) {
        self.init(parts: [UInt64(body.count), Self.fingerprint(body)])
    }

    /// 64 bits of FNV-1a: enough to notice a change, and nobody gains by forging one.
    static func fingerprint(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash
    }
}
