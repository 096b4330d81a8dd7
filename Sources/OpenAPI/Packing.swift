import RestAPI

extension Repetitions {
    /// Bytes from which on a repetition takes less than they do.
    private static let shortest = 6
    /// Places where the same bytes were that are tried for the longest repetition.
    private static let tried = 48

    /// The bytes as ``unpacked(_:)`` reads them. Takes some seconds for the document: it is for a new one alone.
    static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var packed: [UInt8] = []
        var places: [UInt64: [Int]] = [:]
        append(bytes.count, to: &packed)
        var (place, kept) = (0, 0)
        while place < bytes.count {
            let found = longest(at: place, in: bytes, places)
            guard found.count >= shortest else {
                note(place, in: bytes, &places)
                place += 1
                continue
            }
            append(place - kept, to: &packed)
            packed += bytes[kept..<place]
            append(found.count, to: &packed)
            append(place - found.start, to: &packed)
            for covered in place..<place + found.count { note(covered, in: bytes, &places) }
            place += found.count
            kept = place
        }
        append(place - kept, to: &packed)
        return packed + bytes[kept..<place]
    }

    private static func longest(
        at place: Int, in bytes: [UInt8], _ places: [UInt64: [Int]]
    ) -> (start: Int, count: Int) {
        guard let mark = mark(place, in: bytes) else { return (0, 0) }
        var best = (start: 0, count: 0)
        for start in (places[mark] ?? []).suffix(tried).reversed() {
            var count = 0
            while place + count < bytes.count, bytes[start + count] == bytes[place + count] { count += 1 }
            if count > best.count { best = (start, count) }
        }
        return best
    }

    /// The bytes of the shortest repetition as a number; nil: there are fewer.
    private static func mark(_ place: Int, in bytes: [UInt8]) -> UInt64? {
        guard place + shortest <= bytes.count else { return nil }
        return bytes[place..<place + shortest].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func note(_ place: Int, in bytes: [UInt8], _ places: inout [UInt64: [Int]]) {
        if let mark = mark(place, in: bytes) { places[mark, default: []].append(place) }
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var left = number
        while left > 0x7F {
            bytes.append(UInt8(left & 0x7F) | 0x80)
            left >>= 7
        }
        bytes.append(UInt8(left))
    }
}
