import Folders
import Nettle

/// The keys of a registration, by which only its browser can read what it is sent (RFC 8291, 2.1 and 3.2).
struct BrowserKeys: Hashable, Sendable {
    /// 65 bytes: a point on P-256, uncompressed.
    let publicKey: [UInt8]
    /// 16 bytes.
    let secret: [UInt8]

    /// - Parameters:
    ///   - p256dh: base64 for links, with padding or without, as `PushSubscription.toJSON()` has it.
    ///   - auth: likewise.
    init(p256dh: String, auth: String) throws(BadValue) {
        publicKey = try Self.bytes(p256dh, "p256dh", count: P256.pointSize)
        secret = try Self.bytes(auth, "auth", count: 16)
        if let obstacle = P256.obstacle {
            throw BadValue("browsers cannot be told, for libhogweed is missing on this computer: \(obstacle)")
        }
        guard P256.isPoint(publicKey) else {
            throw BadValue("keys.p256dh is no point on the curve P-256; send it as the browser gives it")
        }
    }

    private static func bytes(_ text: String, _ name: StaticString, count: Int) throws(BadValue) -> [UInt8] {
        guard text.utf8.count <= 200, let bytes = Base64.decodedLeniently(text) else {
            throw BadValue("keys.\(name) is not base64url; send it as the browser gives it")
        }
        guard bytes.count == count else {
            throw BadValue(
                "keys.\(name) has \(bytes.count) bytes in place of \(count); send it as the browser gives it")
        }
        return bytes
    }
}
