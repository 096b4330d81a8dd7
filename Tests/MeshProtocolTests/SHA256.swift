import CNettle

/// In lower-case hexadecimal. The oracles of the recordings name bytes by it.
func sha256(_ message: [UInt8]) -> String {
    var state = sha256_ctx()
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
    nettle_sha256_init(&state)
    nettle_sha256_update(&state, message.count, message)
    nettle_sha256_digest(&state, digest.count, &digest)
    return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
