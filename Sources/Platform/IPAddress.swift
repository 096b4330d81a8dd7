import Glibc

/// An IP address as 128 bits, IPv4 inside IPv6 (::ffff:0:0/96): a client has one address on whichever socket it comes in.
public struct IPAddress: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// - Parameter bytes: 16 of them.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "an IP address has 16 bytes")
        let join = { (half: ArraySlice<UInt8>) in half.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(high: join(bytes[..<8]), low: join(bytes[8...]))
    }

    /// A numeric address (inet_pton); nil for anything else.
    public init?(_ text: String) {
        // Swift copies a text that is given to C to an array, and every request brings an address.
        guard let address = text.withCString(Self.read) else { return nil }
        self = address
    }

    private static func read(_ text: UnsafePointer<CChar>) -> IPAddress? {
        var octets: UInt32 = 0
        if inet_pton(AF_INET, text, &octets) == 1 {
            return IPAddress(high: 0, low: 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: octets)))
        }
        var halves: (UInt64, UInt64) = (0, 0)
        guard inet_pton(AF_INET6, text, &halves) == 1 else { return nil }
        return IPAddress(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
    }

    public var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// 16 of them.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    /// Whether the address is loopback or belongs to a private network: 127/8, ::1, 10/8, 172.16/12, 192.168/16
    /// (RFC 1918), fc00::/7 (RFC 4193). Link-local addresses do not count.
    public var isPrivate: Bool {
        guard isIPv4 else { return self == IPAddress(high: 0, low: 1) || high >> 57 == 0xFC >> 1 }
        let octets = UInt32(truncatingIfNeeded: low)
        return octets >> 24 == 127 || octets >> 24 == 10 || octets >> 20 == 172 << 4 | 1
            || octets >> 16 == 192 << 8 | 168
    }
}
