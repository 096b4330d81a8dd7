import MeshModel

// Most commits bring several changes, and a row for each of them cost more than what it says. So the changes of a commit that
// come before its last one stand in that one's row, as varints (seven bits a byte, the lowest first, the highest bit set
// when more follow): for each change its code, its source and its subject. Their numbers go up by one to that of the row.

/// What the column `earlier` of `changes` holds.
struct PackedChanges {
    struct Change: Equatable {
        var source: SourceID
        /// ``StoredChange/Kind/code(_:)``
        var code: Int64
        var subject: Int64
    }

    /// A row stays on a page of a kilobyte. The largest change takes 23 bytes.
    private static let room = 900 - 23

    private(set) var bytes: [UInt8] = []

    init() {}

    var isFull: Bool { bytes.count > Self.room }

    mutating func append(_ change: Change) {
        append(change.code)
        append(change.source.rawValue)
        append(change.subject)
    }

    private mutating func append(_ value: Int64) {
        var rest = UInt64(bitPattern: value)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// How many changes there are.
    static func count(in bytes: [UInt8]) -> Int64 { Int64(bytes.count { $0 < 0x80 } / 3) }

    /// What was damaged on the disk gives some changes, or none; never more than ``count(in:)``.
    static func read(_ bytes: [UInt8]) -> [Change] {
        var (changes, values): ([Change], [Int64]) = ([], [])
        var (value, shift): (UInt64, UInt64) = (0, 0)
        for byte in bytes {
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            values.append(Int64(bitPattern: value))
            (value, shift) = (0, 0)
            guard values.count == 3 else { continue }
            changes.append(Change(source: SourceID(rawValue: values[1]), code: values[0], subject: values[2]))
            values.removeAll(keepingCapacity: true)
        }
        return changes
    }
}

extension StoredChange.Kind {
    /// Kind and origin as they are stored: what is live costs no byte, and rows of before there were origins read as live.
    func code(_ origin: StoredChange.Origin) -> Int64 { Int64(rawValue | origin.rawValue << 8) }

    /// Nil: this version does not know it.
    static func read(_ code: Int64) -> (kind: Self, origin: StoredChange.Origin)? {
        guard let kind = Self(rawValue: Int(code & 0xFF)), let origin = StoredChange.Origin(rawValue: Int(code >> 8))
        else { return nil }
        return (kind, origin)
    }
}
