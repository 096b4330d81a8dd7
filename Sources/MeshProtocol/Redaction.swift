/// Where secrets stop.
///
/// A handshake brings the radio's private key, and the answers to some admin requests do; whoever keeps or hands on raw
/// frames passes them through here first. The fields are cut out of the bytes, not decoded and written again, so that
/// everything else, unknown fields too, stays as the radio sent it.
public enum Redaction {
    /// The payload of a FromRadio frame without the private key, the WiFi password, the MQTT password and the secrets
    /// of an AdminMessage inside. The same bytes when there is nothing to hide; none when they are no message at all,
    /// because then nobody can tell what they hold.
    public static func fromRadioFrame(_ raw: [UInt8]) -> [UInt8] { redacted(raw, fromRadio) }

    /// The same for the payload of an ADMIN packet, in either direction; the session passkey and the passphrase of a
    /// lockdown go too.
    public static func adminPayload(_ payload: [UInt8]) -> [UInt8] { redacted(payload, adminMessage) }

    private indirect enum Rule {
        case cut
        case message([UInt32: Rule])
        /// Data: the payload (2) is an AdminMessage when the port number (1) is ADMIN.
        case data
    }

    private static let config: Rule = .message([4: .message([4: .cut]), 8: .message([2: .cut])])
    private static let moduleConfig: Rule = .message([1: .message([4: .cut])])
    private static let adminMessage: [UInt32: Rule] = [
        6: config, 34: config, 8: moduleConfig, 35: moduleConfig, 101: .cut, 104: .message([1: .cut]),
    ]
    private static let fromRadio: [UInt32: Rule] = [2: .message([4: .data]), 5: config, 9: moduleConfig]

    private static func redacted(_ bytes: [UInt8], _ rules: [UInt32: Rule]) -> [UInt8] {
        // Whoever is no message here is none for protobuf-c either, so nothing readable is lost.
        rewrite(bytes[...], rules) ?? []
    }

    private static func rewrite(_ bytes: ArraySlice<UInt8>, _ rules: [UInt32: Rule]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while !rest.isEmpty {
            guard let field = WireField(readingFrom: &rest) else { return nil }
            switch rules[field.number] {
            case .cut: continue
            case .message(let inner) where field.isLengthDelimited:
                guard let content = rewrite(field.content, inner) else { return nil }
                field.append(content, to: &result)
            case .data where field.isLengthDelimited:
                guard let port = lastVarint(of: 1, in: field.content) else { return nil }
                guard let content = rewrite(field.content, port == 6 ? [2: .message(adminMessage)] : [:]) else {
                    return nil
                }
                field.append(content, to: &result)
            default: result.append(contentsOf: field.whole)
            }
        }
        return result
    }

    /// The last occurrence counts; 0 when there is none, nil when the bytes are no message.
    private static func lastVarint(of number: UInt32, in bytes: ArraySlice<UInt8>) -> UInt64? {
        var rest = bytes
        var value: UInt64 = 0
        while !rest.isEmpty {
            guard let field = WireField(readingFrom: &rest) else { return nil }
            if field.number == number { value = field.varint }
        }
        return value
    }
}
