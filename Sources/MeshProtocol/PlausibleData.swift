import MeshModel

/// Whether decrypted bytes are a Data message or noise. protobuf skips what it does not know, so that it makes a message
/// of much noise; the firmware's encoder writes one form only.
enum PlausibleData {
    /// Wire types of the fields 1 to 10, in their order: 0 varint, 2 bytes, 5 fixed32.
    private static let wireTypes: [UInt8] = [0, 2, 0, 5, 5, 5, 5, 5, 0, 2]

    /// True when every byte belongs to a field, the fields are in the order of their numbers and of their own types, and
    /// the first is a port number that somebody uses. What later firmware adds may follow.
    static func isWellFormed(_ bytes: [UInt8]) -> Bool {
        var reader = WireReader(rest: bytes[...])
        var previous: UInt8 = 0
        while let tag = reader.rest.popFirst() {
            let (field, type) = (tag >> 3, tag & 7)
            // Sixteen and more would take a longer tag.
            guard tag < 0x80, field > previous, previous != 0 || field == 1 else { return false }
            if field <= wireTypes.count, wireTypes[Int(field) - 1] != type { return false }
            guard let value = reader.value(type: type) else { return false }
            switch field {
            case 1 where !isUsed(port: value): return false
            // want_response; false is not written.
            case 3 where value != 1: return false
            default: previous = field
            }
        }
        return previous != 0
    }

    /// True when the payload is what its port number says.
    static func isMeaningful(_ data: MeshData) -> Bool {
        guard !data.payload.isEmpty else { return false }
        switch PacketContent(data) {
        case .undecodable: return false
        case .text(let text): return Array(text.utf8) == data.payload
        default: return true
        }
    }

    /// Numbers that the schema names, and the range from 256 on that is anybody's. 511 only ends it.
    private static func isUsed(port: UInt32) -> Bool {
        (256..<511).contains(port) || port != 0 && port < 256 && PortNumber(rawValue: port).name != nil
    }
}

private struct WireReader {
    var rest: ArraySlice<UInt8>

    /// Passes over one value: the number itself, or 0 for bytes. Nil when it is not whole, or longer than it need be.
    mutating func value(type: UInt8) -> UInt32? {
        switch type {
        case 0: return varint()
        case 2:
            guard let length = varint(), length <= rest.count else { return nil }
            rest = rest.dropFirst(Int(length))
            return 0
        case 5:
            guard rest.count >= 4 else { return nil }
            rest = rest.dropFirst(4)
            return 0
        default: return nil
        }
    }

    private mutating func varint() -> UInt32? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 28, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return byte == 0 && shift > 0 ? nil : UInt32(exactly: value) }
        }
        return nil
    }
}
