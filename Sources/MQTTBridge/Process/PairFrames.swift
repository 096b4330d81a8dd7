// What a daemon and the process of a connection write to each other, over a socket pair:
//
//     length, 4 bytes, the highest first | kind | fields
//     number: 1, 2 or 4 bytes, the highest first    yes or no: 1 or 0    text, bytes: their length in 4 bytes, then they
//     one that may be missing: 0, or 1 and it       several: their count in 2 bytes, then they
//
// Each value has one form, so that what was read and is written again is the same bytes. Either side may be anything by then: what has
// another form ends the connection.

/// Something that the other side may not write.
struct MalformedFrame: Error, Hashable {}

/// A value with a form of its own in a frame.
protocol PairValue: Hashable, Sendable {
    init(from frame: inout FrameReader) throws(MalformedFrame)

    func write(to frame: inout FrameWriter)
}

/// Collects what was read and cuts it into frames.
struct FrameStream {
    /// Bytes of a frame: a message of 256 kB, its topic, and what else belongs to it.
    static let longest = 512 << 10

    private var bytes: [UInt8] = []
    /// Where the next frame begins.
    private var start = 0

    /// Bytes that belong to no whole frame yet.
    var count: Int { bytes.count - start }

    mutating func take(_ more: some Collection<UInt8>) { bytes += more }

    /// - Returns: nil if there is no whole frame yet.
    mutating func next<Value: PairValue>(_: Value.Type) throws(MalformedFrame) -> Value? {
        guard count >= 4 else {
            forgetRead()
            return nil
        }
        let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        guard (1...Self.longest).contains(length) else { throw MalformedFrame() }
        guard count >= 4 + length else {
            forgetRead()
            return nil
        }
        var reader = FrameReader(rest: bytes[start + 4..<start + 4 + length])
        let value = try Value(from: &reader)
        guard reader.rest.isEmpty else { throw MalformedFrame() }
        start += 4 + length
        return value
    }

    private mutating func forgetRead() {
        if start > 0 { bytes.removeFirst(start) }
        start = 0
    }
}

struct FrameWriter {
    private(set) var bytes: [UInt8] = []

    /// The value as a frame.
    static func frame(_ value: some PairValue) -> [UInt8] {
        var writer = FrameWriter()
        value.write(to: &writer)
        var whole = FrameWriter()
        whole.put(UInt32(writer.bytes.count))
        return whole.bytes + writer.bytes
    }

    mutating func put(_ number: some FixedWidthInteger) {
        for place in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> place))
        }
    }

    mutating func put(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func put(_ more: [UInt8]) {
        put(UInt32(more.count))
        bytes += more
    }

    mutating func put(_ text: String) { put(Array(text.utf8)) }

    mutating func put<Value>(_ value: Value?, _ write: (inout FrameWriter, Value) -> Void) {
        put(value != nil)
        if let value { write(&self, value) }
    }

    mutating func put<Value>(_ values: [Value], _ write: (inout FrameWriter, Value) -> Void) {
        put(UInt16(clamping: values.count))
        for value in values.prefix(Int(UInt16.max)) { write(&self, value) }
    }
}

struct FrameReader {
    fileprivate(set) var rest: ArraySlice<UInt8>

    private mutating func take(_ count: Int) throws(MalformedFrame) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw MalformedFrame() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(MalformedFrame) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func flag() throws(MalformedFrame) -> Bool {
        switch try number(UInt8.self) {
        case 0: false
        case 1: true
        default: throw MalformedFrame()
        }
    }

    mutating func bytes() throws(MalformedFrame) -> [UInt8] { Array(try take(Int(try number(UInt32.self)))) }

    mutating func text() throws(MalformedFrame) -> String {
        guard let text = String(validating: try take(Int(try number(UInt32.self))), as: UTF8.self) else {
            throw MalformedFrame()
        }
        return text
    }

    mutating func optional<Value>(
        _ read: (inout FrameReader) throws(MalformedFrame) -> Value
    ) throws(MalformedFrame) -> Value? {
        try flag() ? try read(&self) : nil
    }

    mutating func several<Value>(
        _ read: (inout FrameReader) throws(MalformedFrame) -> Value
    ) throws(MalformedFrame) -> [Value] {
        var values: [Value] = []
        for _ in 0..<(try number(UInt16.self)) { values.append(try read(&self)) }
        return values
    }
}
