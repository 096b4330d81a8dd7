import JSON

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

    /// 0 to 3 are reserved, and everybody is nobody.
    public var mayBeNode: Bool { rawValue > 3 && !isBroadcast }

    public static func < (a: NodeNumber, b: NodeNumber) -> Bool { a.rawValue < b.rawValue }

    /// The id text: `!` and eight lower-case hexadecimal digits.
    public var id: String {
        String(unsafeUninitializedCapacity: 9) { bytes in
            bytes[0] = UInt8(ascii: "!")
            for place in 1...8 {
                let digit = UInt8(truncatingIfNeeded: rawValue >> UInt32(32 - 4 * place)) & 15
                bytes[place] = hexDigit(of: digit)
            }
            return 9
        }
    }

    /// Reads an id: `!` and one to eight hexadecimal digits in either case; nil for anything else.
    public init?(id: some StringProtocol) {
        // Byte by byte, any kind of string takes six times as long as this one.
        let id = String(id)
        var bytes = id.utf8.makeIterator()
        guard bytes.next() == UInt8(ascii: "!") else { return nil }
        var (number, count) = (UInt32(0), 0)
        while let byte = bytes.next() {
            guard count < 8, let digit = hexDigit(byte) else { return nil }
            number = number << 4 | UInt32(digit)
            count += 1
        }
        guard count > 0 else { return nil }
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
