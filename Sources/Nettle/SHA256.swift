import CNettle

/// SHA-256 of what comes in pieces (`nettle_sha256_init`, `_update`, `_digest`).
public struct SHA256 {
    private var context = sha256_ctx()

    public init() { nettle_sha256_init(&context) }

    /// Of a whole: 32 bytes.
    public static func digest(of bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        nettle_sha256_update(&context, bytes.count, bytes.bindMemory(to: UInt8.self).baseAddress)
    }

    public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    /// 32 bytes. Afterwards it starts again.
    public mutating func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_SIZE)) { digest, count in
            count = Int(SHA256_DIGEST_SIZE)
            nettle_sha256_digest(&context, count, digest.baseAddress)
        }
    }
}

/// HMAC-SHA256 (RFC 2104; `nettle_hmac_sha256_set_key`, `_update`, `_digest`): 32 bytes.
public func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var context = hmac_sha256_ctx()
    nettle_hmac_sha256_set_key(&context, key.count, key)
    nettle_hmac_sha256_update(&context, bytes.count, bytes)
    return [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_SIZE)) { digest, count in
        count = Int(SHA256_DIGEST_SIZE)
        nettle_hmac_sha256_digest(&context, count, digest.baseAddress)
    }
}

/// In a time that tells nothing about where they differ (`nettle_memeql_sec`).
public func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && nettle_memeql_sec(left, right, left.count) == 1
}
