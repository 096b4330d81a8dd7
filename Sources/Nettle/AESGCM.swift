import CNettle

/// The text, encrypted by AES-128 in Galois/Counter Mode, with its tag of 16 bytes behind it (NIST SP 800-38D;
/// `nettle_gcm_aes128_set_key`, `_set_iv`, `_encrypt`, `_digest`).
///
/// - Parameters:
///   - key: 16 bytes.
///   - nonce: 12 bytes, never twice with one key.
public func aesGCMEncrypted(_ text: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
    precondition(key.count == Int(AES128_KEY_SIZE) && nonce.count == Int(GCM_IV_SIZE))
    var context = gcm_aes128_ctx()
    nettle_gcm_aes128_set_key(&context, key)
    nettle_gcm_aes128_set_iv(&context, nonce.count, nonce)
    let tagSize = Int(GCM_DIGEST_SIZE)
    return [UInt8](unsafeUninitializedCapacity: text.count + tagSize) { output, count in
        nettle_gcm_aes128_encrypt(&context, text.count, output.baseAddress, text)
        nettle_gcm_aes128_digest(&context, tagSize, output.baseAddress! + text.count)
        count = text.count + tagSize
    }
}
