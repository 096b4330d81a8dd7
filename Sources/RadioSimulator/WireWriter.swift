/// Writes protobuf fields by number, for the messages that the codec does not build: settings with their secrets,
/// which the codec leaves out on purpose, and payloads that only a radio makes. A value of 0 or an empty text is left
/// out as proto3 does.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    static func message(_ build: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter()
        build(&writer)
        return writer.bytes
    }

    mutating func number(_ field: UInt32, _ value: UInt64) {
        guard value != 0 else { return }
        varint(UInt64(field) << 3)
        varint(value)
    }

    mutating func flag(_ field: UInt32, _ value: Bool) { number(field, value ? 1 : 0) }

    mutating func fixed32(_ field: UInt32, _ value: UInt32) {
        guard value != 0 else { return }
        varint(UInt64(field) << 3 | 5)
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func text(_ field: UInt32, _ value: String) {
        guard !value.isEmpty else { return }
        message(field, Array(value.utf8))
    }

    /// A submessage or bytes: written even when empty, because the presence of a submessage counts.
    mutating func message(_ field: UInt32, _ content: [UInt8]) {
        varint(UInt64(field) << 3 | 2)
        varint(UInt64(content.count))
        bytes += content
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

/// A field of a message: its number, of a varint or fixed32 its value, and what a length-delimited one holds.
typealias WireValue = (field: UInt32, value: UInt64, content: [UInt8])

/// Up to the first that cannot be read.
func fields(of message: [UInt8]) -> [WireValue] {
    var (rest, fields): (ArraySlice<UInt8>, [WireValue]) = (message[...], [])
    while let field = nextField(of: &rest) { fields.append(field) }
    return fields
}

/// The first field of a message: its number and, of a varint or fixed32, its value. Nil: not a message, or an empty one.
func firstField(of message: [UInt8]) -> (field: UInt32, value: UInt64)? {
    var rest = message[...]
    return nextField(of: &rest).map { ($0.field, $0.value) }
}

/// What a message in a message in … holds; nil when there is none.
func content(of path: [UInt32], in message: [UInt8]) -> [UInt8]? {
    guard let first = path.first else { return message }
    return fields(of: message).last { $0.field == first }.flatMap {
        content(of: Array(path.dropFirst()), in: $0.content)
    }
}

private func nextField(of rest: inout ArraySlice<UInt8>) -> WireValue? {
    guard let key = varint(&rest), key >> 3 != 0, key >> 3 <= UInt64(UInt32.max) else { return nil }
    let field = UInt32(key >> 3)
    switch key & 7 {
    case 0: return varint(&rest).map { (field, $0, []) }
    case 5:
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return (field, rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt64($1) }, [])
    case 2:
        guard let length = varint(&rest), length <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return (field, 0, Array(rest.prefix(Int(length))))
    default: return nil
    }
}

private func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
        guard let byte = rest.popFirst() else { return nil }
        value |= UInt64(byte & 0x7F) << shift
        if byte & 0x80 == 0 { return value }
    }
    return nil
}
