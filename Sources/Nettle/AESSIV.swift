import CNettle

/// AES-SIV with 128 bits (RFC 5297; `nettle_siv_cmac_aes128_set_key`, `_encrypt_message`, `_decrypt_message`): who does not
/// have the key can neither read what was sealed nor make or change it.
///
/// Among nettle's authenticated ciphers it is the one that a repeated nonce does not break: all that shows then is that two
/// texts are the same. So nonces may be drawn at random, and short.
public struct AESSIV: Sendable {
    /// Bytes of a key, half of it for each of its two ciphers.
    public static let keySize = Int(SIV_CMAC_AES128_KEY_SIZE)
    /// Bytes by which a sealed text is longer.
    public static let overhead = Int(SIV_DIGEST_SIZE)

    private let key: [UInt8]

    /// - Parameter key: ``keySize`` bytes.
    public init(key: [UInt8]) {
        precondition(key.count == Self.keySize, "a key has two halves of 128 bits")
        self.key = key
    }

    /// - Parameters:
    ///   - nonce: at least one byte; the same text looks different under each.
    ///   - owner: it opens under the same one only.
    public func seal(_ text: [UInt8], nonce: [UInt8], for owner: [UInt8]) -> [UInt8] {
        precondition(nonce.count >= Int(SIV_MIN_NONCE_SIZE))
        var context = context
        return [UInt8](unsafeUninitializedCapacity: text.count + Self.overhead) { sealed, count in
            count = text.count + Self.overhead
            nettle_siv_cmac_aes128_encrypt_message(
                &context, nonce.count, nonce, owner.count, owner, count, sealed.baseAddress, text)
        }
    }

    /// Nil: it was not sealed with this key and nonce for this owner, or not as it is here.
    public func open(_ sealed: [UInt8], nonce: [UInt8], for owner: [UInt8]) -> [UInt8]? {
        guard nonce.count >= Int(SIV_MIN_NONCE_SIZE), sealed.count > Self.overhead else { return nil }
        var context = context
        var isGood = false
        let text = [UInt8](unsafeUninitializedCapacity: sealed.count - Self.overhead) { text, count in
            count = sealed.count - Self.overhead
            isGood =
                nettle_siv_cmac_aes128_decrypt_message(
                    &context, nonce.count, nonce, owner.count, owner, count, text.baseAddress, sealed) == 1
            if !isGood { count = 0 }
        }
        return isGood ? text : nil
    }

    private var context: siv_cmac_aes128_ctx {
        var context = siv_cmac_aes128_ctx()
        nettle_siv_cmac_aes128_set_key(&context, key)
        return context
    }
}
