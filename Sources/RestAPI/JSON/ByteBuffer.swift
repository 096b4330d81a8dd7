/// Bytes that grow at their end.
///
/// An answer is thousands of pieces of a few bytes; an `[UInt8]` asks for each of them whether it shares its storage.
/// This memory has one owner, because the type cannot be copied. It is written through ``append(upTo:_:)`` alone, which
/// makes room first and traps when more was written than was asked for; what is read are the first `count` bytes, which
/// have been written.
struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    /// A copy.
    var array: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    /// Keeps the memory.
    mutating func removeAll() { count = 0 }

    /// - Parameter write: gets room for `most` bytes and says how many it has written, from the beginning.
    @inline(__always)
    mutating func append(upTo most: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        if capacity - count < most { grow(by: most) }
        let written = write(start + count)
        precondition(written <= most, "more was written than there is room for")
        count += written
    }

    mutating func append(_ byte: UInt8) {
        append(upTo: 1) { to in
            to.pointee = byte
            return 1
        }
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let from = bytes.baseAddress else { return }
        append(upTo: bytes.count) { to in
            to.update(from: from, count: bytes.count)
            return bytes.count
        }
    }

    mutating func append(contentsOf bytes: some Sequence<UInt8>) {
        for byte in bytes { append(byte) }
    }

    private mutating func grow(by more: Int) {
        let larger = max(capacity * 2, count + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (moved, larger)
    }
}
