import CNettle

/// AES in counter mode, both ways (`nettle_ctr_crypt`).
///
/// - Parameters:
///   - key: 16 bytes (AES-128) or 32 (AES-256).
///   - counter: the first counter block, 16 bytes.
public func aesCounterMode(_ bytes: [UInt8], key: [UInt8], counter: [UInt8]) -> [UInt8] {
    precondition([16, 32].contains(key.count) && counter.count == Int(AES_BLOCK_SIZE))
    // An array of no capacity is one that all threads share, and its count would be written.
    if bytes.isEmpty { return [] }
    var counter = counter
    return [UInt8](unsafeUninitializedCapacity: bytes.count) { output, count in
        if key.count == 16 {
            var context = aes128_ctx()
            nettle_aes128_set_encrypt_key(&context, key)
            nettle_ctr_crypt(
                &context, { nettle_aes128_encrypt($0?.assumingMemoryBound(to: aes128_ctx.self), $1, $2, $3) },
                counter.count, &counter, bytes.count, output.baseAddress, bytes)
        } else {
            var context = aes256_ctx()
            nettle_aes256_set_encrypt_key(&context, key)
            nettle_ctr_crypt(
                &context, { nettle_aes256_encrypt($0?.assumingMemoryBound(to: aes256_ctx.self), $1, $2, $3) },
                counter.count, &counter, bytes.count, output.baseAddress, bytes)
        }
        count = bytes.count
    }
}
