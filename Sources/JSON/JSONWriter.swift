/// Writes compact JSON as UTF-8 into one buffer, the way a JavaScript server prints it: clients compare bytes.
///
/// No tree is built. A key must be followed by one value; a writer used out of order yields nonsense, not a trap.
public struct JSONWriter: ~Copyable {
    public var buffer: ByteBuffer
    /// The next key or array element follows another one.
    @usableFromInline var needsComma = false

    public init(capacity: Int = 4096) { buffer = ByteBuffer(capacity: capacity) }

    /// What was written so far.
    public var bytes: [UInt8] { buffer.array }

    // MARK: structure

    @inlinable
    public mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        open(UInt8(ascii: "{"))
        try members(&self)
        close(UInt8(ascii: "}"))
    }

    @inlinable
    public mutating func array(_ elements: (inout JSONWriter) throws -> Void) rethrows {
        open(UInt8(ascii: "["))
        try elements(&self)
        close(UInt8(ascii: "]"))
    }

    /// `{` or `[`, for what is written in several chunks.
    @inlinable
    public mutating func open(_ bracket: UInt8) {
        separate()
        buffer.append(bracket)
        needsComma = false
    }

    @inlinable
    public mutating func close(_ bracket: UInt8) {
        buffer.append(bracket)
        needsComma = true
    }

    /// The key is ASCII that needs no escaping.
    public mutating func key(_ name: StaticString) {
        let (length, start) = (name.utf8CodeUnitCount, needsComma ? 2 : 1)
        buffer.append(upTo: length + 4) { to in
            to[0] = UInt8(ascii: ",")
            to[start - 1] = UInt8(ascii: "\"")
            (to + start).update(from: name.utf8Start, count: length)
            to[start + length] = UInt8(ascii: "\"")
            to[start + length + 1] = UInt8(ascii: ":")
            return start + length + 2
        }
        needsComma = false
    }

    /// A key that is data.
    public mutating func key(text: String) {
        value(text)
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Hands over what was written so far and goes on in an empty buffer.
    public mutating func takeChunk() -> [UInt8] { buffer.take() }

    // MARK: values

    public mutating func null() { word(0x6C6C_756E, count: 4) }

    public mutating func value(_ flag: Bool?) {
        guard let flag else { return null() }
        flag ? word(0x6575_7274, count: 4) : word(0x65_736C_6166, count: 5)
    }

    /// `null`, `true` or `false`, from the last letter to the first.
    private mutating func word(_ letters: UInt64, count: Int) {
        separate()
        buffer.append(word: letters, count: count)
    }

    // MARK: members

    public mutating func member(_ name: StaticString, _ flag: Bool?) {
        key(name)
        value(flag)
    }

    @inlinable
    public mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?) {
        key(name)
        value(number)
    }

    public mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        value(text)
    }

    public mutating func member(_ name: StaticString, _ number: Double?) {
        key(name)
        value(number)
    }

    public mutating func float(_ name: StaticString, _ number: Double?) {
        key(name)
        float(number)
    }

    public mutating func null(_ name: StaticString) {
        key(name)
        null()
    }

    // MARK: bytes

    /// Members that are the same in every object, as they stand there, without a comma at either end.
    public mutating func members(_ constant: StaticString) {
        separate()
        buffer.append(UnsafeBufferPointer(start: constant.utf8Start, count: constant.utf8CodeUnitCount))
    }

    /// Comes before every value.
    @inlinable
    public mutating func separate() {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
