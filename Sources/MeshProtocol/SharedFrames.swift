import MeshModel

/// Frames of a radio as programs are given them that share it. Besides the secrets, which ``Redaction`` has taken out before,
/// few fields are others than the radio's; all the rest stays byte for byte, fields that nobody knows yet too.
public enum SharedFrames {
    /// A frame of a handshake.
    ///
    /// - Parameters:
    ///   - nodeCount: of node_infos that a whole handshake brings, for my_info.
    ///   - isManaged: the settings are shown as somebody else's business, so that apps hide what would be refused.
    public static func settings(_ frame: [UInt8], nodeCount: Int, isManaged: Bool) -> [UInt8] {
        switch FromRadio.variant(of: frame) {
        case 3: setting([3, 15], to: UInt64(max(0, nodeCount)), in: frame)
        case 5 where isManaged: managed(5, frame)
        case 9: setting([9, 1, 9], to: 0, in: frame)
        default: frame
        }
    }

    /// The payload of an ADMIN packet that answers a getter.
    public static func answer(_ payload: [UInt8], isManaged: Bool) -> [UInt8] {
        let answer = setting([8, 1, 9], to: 0, in: payload)
        return isManaged ? managed(6, answer) : answer
    }

    /// Apple's app goes by the flag of the device, the others by that of security.
    private static func managed(_ field: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        setting([field, 1, 9], to: 1, in: setting([field, 8, 4], to: 1, in: bytes))
    }

    private static func setting(_ path: [UInt32], to value: UInt64, in bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        return set(path[...], value, bytes[...], &result) ? result : bytes
    }

    /// - Returns: false: there is no such message in it, or the bytes are none.
    private static func set(
        _ path: ArraySlice<UInt32>, _ value: UInt64, _ bytes: ArraySlice<UInt8>, _ result: inout [UInt8]
    ) -> Bool {
        guard let number = path.first, let fields = WireField.all(in: bytes) else { return false }
        var isSet = false
        for field in fields {
            if field.number != number {
                result.append(contentsOf: field.whole)
            } else if path.count == 1 {
                // The last of several counts: one is enough.
                if !isSet, value != 0 { WireBytes.append(number, varint: value, to: &result) }
                isSet = true
            } else {
                var content: [UInt8] = []
                guard field.isLengthDelimited, set(path.dropFirst(), value, field.content, &content) else {
                    return false
                }
                field.append(content, to: &result)
                isSet = true
            }
        }
        guard path.count == 1 else { return isSet }
        if !isSet, value != 0 { WireBytes.append(number, varint: value, to: &result) }
        return true
    }
}
