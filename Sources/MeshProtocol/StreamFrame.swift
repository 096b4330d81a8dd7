/// One frame of the stream protocol, the same in both directions: 0x94 0xC3, the length in two bytes, high one first,
/// and the payload. There is no checksum and no escaping.
public enum StreamFrame {
    /// Bytes of payload, by the firmware's MAX_TO_FROM_RADIO_SIZE.
    public static let maximumLength = 512
    static let magic: (UInt8, UInt8) = (0x94, 0xC3)
    static let headerLength = 4

    /// Frames a payload of at most ``maximumLength`` bytes.
    public static func encode(_ payload: [UInt8]) -> [UInt8] {
        precondition(payload.count <= maximumLength, "a frame carries at most 512 bytes")
        var frame: [UInt8] = [
            magic.0, magic.1, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count),
        ]
        frame.append(contentsOf: payload)
        return frame
    }
}
