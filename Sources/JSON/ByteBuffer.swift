/// Bytes that grow at their end.
///
/// An answer is thousands of pieces of a few bytes; an `[UInt8]` asks for each of them whether it shares its storage.
/// This memory has one owner, because the type cannot be copied. It is written through ``append(upTo:_:)`` alone, which
/// makes room first and traps when more was written than was asked for; what is read are the first `filled` bytes, which
/// have been written.
///
/// The memory is an array's, so that it can be handed over as one without a copy.
public struct ByteBuffer: ~Copyable {
    /// Nobody looks into it here: it is written through `start`. An array's storage is one heap object; it stays where it is
    /// while nobody changes the array.
    private var storage: [UInt8]
    /// How much is asked for at once.
    private let size: Int
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var filled = 0

    public var count: Int { filled }

    public init(capacity: Int) {
        size = max(capacity, 64)
        self.capacity = size
        (storage, start) = Self.memory(of: size)
    }

    private static func memory(of capacity: Int) -> (storage: [UInt8], start: UnsafeMutablePointer<UInt8>) {
        var start: UnsafeMutablePointer<UInt8>?
        let storage = [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
            (start, count) = (memory.baseAddress, capacity)
        }
        return (storage, start!)
    }

    /// A copy.
    public var array: [UInt8] { Array(UnsafeBufferPointer(start: start, count: filled)) }

    /// Keeps the memory.
    public mutating func removeAll() { filled = 0 }

    /// Hands over what was written, and is empty.
    public mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &storage)
        taken.removeLast(capacity - filled)
        (capacity, filled) = (0, 0)
        return taken
    }

    /// - Parameter write: gets room for `most` bytes and says how many it has written, from the beginning.
    @inlinable @inline(__always)
    public mutating func append(upTo most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        if capacity - filled < most { grow(by: most) }
        let written = write(start + filled)
        precondition(written <= most, "more was written than there is room for")
        filled += written
    }

    @inlinable
    public mutating func append(_ byte: UInt8) {
        append(upTo: 1) { to in
            to.pointee = byte
            return 1
        }
    }

    /// Up to eight bytes, the first of them in the lowest place, in one step.
    public mutating func append(word: UInt64, count: Int) {
        append(upTo: 8) { to in
            UnsafeMutableRawPointer(to).storeBytes(of: word.littleEndian, as: UInt64.self)
            return count
        }
    }

    public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let from = bytes.baseAddress else { return }
        append(upTo: bytes.count) { to in
            to.update(from: from, count: bytes.count)
            return bytes.count
        }
    }

    @inlinable
    public mutating func append(contentsOf bytes: some Sequence<UInt8>) {
        for byte in bytes { append(byte) }
    }

    @usableFromInline
    mutating func grow(by more: Int) {
        let larger = max(capacity * 2, filled + more, size)
        let moved = Self.memory(of: larger)
        moved.start.update(from: start, count: filled)
        (storage, start) = moved
        capacity = larger
    }
}
