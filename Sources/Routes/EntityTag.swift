import HTTPServer
import JSON

/// A weak entity tag (RFC 9110, 8.8.3).
public struct EntityTag: Sendable {
    public let text: String

    /// In place of a tag: the body that it stands before has one of its own.
    public static let ofTheBody = EntityTag(text: "")

    public var isOfTheBody: Bool { text.isEmpty }

    private init(text: String) { self.text = text }

    /// Of what a body is made from.
    public init(parts: [UInt64]) {
        text = String(unsafeUninitializedCapacity: 4 + 17 * parts.count) { bytes in
            var end = bytes.initialize(fromContentsOf: "W/\"".utf8)
            for (place, part) in parts.enumerated() {
                bytes[end] = UInt8(ascii: "-")
                if place > 0 { end += 1 }
                end = Self.append(part, to: bytes, at: end)
            }
            bytes[end] = UInt8(ascii: "\"")
            return end + 1
        }
    }

    /// Writes 16 hexadecimal digits at most.
    ///
    /// - Returns: the place behind them.
    private static func append(_ number: UInt64, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
        let count = max((67 - number.leadingZeroBitCount) / 4, 1)
        for place in 0..<count {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(4 * (count - 1 - place))) & 15
            bytes[start + place] = hexDigit(of: digit)
        }
        return start + count
    }

    /// Of a body.
    public init(of body: [UInt8]) {
        self.init(parts: [UInt64(body.count), Self.fingerprint(body)])
    }

    /// Of keys, in their order.
    public static func fingerprint(of keys: [some FixedWidthInteger]) -> UInt64 {
        keys.withUnsafeBytes { fingerprint(Array($0)) }
    }

    /// Nil: of one that is not there as a whole.
    init?(of body: Response.Body) {
        guard case .bytes(let bytes) = body else { return nil }
        self.init(of: bytes)
    }

    /// Of a body that comes in pieces: the same pieces have the same tag.
    init(ofPieces next: () throws -> [UInt8]?) rethrows {
        var (count, fingerprint): (UInt64, UInt64) = (0, 0)
        while let piece = try next() {
            count += UInt64(piece.count)
            fingerprint = (fingerprint ^ Self.fingerprint(piece)) &* 0x9E37_79B9_7F4A_7C15
            fingerprint ^= fingerprint >> 32
        }
        self.init(parts: [count, fingerprint])
    }

    /// 64 bits in the manner of FNV-1a, eight bytes at a time: enough to notice a change, and nobody gains by forging
    /// one. Each step can be turned back, so that a change in one place is always seen.
    public static func fingerprint(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        bytes.withUnsafeBytes { bytes in
            let whole = bytes.count & ~7
            for place in stride(from: 0, to: whole, by: 8) {
                hash = (hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
                // A product carries changes upwards only.
                hash ^= hash >> 32
            }
            for byte in bytes[whole...] { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
        return hash
    }
}
