import Glibc

/// The addresses that have their first bits in common; of one address, all 128.
public struct IPNetwork: Hashable, Sendable {
    public let address: IPAddress
    /// 0...128 bits, counted from the start of the 128 also for IPv4.
    public let prefixLength: Int

    /// - Parameter prefixLength: 0...128.
    public init(_ address: IPAddress, prefixLength: Int) {
        precondition((0...128).contains(prefixLength), "an IP address has 128 bits")
        (self.address, self.prefixLength) = (address, prefixLength)
    }

    /// "192.0.2.1", "192.0.2.0/24", "2001:db8::/32"; nil for anything else, also for a network with bits behind its
    /// prefix, which is a slip of the pen.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
        let width = parts[0].contains(":") ? 128 : 32
        var length = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]), number <= width
            else { return nil }
            length = number
        }
        self.init(address, prefixLength: 128 - width + length)
        guard address.high & ~mask.high == 0, address.low & ~mask.low == 0 else { return nil }
    }

    public func contains(_ other: IPAddress) -> Bool {
        (address.high ^ other.high) & mask.high == 0 && (address.low ^ other.low) & mask.low == 0
    }

    /// Everybody: 0.0.0.0/0 or ::/0.
    public var isEverybody: Bool { prefixLength == 0 || self == Self.everyIPv4 }

    private static let everyIPv4 = IPNetwork(IPAddress(high: 0, low: 0xFFFF_0000_0000), prefixLength: 96)

    private var mask: (high: UInt64, low: UInt64) {
        (Self.ones(min(prefixLength, 64)), Self.ones(max(prefixLength - 64, 0)))
    }

    /// So many leading ones. Shifting by 64 gives zero.
    private static func ones(_ count: Int) -> UInt64 { ~(UInt64.max >> UInt64(count)) }
}

extension IPNetwork: CustomStringConvertible {
    /// As ``init(_:)`` reads it.
    public var description: String {
        let isIPv4 = prefixLength >= 96 && address.isIPv4
        let bytes = address.bytes
        let (family, octets, skipped) = isIPv4 ? (AF_INET, Array(bytes.suffix(4)), 96) : (AF_INET6, bytes, 0)
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            inet_ntop(family, octets, text.baseAddress, socklen_t(text.count)).map { String(cString: $0) } ?? ""
        }
        return prefixLength == 128 ? text : "\(text)/\(prefixLength - skipped)"
    }
}
