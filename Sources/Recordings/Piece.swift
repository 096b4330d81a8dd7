import MeshProtocol

/// A stretch of a radio's bytes: one whole frame, or what is between frames.
public enum Piece {
    case frame(payload: [UInt8])
    /// Debug text, and the remains of frames that it has cut.
    case other([UInt8])

    public var bytes: [UInt8] {
        switch self {
        case .frame(let payload): StreamFrame.encode(payload)
        case .other(let bytes): bytes
        }
    }

    /// Cuts bytes into pieces that together are the same bytes. Only what the schema can read is a frame.
    public static func cut(_ bytes: [UInt8]) -> [Piece] {
        var pieces: [Piece] = []
        var other: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let payload = payload(in: bytes, at: index) {
                if !other.isEmpty { pieces.append(.other(other)) }
                other = []
                pieces.append(.frame(payload: payload))
                index += 4 + payload.count
            } else {
                other.append(bytes[index])
                index += 1
            }
        }
        return other.isEmpty ? pieces : pieces + [.other(other)]
    }

    private static func payload(in bytes: [UInt8], at index: Int) -> [UInt8]? {
        guard index + 4 <= bytes.count, bytes[index] == 0x94, bytes[index + 1] == 0xC3 else { return nil }
        let end = index + 4 + Int(bytes[index + 2]) << 8 + Int(bytes[index + 3])
        guard end <= bytes.count, end - index - 4 <= 512 else { return nil }
        let payload = Array(bytes[(index + 4)..<end])
        return payload.withUnsafeBytes { FromRadio(decoding: $0) } == nil ? nil : payload
    }
}
