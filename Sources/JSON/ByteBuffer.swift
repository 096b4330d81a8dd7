/// Bytes that grow at their end.
///
/// An answer is thousands of pieces of a few bytes; an `[UInt8]` asks for each of them whether it shares its storage.
/// This memory has one owner, because the type cannot be copied. It is written through ``append(upTo:_:)`` alone, which
/// makes room first and traps when more was written than was asked for; what is read are the first `filled` bytes, which
/// have been written.
public struct ByteBuffer: ~Copyable {
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var filled = 0

    public var count: Int { filled }

    public init(capacity: Int) {
        self.capacity = max(capacity, 64)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    /// A copy.
    public var array: [UInt8] { Array(UnsafeBufferPointer(start: start, count: filled)) }

    /// Keeps the memory.
    public mutating func removeAll() { filled = 0 }

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
        let larger = max(capacity * 2, filled + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: start, count: filled)
        start.deallocate()
        (start, capacity) = (moved, larger)
    }
}
