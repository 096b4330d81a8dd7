/// A node's X25519 public key, 32 bytes.
public struct PublicKey: Hashable, Sendable {
    public let bytes: [UInt8]

    /// Nil unless there are exactly 32 bytes: an empty field means that the node has no key.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }
}
