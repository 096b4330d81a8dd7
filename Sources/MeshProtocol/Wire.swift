import CMeshtastic

// Between protobuf-c's structs and our values. Reading: unpack, copy everything out, free. Writing: build a tree of
// structs in an arena, pack it, drop the arena; a tree that was built here must never go to free_unpacked.

/// The largest message that a serial frame carries, and the most that is ever given to protobuf-c, which has no limits
/// of its own.
let maximumMessageLength = 512

typealias Unpack<M> = (UnsafeMutablePointer<ProtobufCAllocator>?, Int, UnsafePointer<UInt8>?) ->
    UnsafeMutablePointer<M>?
typealias Free<M> = (UnsafeMutablePointer<M>?, UnsafeMutablePointer<ProtobufCAllocator>?) -> Void

/// Reads one message; nil when `bytes` are not one. `read` must copy what it keeps.
func unpacked<M, Result>(
    _ bytes: UnsafeRawBufferPointer, _ unpack: Unpack<M>, _ free: Free<M>, _ read: (M) -> Result
) -> Result? {
    guard bytes.count <= maximumMessageLength,
        let message = unpack(nil, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    else { return nil }
    defer { free(message, nil) }
    return read(message.pointee)
}

/// Writes the message that `build` makes in an arena.
func packed<M>(_ build: (Arena) -> UnsafeMutablePointer<M>) -> [UInt8] {
    let arena = Arena()
    return withExtendedLifetime(arena) {
        let message = UnsafeRawPointer(build(arena)).assumingMemoryBound(to: ProtobufCMessage.self)
        let size = protobuf_c_message_get_packed_size(message)
        // An array of no capacity is one that all threads share, and its count would be written.
        if size == 0 { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = protobuf_c_message_pack(message, buffer.baseAddress)
        }
    }
}

/// Owns the structs, strings and arrays of one outgoing message.
final class Arena {
    private var blocks: [UnsafeMutableRawPointer] = []

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// A message struct, prepared by its generated `__init` function and then filled.
    func make<M>(_ initialize: (UnsafeMutablePointer<M>?) -> Void, _ fill: (inout M) -> Void = { _ in })
        -> UnsafeMutablePointer<M>
    {
        let message = UnsafeMutablePointer<M>.allocate(capacity: 1)
        blocks.append(UnsafeMutableRawPointer(message))
        initialize(message)
        fill(&message.pointee)
        return message
    }

    /// Stands for an empty message of any type in a oneof: protobuf-c packs a member by the descriptor that it carries.
    func emptyMessage<M>() -> UnsafeMutablePointer<M> {
        UnsafeMutableRawPointer(make(meshtastic__config__sessionkey_config__init)).assumingMemoryBound(to: M.self)
    }

    func array<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeMutablePointer<Element>? {
        if elements.isEmpty { return nil }
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        copy.initialize(from: elements, count: elements.count)
        blocks.append(UnsafeMutableRawPointer(copy))
        return copy
    }

    /// A C string; nil for an empty one, which is not sent.
    func string(_ text: String) -> UnsafeMutablePointer<CChar>? {
        text.isEmpty ? nil : array(Array(text.utf8CString))
    }

    /// A `bytes` field without presence: empty is not sent.
    func bytes(_ bytes: [UInt8]) -> (protobuf_c_boolean, ProtobufCBinaryData) {
        (bytes.isEmpty ? 0 : 1, ProtobufCBinaryData(len: bytes.count, data: array(bytes)))
    }
}

/// A field without presence: zero is not sent.
func implicit<Number: Numeric>(_ value: Number) -> (protobuf_c_boolean, Number) {
    (value == 0 ? 0 : 1, value)
}

func implicit(_ value: Bool) -> (protobuf_c_boolean, protobuf_c_boolean) {
    value ? (1, 1) : (0, 0)
}

/// An enum without presence. C enums take any number.
func implicit<Enum: RawRepresentable>(enum value: UInt32) -> (protobuf_c_boolean, Enum) where Enum.RawValue == UInt32 {
    (value == 0 ? 0 : 1, Enum(rawValue: value)!)
}

/// A field with presence.
func explicit<Number: Numeric>(_ value: Number?) -> (protobuf_c_boolean, Number) {
    (value == nil ? 0 : 1, value ?? 0)
}

extension ProtobufCBinaryData {
    /// Copied out.
    var copy: [UInt8] { Array(UnsafeBufferPointer(start: data, count: len)) }
}

/// Copies a repeated field out.
func copy<Element>(_ elements: UnsafeMutablePointer<Element>?, _ count: Int) -> [Element] {
    Array(UnsafeBufferPointer(start: elements, count: count))
}

/// A `string` field with several words or lines. protobuf-c ends it at the first NUL, as the firmware does.
func textField(_ string: UnsafeMutablePointer<CChar>?) -> String {
    guard let string else { return "" }
    return repairedText(cString(string))
}

/// A `string` field that is a name.
func nameField(_ string: UnsafeMutablePointer<CChar>?) -> String {
    guard let string else { return "" }
    return repairedName(cString(string))
}

private func cString(_ string: UnsafeMutablePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    var length = 0
    while string[length] != 0 { length += 1 }
    let start = UnsafeRawPointer(string).assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(start: start, count: length)
}

/// A measurement without presence: NaN and infinities, which the air carries too, become 0, unknown.
func finite(_ value: Float) -> Float { value.isFinite ? value : 0 }
