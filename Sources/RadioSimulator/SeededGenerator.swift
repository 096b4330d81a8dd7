/// SplitMix64: small, fast, and the same numbers from the same seed everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// An independent generator for one purpose.
    init(seed: UInt64, purpose: UInt64) {
        var mixer = SeededGenerator(seed: seed &+ purpose &* 0xD1B5_4A32_D192_ED03)
        state = mixer.next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 33) }
    }

    /// A packet id: never 0.
    mutating func packetID() -> UInt32 { UInt32.random(in: 1...UInt32.max, using: &self) }
}

/// CRC-32 as zlib computes it: firmware 2.8 makes node numbers from public keys with it.
func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
}
