import MeshModel

/// The packet ids that a frame of the radio speaks of: those of its queue status, of its notifications, and of the
/// packet that a packet answers.
public enum PacketIDs {
    /// The payload of a FromRadio frame under other ids; all else stays as the radio sent it.
    ///
    /// - Parameter replacement: the new id; nil for one that stays.
    /// - Returns: with the new ids that it now speaks of. The same bytes when they are no message.
    public static func replaced(
        inFromRadio raw: [UInt8], by replacement: (PacketID) -> PacketID?
    ) -> (payload: [UInt8], ids: [PacketID]) {
        var ids: [PacketID] = []
        func map(_ id: UInt64) -> UInt64? {
            guard let id = PacketID(exactly: id), let new = replacement(id) else { return nil }
            ids.append(new)
            return UInt64(new)
        }
        let payload = rewrite(raw[...], fromRadio, map)
        return (payload ?? raw, payload == nil ? [] : ids)
    }

    private indirect enum Rule {
        case varint, fixed
        case message([UInt32: Rule])
    }

    private static let fromRadio: [UInt32: Rule] = [
        11: .message([4: .varint]),  // queueStatus.mesh_packet_id
        16: .message([1: .varint]),  // clientNotification.reply_id
        2: .message([4: .message([6: .fixed, 7: .fixed])]),  // packet.decoded.request_id, reply_id
    ]

    private static func rewrite(
        _ bytes: ArraySlice<UInt8>, _ rules: [UInt32: Rule], _ map: (UInt64) -> UInt64?
    ) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while !rest.isEmpty {
            guard let field = WireField(readingFrom: &rest) else { return nil }
            switch rules[field.number] {
            case .varint where field.isVarint:
                if let new = map(field.varint) {
                    field.append(varint: new, to: &result)
                } else {
                    result.append(contentsOf: field.whole)
                }
            case .fixed where field.content.count == 4 && !field.isLengthDelimited:
                let id = field.content.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
                let new = map(id) ?? id
                field.append((0..<4).map { UInt8(truncatingIfNeeded: new >> (8 * $0)) }, to: &result)
            case .message(let inner) where field.isLengthDelimited:
                guard let content = rewrite(field.content, inner, map) else { return nil }
                field.append(content, to: &result)
            default: result.append(contentsOf: field.whole)
            }
        }
        return result
    }
}
