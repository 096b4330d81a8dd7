import CMeshtastic

/// One field as it lies on the wire, as much of it as is there.
struct WireToken {
    /// Of its key.
    let start: Int
    let number: UInt32
    /// 0 varint, 1 and 5 eight and four bytes, 2 length-delimited.
    let type: UInt8
    /// Behind the key and the length.
    let content: Range<Int>
    /// Of a field of type 0.
    let varint: UInt64
    /// Bytes that belong to it but are not there.
    let missing: Int

    var end: Int { content.upperBound }
    var isLengthDelimited: Bool { type == 2 }

    /// Nil when no field begins here: its key, or what says how long it is, is cut short or of a form that nobody sends.
    init?(_ bytes: [UInt8], at start: Int, end: Int) {
        var position = start
        guard let key = Self.varint(bytes, &position, end), key >> 3 != 0, key >> 3 <= 0x1FFF_FFFF else { return nil }
        self.start = start
        number = UInt32(key >> 3)
        type = UInt8(key & 7)
        let contentStart: Int
        let length: Int
        switch type {
        case 0:
            contentStart = position
            guard let value = Self.varint(bytes, &position, end) else { return nil }
            varint = value
            length = position - contentStart
        case 1, 5:
            (contentStart, length, varint) = (position, type == 1 ? 8 : 4, 0)
        case 2:
            guard let value = Self.varint(bytes, &position, end), value <= 0x7FFF_FFFF else { return nil }
            (contentStart, length, varint) = (position, Int(value), 0)
        default: return nil
        }
        content = contentStart..<contentStart + min(length, end - contentStart)
        missing = length - content.count
    }

    /// Nil when it does not end within ten bytes.
    static func varint(_ bytes: [UInt8], _ position: inout Int, _ end: Int) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard position < end else { return nil }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension WireToken {
    /// What a field of type 0, 1 or 5 holds.
    func number(_ bytes: [UInt8]) -> UInt64 { type == 0 ? varint : Self.little(bytes[content]) }

    /// The numbers of a packed field, each of this wire type; nil when the last one is not whole.
    func packedNumbers(_ bytes: [UInt8], of wireType: UInt8) -> [UInt64]? {
        var numbers: [UInt64] = []
        var position = content.lowerBound
        let size = wireType == 1 ? 8 : 4
        while position < end {
            if wireType == 0 {
                guard let number = Self.varint(bytes, &position, end) else { return nil }
                numbers.append(number)
            } else {
                guard position + size <= end else { return nil }
                numbers.append(Self.little(bytes[position..<position + size]))
                position += size
            }
        }
        return numbers
    }

    private static func little(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ProtobufCFieldDescriptor {
    /// As one of its values is sent (protobuf's encoding): 0 varint, 1 eight bytes, 2 with its length, 5 four bytes.
    var wireType: UInt8 {
        switch type {
        case PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_BYTES, PROTOBUF_C_TYPE_MESSAGE: 2
        case PROTOBUF_C_TYPE_FIXED32, PROTOBUF_C_TYPE_SFIXED32, PROTOBUF_C_TYPE_FLOAT: 5
        case PROTOBUF_C_TYPE_FIXED64, PROTOBUF_C_TYPE_SFIXED64, PROTOBUF_C_TYPE_DOUBLE: 1
        default: 0
        }
    }
}
