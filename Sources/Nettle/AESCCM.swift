import CNettle

// AES in counter mode with a tag over the text and what belongs to it (CCM, RFC 3610).

/// The text, encrypted, with its tag behind it (`nettle_ccm_aes128_encrypt_message`, `nettle_ccm_aes256_encrypt_message`).
///
/// - Parameters:
///   - key: 16 bytes (AES-128) or 32 (AES-256).
///   - nonce: 7 to 13 bytes, never twice with one key.
///   - extra: what the tag is to cover besides.
///   - tagLength: 4 to 16 bytes, even.
public func aesCCMEncrypted(
    _ text: [UInt8], key: [UInt8], nonce: [UInt8], authenticating extra: [UInt8], tagLength: Int
) -> [UInt8] {
    check(key, nonce, tagLength)
    let length = text.count + tagLength
    return [UInt8](unsafeUninitializedCapacity: length) { output, count in
        if key.count == 16 {
            var context = ccm_aes128_ctx()
            nettle_ccm_aes128_set_key(&context, key)
            nettle_ccm_aes128_encrypt_message(
                &context, nonce.count, nonce, extra.count, extra, tagLength, length, output.baseAddress, text)
        } else {
            var context = ccm_aes256_ctx()
            nettle_ccm_aes256_set_key(&context, key)
            nettle_ccm_aes256_encrypt_message(
                &context, nonce.count, nonce, extra.count, extra, tagLength, length, output.baseAddress, text)
        }
        count = length
    }
}

/// The other way (`nettle_ccm_aes128_decrypt_message`, `nettle_ccm_aes256_decrypt_message`); nil: the tag, which is behind the
/// text, is wrong.
public func aesCCMDecrypted(
    _ bytes: [UInt8], key: [UInt8], nonce: [UInt8], authenticating extra: [UInt8], tagLength: Int
) -> [UInt8]? {
    check(key, nonce, tagLength)
    guard bytes.count > tagLength else { return nil }
    let length = bytes.count - tagLength
    var isGenuine = false
    let text = [UInt8](unsafeUninitializedCapacity: length) { output, count in
        if key.count == 16 {
            var context = ccm_aes128_ctx()
            nettle_ccm_aes128_set_key(&context, key)
            isGenuine =
                nettle_ccm_aes128_decrypt_message(
                    &context, nonce.count, nonce, extra.count, extra, tagLength, length, output.baseAddress, bytes) == 1
        } else {
            var context = ccm_aes256_ctx()
            nettle_ccm_aes256_set_key(&context, key)
            isGenuine =
                nettle_ccm_aes256_decrypt_message(
                    &context, nonce.count, nonce, extra.count, extra, tagLength, length, output.baseAddress, bytes) == 1
        }
        count = length
    }
    return isGenuine ? text : nil
}

private func check(_ key: [UInt8], _ nonce: [UInt8], _ tagLength: Int) {
    precondition([16, 32].contains(key.count) && (7...13).contains(nonce.count))
    precondition((4...16).contains(tagLength) && tagLength % 2 == 0)
}
