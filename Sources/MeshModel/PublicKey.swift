/// A node's X25519 public key, 32 bytes.
public struct PublicKey: Hashable, Sendable {
    public let bytes: [UInt8]

    /// Nil unless there are exactly 32 bytes and one of them is not 0: an empty field, and one that was never filled,
    /// mean that the node has no key.
    public init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 32, bytes.contains(where: { $0 != 0 }) else { return nil }
        self.bytes = bytes
    }

    /// At most eight different bytes: no generator that works makes such a key (one in 10^33), but an empty memory or a
    /// person does.
    public var isLowEntropy: Bool {
        // A bit for each byte that occurs, and no set: a list of nodes asks a thousand times. Nearly all say no at the ninth byte.
        var (seen, different) = (SIMD4<UInt64>(), 0)
        for byte in bytes {
            let (place, bit) = (Int(byte >> 6), UInt64(1) << UInt64(byte & 63))
            guard seen[place] & bit == 0 else { continue }
            seen[place] |= bit
            different += 1
            if different > 8 { return false }
        }
        return true
    }

    /// It is of low entropy, or has a pattern: two equal halves, or bytes that all differ from the one before by the same.
    public var isGuessable: Bool {
        let step = bytes[1] &- bytes[0]
        let isRow = zip(bytes, bytes.dropFirst()).allSatisfy { $1 &- $0 == step }
        return isLowEntropy || bytes[..<16].elementsEqual(bytes[16...]) || isRow
    }

    /// The number that firmware 2.8 gives the node with this key: its CRC-32 (IEEE 802.3; SerialReference 5.6).
    public var nodeNumber: NodeNumber {
        var register = UInt32.max
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 { register = register & 1 == 0 ? register >> 1 : register >> 1 ^ 0xEDB8_8320 }
        }
        return NodeNumber(~register)
    }
}
