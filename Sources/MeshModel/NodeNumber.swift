/// The number by which a mesh addresses a node: 32 bits, `!%08x` when written as an id.
///
/// Firmware up to 2.7 takes the last four bytes of the MAC address, 2.8 the CRC-32 of the public key, so a number can
/// change under a radio that stays the same. 0 to 3 are reserved and ``broadcast`` is no node.
public struct NodeNumber: RawRepresentable, Hashable, Comparable, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public init(_ number: UInt32) { rawValue = number }

    /// The address of everybody. It must never become a row of the node table.
    public static let broadcast = NodeNumber(0xFFFF_FFFF)

    public var isBroadcast: Bool { self == .broadcast }

    public static func < (a: NodeNumber, b: NodeNumber) -> Bool { a.rawValue < b.rawValue }

    /// The id text: `!` and eight lower-case hexadecimal digits.
    public var id: String {
        var text = "!"
        text.reserveCapacity(9)
        for shift in stride(from: 28, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: rawValue >> UInt32(shift)) & 15
            text.unicodeScalars.append(Unicode.Scalar(digit < 10 ? 48 + digit : 87 + digit))
        }
        return text
    }

    /// Reads an id: `!` and one to eight hexadecimal digits in either case; nil for anything else.
    public init?(id: some StringProtocol) {
        guard id.utf8.first == UInt8(ascii: "!") else { return nil }
        let digits = id.dropFirst()
        guard (1...8).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isHexDigit),
            let number = UInt32(digits, radix: 16)
        else { return nil }
        rawValue = number
    }

    /// The last four hexadecimal digits: the short name of a node that has not introduced itself.
    public var placeholderShortName: String { String(id.suffix(4)) }

    /// The long name of a node that has not introduced itself.
    public var placeholderLongName: String { "Node \(id)" }

    /// What this node puts into the one-byte fields `relay_node` and `next_hop`: its last byte, and 0xFF for 0x00,
    /// because 0 means "unknown" there.
    public var relayByte: UInt8 {
        let byte = UInt8(truncatingIfNeeded: rawValue)
        return byte == 0 ? 0xFF : byte
    }
}

extension NodeNumber: CustomStringConvertible {
    public var description: String { id }
}

/// A packet's id: chosen at random by its sender, never 0, unique per sender for minutes only.
public typealias PacketID = UInt32

extension UInt8 {
    var isHexDigit: Bool {
        (48...57).contains(self) || (65...70).contains(self) || (97...102).contains(self)
    }
}
