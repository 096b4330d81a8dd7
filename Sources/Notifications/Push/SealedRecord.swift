import Glibc
import Nettle

// What a browser's push service passes on and cannot read (RFC 8291), one record of RFC 8188:
//
//     salt 16 | record size 4 | 65 | sender's public key 65 | AES-128-GCM of (text | 2) | tag 16
//
// 1. The sender's key and the salt are drawn for each record: the same text never looks the same, and a nonce never comes twice.
// 2. Services take bodies of 4096 bytes (RFC 8030, 7.2), which is what bounds the text.

enum SealedRecord {
    private static let recordSize = 4096
    private static let saltSize = 16
    /// Bytes around the text.
    static let overhead = saltSize + 4 + 1 + P256.pointSize + 1 + 16
    /// Bytes of the longest text.
    static let longestText = recordSize - overhead

    /// - Parameters:
    ///   - sender: a private key, for this record alone.
    ///   - salt: 16 bytes, for this record alone.
    static func bytes(_ text: [UInt8], for keys: BrowserKeys, from sender: [UInt8], salt: [UInt8]) -> [UInt8]? {
        guard text.count <= longestText, salt.count == saltSize, let publicKey = P256.publicKey(of: sender),
            let shared = P256.sharedSecret(of: sender, and: keys.publicKey)
        else { return nil }
        let purpose = Array("WebPush: info\0".utf8) + keys.publicKey + publicKey
        let secret = hkdfSHA256(shared, salt: keys.secret, info: purpose, count: 32)
        func derived(_ purpose: String, _ count: Int) -> [UInt8] {
            hkdfSHA256(secret, salt: salt, info: Array("Content-Encoding: \(purpose)\0".utf8), count: count)
        }
        let size = withUnsafeBytes(of: UInt32(recordSize).bigEndian) { Array($0) }
        // The last record's text ends with 2 (RFC 8188, 2).
        let sealed = aesGCMEncrypted(text + [2], key: derived("aes128gcm", 16), nonce: derived("nonce", 12))
        return salt + size + [UInt8(publicKey.count)] + publicKey + sealed
    }
}

/// The body of a request that tells a browser: with `Content-Encoding: aes128gcm`. nil if the text has more than
/// ``SealedRecord/longestText`` bytes.
func sealed(_ text: [UInt8], for keys: BrowserKeys) -> [UInt8]? {
    guard let sender = P256.makeScalar() else { return nil }
    var salt = [UInt8](repeating: 0, count: 16)
    precondition(getentropy(&salt, salt.count) == 0, "getentropy(3) must work")
    return SealedRecord.bytes(text, for: keys, from: sender, salt: salt)
}
