/// How far somebody has been told. Clients get it and give it back sealed (``EventSeal``): it counts what not every token
/// may know of.
struct EventPlace: Hashable, Sendable {
    /// The number of the last event of the link (`Gateway.conditions`).
    var condition: UInt64 = 0
    /// The number of the last change; negative: none that can be gone on from.
    var change: Int64 = -1
    /// The row of the last packet; negative: none was asked for.
    var packet: Int64 = -1
    /// No message that comes or changes later has a smaller time, in host milliseconds; negative: unknown. By it messages
    /// are found whose changes are no longer kept.
    var time: Int64 = -1
    /// The last change up to which nodes have been told, of which a stream tells at most once a second.
    var nodes: Int64 = -1

    /// Of a client whose `id` is unusable: nobody can say what it has missed.
    static let unknown = EventPlace()
}

extension EventPlace {
    private static let size = MemoryLayout<Int64>.size

    /// As many bytes for each place.
    var bytes: [UInt8] {
        [Int64(bitPattern: condition), change, packet, time, nodes].flatMap { number in
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
    }

    /// Nil: as many are no place.
    init?(bytes: [UInt8]) {
        guard bytes.count == 5 * Self.size else { return nil }
        let numbers = stride(from: 0, to: bytes.count, by: Self.size).map { start in
            bytes[start..<start + Self.size].reduce(0 as Int64) { $0 << 8 | Int64($1) }
        }
        self.init(
            condition: UInt64(bitPattern: numbers[0]), change: numbers[1], packet: numbers[2], time: numbers[3],
            nodes: numbers[4])
    }
}
