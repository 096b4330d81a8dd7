import Nettle

/// The key by which push services know this gateway (VAPID, RFC 8292). A browser binds its registration to it, so that with
/// another key every registration is lost.
public struct PushKey: Hashable, Sendable {
    /// The private half, 32 bytes.
    public let scalar: [UInt8]
    /// The public half, 65 bytes: a point on P-256, uncompressed.
    public let publicKey: [UInt8]

    /// nil unless that is a private key.
    public init?(scalar: [UInt8]) {
        guard let publicKey = P256.publicKey(of: scalar) else { return nil }
        (self.scalar, self.publicKey) = (scalar, publicKey)
    }

    /// nil if this computer lacks the library (``Nettle/P256/obstacle``).
    public static func make() -> PushKey? { P256.makeScalar().flatMap { PushKey(scalar: $0) } }

    /// The public half as browsers take it (`applicationServerKey`), 87 characters.
    public var shown: String { Base64.linkEncoded(publicKey) }
}
