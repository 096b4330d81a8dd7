/// Where secrets stop.
///
/// A handshake brings the radio's private key, and the answers to some admin requests do; code that keeps or hands on raw
/// frames passes them through here first. The fields are cut out of the bytes, or blanked in them, not decoded and
/// written again, so that everything else, unknown fields too, stays as the radio sent it. A PIN in a line of the radio's log
/// is blanked in both cases (``PairingPIN``).
public enum Redaction {
    /// What the attached radio keeps to itself, by message and field: nobody is given it, whatever the right. Keys of
    /// channels are not among it: programs that share the radio need them.
    public static let secrets: [(message: String, field: String)] = [
        ("Config.SecurityConfig", "private_key"), ("Config.NetworkConfig", "wifi_psk"),
        ("ModuleConfig.MQTTConfig", "password"), ("Config.BluetoothConfig", "fixed_pin"),
        ("BluetoothConnectionStatus", "pin"), ("DeviceUIConfig", "pin_code"), ("LockdownAuth", "passphrase"),
        ("AdminMessage", "session_passkey"),
    ]

    /// The payload of a FromRadio frame without the private key, passwords, PINs and the secrets of an AdminMessage inside.
    /// The same bytes when there is nothing to hide; none when they are no message at all, because then nobody can tell what
    /// they hold.
    public static func fromRadioFrame(_ raw: [UInt8]) -> [UInt8] { rewrite(raw[...], fromRadio, .cut) ?? [] }

    /// The same for the payload of an ADMIN packet, in either direction; the session passkey and the passphrase of a
    /// lockdown go too.
    public static func adminPayload(_ payload: [UInt8]) -> [UInt8] {
        rewrite(payload[...], adminMessage, .cutAll) ?? []
    }

    /// The payload of a FromRadio frame with an ADMIN packet of another node, for the client that administers it through this
    /// radio: whole but for private keys and the passphrase of a lockdown. The session passkey stays, which the node wants to
    /// see again.
    public static func fromAdministeredNode(_ raw: [UInt8]) -> [UInt8] {
        rewrite(raw[...], fromRadio, .administered) ?? []
    }

    /// The payload of a FromRadio frame as clients of a shared radio are given it: without the private key, PINs and the WiFi
    /// password, and with `sekrit` in place of the one for MQTT: written back, both mean "unchanged". For WiFi that word is
    /// shorter than a password may be, and some programs refuse to write it. None when the bytes are no message.
    public static func toldFromRadio(_ raw: [UInt8]) -> [UInt8] { rewrite(raw[...], fromRadio, .told) ?? [] }

    /// The same for the payload of an ADMIN packet from the radio; its session passkey goes too.
    public static func toldAdminPayload(_ payload: [UInt8]) -> [UInt8] {
        rewrite(payload[...], adminMessage, .told) ?? []
    }

    /// The same for the content of a section.
    static func told(_ section: SettingsSection) -> [UInt8] {
        let rules: [UInt32: Rule]
        switch section.name.kind {
        case .owner: rules = [:]
        case .userInterface: rules = content(deviceUI)
        case .config: rules = content(config, section.name.tag)
        case .module: rules = content(moduleConfig, section.name.tag)
        }
        return rewrite(section.bytes[...], rules, .told) ?? []
    }

    private static func content(_ rule: Rule, _ tag: UInt32) -> [UInt32: Rule] { content(content(rule)[tag]) }

    private static func content(_ rule: Rule?) -> [UInt32: Rule] {
        switch rule {
        case .message(let rules), .guarded(let rules, _): rules
        default: [:]
        }
    }

    /// The payload of a FromRadio frame as a recording may keep it: of the same length, with zeros for the same secrets,
    /// and for the keys of channels and pieces of the radio's files besides. Nil when the bytes are no message.
    public static func blankedFromRadio(_ raw: [UInt8]) -> [UInt8]? { rewrite(raw[...], fromRadio, .blank) }

    /// The same for the payload of a ToRadio frame.
    public static func blankedToRadio(_ raw: [UInt8]) -> [UInt8]? { rewrite(raw[...], toRadio, .blank) }

    private enum Mode {
        case cut
        /// Inside of an AdminMessage: code that needs the key of a channel from there reads the frame itself.
        case cutAll
        /// To somebody else's program.
        case told
        /// From another node to who administers it.
        case administered
        case blank
    }

    private indirect enum Rule {
        case secret
        /// A secret that a node tells its remote administrator: a passkey, a PIN, the WiFi password.
        case administrators
        /// A secret in whose place firmware says `sekrit`.
        case password
        /// What the gateway itself may keep, and a recording must not.
        case recordedBlank
        /// The same for a channel's key. One byte is no key but the number of a well-known one.
        case channelKey
        case message([UInt32: Rule])
        /// A message around secrets. Nothing on the wire has a checksum: with one wrong bit in its key a secret is a
        /// field that nobody knows, or another one. So a recording keeps the open fields only.
        case guarded([UInt32: Rule], open: Set<UInt32>)
        /// Data: the payload (2) is an AdminMessage when the port number (1) is ADMIN.
        case data
        /// A line of the firmware's log.
        case line
    }

    private static let config: Rule = .guarded(
        [
            4: .message([4: .administrators]), 7: .message([3: .administrators]), 8: .guarded([2: .secret], open: [1]),
            10: deviceUI,
        ], open: [1, 2, 3, 5, 6])
    private static let moduleConfig: Rule = .message([
        1: .message([4: .password]), 17: .message([5: channelSettings, 8: channelSettings]),
    ])
    private static let channelSettings: Rule = .message([2: .channelKey])
    private static let channel: Rule = .message([2: channelSettings])
    private static let deviceUI: Rule = .message([6: .administrators])
    private static let connectionStatus: Rule = .message([3: .message([1: .administrators])])
    private static let xmodem: Rule = .message([4: .recordedBlank])
    private static let packet: Rule = .message([4: .data])
    private static let adminMessage: [UInt32: Rule] = [
        2: channel, 33: channel, 6: config, 34: config, 8: moduleConfig, 35: moduleConfig, 17: connectionStatus,
        45: deviceUI, 46: deviceUI, 101: .administrators, 104: .message([1: .secret]),
    ]
    private static let fromRadio: [UInt32: Rule] = [
        2: packet, 5: config, 6: .message([1: .line]), 9: moduleConfig, 10: channel, 12: xmodem, 17: deviceUI,
    ]
    private static let toRadio: [UInt32: Rule] = [1: packet, 5: xmodem]

    /// Nil for what is no message. It is none for protobuf-c either, so nothing readable is lost.
    ///
    /// - Parameter open: the fields without a rule that a recording keeps; nil: all.
    private static func rewrite(
        _ bytes: ArraySlice<UInt8>, _ rules: [UInt32: Rule], _ mode: Mode, open: Set<UInt32>? = nil
    ) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while !rest.isEmpty {
            guard let field = WireField(readingFrom: &rest) else { return nil }
            switch rules[field.number] {
            case .secret:
                if mode == .blank { field.appendBlank(to: &result) }
            case .administrators:
                if mode == .blank { field.appendBlank(to: &result) }
                if mode == .administered { result.append(contentsOf: field.whole) }
            case .password where mode != .administered:
                if mode == .told, !field.content.isEmpty { field.append(Array("sekrit".utf8), to: &result) }
                if mode == .blank { field.appendBlank(to: &result) }
            case .recordedBlank where mode == .cutAll || mode == .blank:
                if mode == .blank { field.appendBlank(to: &result) }
            case .channelKey where (mode == .cutAll || mode == .blank) && field.content.count > 1:
                if mode == .blank { field.appendBlank(to: &result) }
            case .line where field.isLengthDelimited: field.append(PairingPIN.blanked(field.content), to: &result)
            case .message(let inner) where field.isLengthDelimited:
                guard let content = rewrite(field.content, inner, mode) else { return nil }
                field.append(content, to: &result)
            case .guarded(let inner, let open) where field.isLengthDelimited:
                guard let content = rewrite(field.content, inner, mode, open: open) else { return nil }
                field.append(content, to: &result)
            case .data where field.isLengthDelimited:
                guard let port = lastVarint(of: 1, in: field.content) else { return nil }
                let inner: [UInt32: Rule] = port == 6 ? [2: .message(adminMessage)] : [:]
                guard let content = rewrite(field.content, inner, mode == .cut ? .cutAll : mode) else { return nil }
                field.append(content, to: &result)
            default:
                if mode == .blank, let open, field.isLengthDelimited, !open.contains(field.number) {
                    field.appendBlank(to: &result)
                } else {
                    result.append(contentsOf: field.whole)
                }
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
