import Nettle

/// A browser as a push service knows it: two keys that it gives away, and what it alone can open (RFC 8291).
struct PushedBrowser: Sendable {
    private let scalar: [UInt8]
    private let publicKey: [UInt8]
    private let secret: [UInt8]

    init() {
        scalar = P256.makeScalar()!
        publicKey = P256.publicKey(of: scalar)!
        secret = (0..<16).map { _ in UInt8.random(in: 0...255) }
    }

    var p256dh: String { Base64.linkEncoded(publicKey) }
    var auth: String { Base64.linkEncoded(secret) }

    /// What a record says; nil if it is none for this browser.
    func open(_ body: [UInt8]) -> [UInt8]? {
        guard body.count >= 103, body[20] == 65 else { return nil }
        let (salt, sender, sealed) = (Array(body[..<16]), Array(body[21..<86]), Array(body[86...]))
        guard let shared = P256.sharedSecret(of: scalar, and: sender) else { return nil }
        let info = Array("WebPush: info\0".utf8) + publicKey + sender
        let key = hkdfSHA256(shared, salt: secret, info: info, count: 32)
        func derived(_ name: String, _ count: Int) -> [UInt8] {
            hkdfSHA256(key, salt: salt, info: Array("Content-Encoding: \(name)\0".utf8), count: count)
        }
        let (cipher, nonce) = (derived("aes128gcm", 16), derived("nonce", 12))
        // The mode is its own inverse; the tag is that of the text.
        let text = Array(aesGCMEncrypted(Array(sealed.dropLast(16)), key: cipher, nonce: nonce).dropLast(16))
        guard aesGCMEncrypted(text, key: cipher, nonce: nonce) == sealed, text.last == 2 else { return nil }
        return Array(text.dropLast())
    }
}
