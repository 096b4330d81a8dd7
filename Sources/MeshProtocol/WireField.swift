/// One field as it lies on the wire.
struct WireField {
    var number: UInt32
    /// Key, length and content.
    var whole: ArraySlice<UInt8>
    var key: ArraySlice<UInt8>
    /// What follows the key, and the length if there is one; empty for a varint.
    var content: ArraySlice<UInt8>
    var isLengthDelimited: Bool
    var isVarint: Bool
    /// Of a varint field.
    var varint: UInt64

    /// Takes one field off the front; nil when there is none (cut short, or of a wire type that nobody sends).
    init?(readingFrom rest: inout ArraySlice<UInt8>) {
        let all = rest
        guard let tag = Self.takeVarint(&rest), tag >> 3 != 0, tag >> 3 <= 0x1FFF_FFFF else { return nil }
        number = UInt32(tag >> 3)
        let keyEnd = rest.startIndex
        var length = 0
        varint = 0
        isLengthDelimited = false
        isVarint = tag & 7 == 0
        switch tag & 7 {
        case 0:
            guard let value = Self.takeVarint(&rest) else { return nil }
            varint = value
        case 1: length = 8
        case 2:
            guard let value = Self.takeVarint(&rest), value <= UInt64(rest.count) else { return nil }
            length = Int(value)
            isLengthDelimited = true
        case 5: length = 4
        default: return nil
        }
        guard length <= rest.count else { return nil }
        content = rest.prefix(length)
        rest = rest.dropFirst(length)
        key = all[..<keyEnd]
        whole = all[..<rest.startIndex]
    }

    func append(_ newContent: [UInt8], to result: inout [UInt8]) {
        // Untouched fields keep even an unusual spelling of their length.
        if newContent.count == content.count {
            result.append(contentsOf: whole.dropLast(content.count))
        } else {
            result.append(contentsOf: key)
            Self.appendVarint(UInt64(newContent.count), to: &result)
        }
        result.append(contentsOf: newContent)
    }

    /// As long as it was, but with nothing but zeros in it.
    func appendBlank(to result: inout [UInt8]) {
        if isVarint {
            result.append(contentsOf: key)
            result.append(contentsOf: repeatElement(0x80, count: whole.count - key.count - 1))
            result.append(0)
        } else {
            result.append(contentsOf: whole.dropLast(content.count))
            result.append(contentsOf: repeatElement(0, count: content.count))
        }
    }

    /// A varint field with another value.
    func append(varint: UInt64, to result: inout [UInt8]) {
        result.append(contentsOf: key)
        Self.appendVarint(varint, to: &result)
    }

    private static func appendVarint(_ value: UInt64, to result: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            result.append(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80)
            rest >>= 7
        }
        result.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func takeVarint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
