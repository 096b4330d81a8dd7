import CNettle

/// `nettle_sha256_digest`: 32 bytes.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
    var context = sha256_ctx()
    nettle_sha256_init(&context)
    nettle_sha256_update(&context, bytes.count, bytes)
    nettle_sha256_digest(&context, digest.count, &digest)
    return digest
}
