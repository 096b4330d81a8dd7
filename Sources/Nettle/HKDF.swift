/// Keys from a secret (HKDF with SHA-256, RFC 5869).
///
/// - Parameters:
///   - info: what the key is for.
///   - count: its bytes, at most 32: one block of the RFC's 255.
public func hkdfSHA256(_ secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
    precondition((1...32).contains(count))
    let key = hmacSHA256(secret, key: salt)
    return Array(hmacSHA256(info + [1], key: key).prefix(count))
}
