import CMeshtastic
import MeshModel
import Nettle

/// A radio's settings as the file that the official command line writes and reads (`--export-config`, `--configure`), in YAML.
///
/// That program leaves out zeros and takes a missing field for "stays"; so does this one. It cannot read all that it writes:
/// lists of numbers are texts here, and what it fails on is left out.
public struct SettingsFile: Sendable {
    public var sections: [SettingsSection]
    /// With all channels.
    public var link: ChannelLink?
    public var texts: [RadioText: String]
    public var place: FixedPlace?

    public init(
        sections: [SettingsSection], link: ChannelLink? = nil, texts: [RadioText: String] = [:],
        place: FixedPlace? = nil
    ) {
        (self.sections, self.link, self.texts, self.place) = (sections, link, texts, place)
    }

    /// The file's text, and the settings that the radio has and the file cannot hold.
    ///
    /// - Parameter withSecrets: with the channels and their keys, passwords and the PIN.
    public func text(withSecrets: Bool) -> (text: String, left: [String]) {
        var writer = SettingsFileWriter(withSecrets: withSecrets)
        writer.line("# Settings of a Meshtastic radio, by mesh-gateway radio config export")
        if let owner = sections.first(where: { $0.name == .owner }) { writer.write(owner: owner) }
        if withSecrets, let link { writer.line("channel_url: " + SettingsFileWriter.quoted(link.text)) }
        for text in RadioText.allCases {
            if let value = texts[text], !value.isEmpty {
                writer.line("\(text.name): " + SettingsFileWriter.quoted(value))
            }
        }
        if let place { writer.write(place) }
        for (title, kind) in [("config", SettingsName.Kind.config), ("module_config", .module)] {
            writer.write(sections.filter { $0.name.kind == kind }, below: title)
        }
        return (writer.text, writer.left)
    }

    /// Of what an own key pair is made, and who may administer the radio alone: in no file, and not read from one.
    static let own: Set<String> = [
        "security.private_key", "security.public_key", "security.is_managed", "device.is_managed",
    ]

    /// Modules that the official reader (2.7.11) ends on.
    fileprivate static let unreadable: Set<String> = ["statusmessage", "tak", "mesh_beacon"]

    /// On in a new radio, so that their absence would not say that they are off.
    fileprivate static let onByDefault: Set<String> = [
        "bluetooth.enabled", "lora.tx_enabled", "lora.use_preset", "lora.sx126x_rx_boosted_gain",
        "position.position_broadcast_smart_enabled", "security.serial_enabled", "mqtt.encryption_enabled",
    ]
}

private struct SettingsFileWriter {
    let withSecrets: Bool
    private(set) var text = ""
    private(set) var left: [String] = []

    init(withSecrets: Bool) { self.withSecrets = withSecrets }

    mutating func line(_ line: String) { text += line + "\n" }

    mutating func write(owner: SettingsSection) {
        for (path, key) in [("owner.long_name", "owner"), ("owner.short_name", "owner_short")] {
            if case .text(let name) = owner[path], !name.isEmpty { line("\(key): " + Self.quoted(name)) }
        }
        for path in ["owner.is_licensed", "owner.is_unmessagable"] where owner[path] == .flag(true) {
            left.append(path)
        }
    }

    mutating func write(_ place: FixedPlace) {
        line("location:")
        line("  lat: " + Self.degrees(place.latitudeI))
        line("  lon: " + Self.degrees(place.longitudeI))
        if let altitude = place.altitude, altitude != 0 { line("  alt: \(altitude)") }
    }

    mutating func write(_ sections: [SettingsSection], below title: String) {
        var isBegun = false
        for section in sections {
            let name = "\(section.name)"
            let lines = fields(section.name.fields, section.bytes[...], below: name, indent: "    ")
            if lines.isEmpty { continue }
            if SettingsFile.unreadable.contains(name) {
                left.append(name)
                continue
            }
            if !isBegun { line("\(title):") }
            isBegun = true
            line("  \(SettingsFileKeys.written(name)):")
            text += lines
        }
    }

    /// The lines of a message's fields; empty when all of them are zero.
    private mutating func fields(
        _ message: MessageFields, _ bytes: ArraySlice<UInt8>, below path: String, indent: String
    ) -> String {
        let all = WireField.all(in: bytes) ?? []
        var lines = ""
        for field in message.list {
            let path = "\(path).\(field.name)"
            if SettingsFile.own.contains(path) { continue }
            let occurrences = all.filter { $0.number == field.number }
            let key = "\(indent)\(SettingsFileKeys.written(field.name)):"
            if let inner = field.message {
                if field.isRepeated {
                    if !occurrences.isEmpty { left.append(path) }
                    continue
                }
                let content = occurrences.flatMap(\.content)
                let below = fields(inner, content[...], below: path, indent: indent + "  ")
                if !below.isEmpty { lines += "\(key)\n\(below)" }
            } else if field.isSecret {
                if withSecrets, let secret = secret(field, occurrences.last) { lines += "\(key) \(secret)\n" }
            } else if let value = field.value(of: occurrences) {
                if case .list(let values) = value {
                    if values.isEmpty { continue }
                    lines += "\(key)\n" + values.map { "\(indent)- \(Self.element($0))\n" }.joined()
                } else if let written = Self.scalar(value, field, path) {
                    lines += "\(key) \(written)\n"
                }
            }
        }
        return lines
    }

    /// Nil: there is none, or it is hidden from this gateway too.
    private func secret(_ field: MessageField, _ last: WireField?) -> String? {
        guard let last, !last.isHidden, !last.isBlank else { return nil }
        if !field.isLengthDelimited { return "\(last.varint)" }
        if field.type == PROTOBUF_C_TYPE_BYTES { return "base64:" + Base64.encoded(Array(last.content)) }
        return Self.quoted(repairedText(last.content))
    }

    /// Nil: it is the zero of its type, which the file leaves out.
    private static func scalar(_ value: SettingValue, _ field: MessageField, _ path: String) -> String? {
        switch value {
        case .flag(let flag): flag ? "true" : SettingsFile.onByDefault.contains(path) ? "false" : nil
        case .integer(0), .unsigned(0), .number(0), .text(""), .bytes([]), .secret, .list: nil
        case .integer(let number): field.is64Bits ? "'\(number)'" : "\(number)"
        case .unsigned(let number): field.is64Bits ? "'\(number)'" : "\(number)"
        case .number(let number): "\(number)"
        case .text(let text): quoted(text)
        case .choice(let name): name == field.choices.first { $0.number == 0 }?.name ? nil : choice(name)
        case .bytes(let bytes): "base64:" + Base64.encoded(bytes)
        case .address(let address): SettingsFileKeys.number(ofAddress: address).flatMap { $0 == 0 ? nil : "\($0)" }
        }
    }

    /// Of a list, whose numbers the official reader wants as texts.
    private static func element(_ value: SettingValue) -> String {
        switch value {
        case .integer(let number): "'\(number)'"
        case .unsigned(let number): "'\(number)'"
        case .bytes(let bytes): "base64:" + Base64.encoded(bytes)
        case .choice(let name): choice(name)
        case .text(let text): quoted(text)
        default: "''"
        }
    }

    /// YAML 1.1 takes some words for true or false.
    private static func choice(_ name: String) -> String {
        ["ON", "OFF", "YES", "NO", "Y", "N", "TRUE", "FALSE", "NULL"].contains(name) ? quoted(name) : name
    }

    private static func degrees(_ number: Int32) -> String {
        let digits = "\(number.magnitude % 10_000_000)"
        let padded = String(repeating: "0", count: 7 - digits.count) + digits
        return "\(number < 0 ? "-" : "")\(number.magnitude / 10_000_000).\(padded)"
    }

    /// In double quotes, in which everything can be said.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            default:
                switch scalar.value {
                case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}

/// How names and addresses are written in a file of settings.
enum SettingsFileKeys {
    /// In camel case, unless the official reader would take it for another name (`use_12h_clock`).
    static func written(_ name: String) -> String {
        let camel = camelCase(name)
        return snakeCase(camel) == name ? camel : name
    }

    /// As protobuf's JSON has it: the letter behind each underscore is a capital.
    static func camelCase(_ name: String) -> String {
        let parts = name.split(separator: "_")
        return parts.prefix(1).joined()
            + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func snakeCase(_ name: String) -> String {
        name.map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
    }

    /// Whether somebody who writes this key means this field.
    static func isName(_ key: String, of name: String) -> Bool { key == name || key == camelCase(name) }

    /// As the firmware keeps it: the first octet is the lowest byte.
    static func number(ofAddress text: String) -> UInt32? {
        let octets = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard octets.count == 4, !octets.contains(nil) else { return nil }
        return octets.reversed().reduce(0) { $0 << 8 | UInt32($1!) }
    }

    static func address(ofNumber number: UInt32) -> String {
        [0, 8, 16, 24].map { "\(number >> $0 & 0xFF)" }.joined(separator: ".")
    }
}

extension MessageField {
    fileprivate var is64Bits: Bool {
        [
            PROTOBUF_C_TYPE_INT64, PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_SINT64, PROTOBUF_C_TYPE_FIXED64,
            PROTOBUF_C_TYPE_SFIXED64,
        ].contains(type)
    }
}
