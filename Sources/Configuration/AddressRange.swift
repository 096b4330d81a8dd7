import Glibc

/// One IP address, or a network of them.
public struct AddressRange: Sendable, Equatable {
    /// 16 bytes: an IPv6 address, or an IPv4 one inside IPv6 (::ffff:0:0/96).
    public let bytes: [UInt8]
    /// How many leading bits are those of the network: 0...128.
    public let prefixLength: Int

    /// "192.0.2.1", "192.0.2.0/24", "2001:db8::/32"; nil for anything else, also for a network with bits behind its
    /// prefix, which is a slip of the pen.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let (bytes, width) = Self.address(String(parts[0])) else { return nil }
        var length = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]), number <= width
            else { return nil }
            length = number
        }
        self.bytes = bytes
        prefixLength = 128 - width + length
        guard (prefixLength..<128).allSatisfy({ bytes[$0 / 8] & (0x80 >> ($0 % 8)) == 0 }) else { return nil }
    }

    /// The bytes (inet_pton) and how many bits of them the family has: 32 or 128.
    private static func address(_ text: String) -> ([UInt8], Int)? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, text, &bytes) == 1 { return (bytes, 128) }
        var octets = [UInt8](repeating: 0, count: 4)
        guard inet_pton(AF_INET, text, &octets) == 1 else { return nil }
        return ([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + octets, 32)
    }
}
