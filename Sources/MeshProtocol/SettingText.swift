import CMeshtastic
import Nettle

// What a person types for a setting, as it goes on the wire.

extension MessageField {
    /// - Returns: the field with its key; empty for an empty list. A zero is written out: fields with presence need it,
    ///   and others read it as what it is.
    func encoded(_ text: String, _ path: String) throws(SettingRefusal) -> [UInt8] {
        let words = isRepeated ? text.split(separator: ",").map { String($0) } : [text]
        if words.count > Self.mostElements {
            throw .badValue(path: path, expected: "at most \(Self.mostElements) of them")
        }
        var bytes: [UInt8] = []
        for word in words { bytes += try element(word, path) }
        return bytes
    }

    /// nanopb's `max_count` of every list of values.
    private static let mostElements = 3

    private func element(_ text: String, _ path: String) throws(SettingRefusal) -> [UInt8] {
        var bytes: [UInt8] = []
        switch type {
        case PROTOBUF_C_TYPE_STRING: WireBytes.append(number, try checkedText(text, path), to: &bytes)
        case PROTOBUF_C_TYPE_BYTES: WireBytes.append(number, try key(text, path), to: &bytes)
        case PROTOBUF_C_TYPE_FLOAT:
            guard let value = Float(text), value.isFinite, value >= Float(facts(path).least ?? .min) else {
                throw .badValue(path: path, expected: "a number")
            }
            WireBytes.append(number, fixed: value.bitPattern, to: &bytes)
        case PROTOBUF_C_TYPE_FIXED32 where isAddress:
            WireBytes.append(number, fixed: try address(text, path), to: &bytes)
        case PROTOBUF_C_TYPE_FIXED32:
            WireBytes.append(number, fixed: UInt32(try unsigned(text, path, to: UInt64(UInt32.max))), to: &bytes)
        case PROTOBUF_C_TYPE_BOOL: WireBytes.append(number, varint: try flag(text, path) ? 1 : 0, to: &bytes)
        case PROTOBUF_C_TYPE_ENUM: WireBytes.append(number, varint: try choice(text, path), to: &bytes)
        case PROTOBUF_C_TYPE_INT32:
            let bounds = Int32(facts(path).least ?? Int64(Int32.min))...Int32(facts(path).greatest ?? Int64(Int32.max))
            guard let value = Int32(text), bounds.contains(value) else {
                throw .badValue(
                    path: path, expected: "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
            }
            WireBytes.append(number, varint: UInt64(bitPattern: Int64(value)), to: &bytes)
        case PROTOBUF_C_TYPE_UINT32:
            let greatest = UInt64(facts(path).greatest ?? Int64(UInt32.max))
            WireBytes.append(number, varint: try unsigned(text, path, to: greatest), to: &bytes)
        case PROTOBUF_C_TYPE_UINT64:
            WireBytes.append(number, varint: try unsigned(text, path, to: .max), to: &bytes)
        default: throw .notHere(path)
        }
        return bytes
    }

    private func facts(_ path: String) -> SettingFacts { .of(path.lowercased()) }

    private func flag(_ text: String, _ path: String) throws(SettingRefusal) -> Bool {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: throw .badValue(path: path, expected: "true or false")
        }
    }

    private func choice(_ text: String, _ path: String) throws(SettingRefusal) -> UInt64 {
        let found = choices.first { $0.name == text.uppercased() || "\($0.number)" == text }
        guard let found else {
            throw .badValue(path: path, expected: "one of " + choices.map(\.name).joined(separator: ", "))
        }
        return UInt64(bitPattern: Int64(found.number))
    }

    /// Decimal, hexadecimal after 0x, or a node's id.
    private func unsigned(_ text: String, _ path: String, to most: UInt64) throws(SettingRefusal) -> UInt64 {
        if name == "fixed_pin", text.utf8.count != 6 || !text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            throw .badValue(path: path, expected: "six digits")
        }
        let digits = ["0x", "!"].lazy.compactMap { text.hasPrefix($0) ? text.dropFirst($0.count) : nil }.first
        guard let value = digits.map({ UInt64($0, radix: 16) }) ?? UInt64(text), value <= most else {
            throw .badValue(path: path, expected: "a whole number from 0 to \(most)")
        }
        return value
    }

    private func address(_ text: String, _ path: String) throws(SettingRefusal) -> UInt32 {
        let octets = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard octets.count == 4, !octets.contains(nil) else {
            throw .badValue(path: path, expected: "an IPv4 address such as 192.168.1.20")
        }
        return octets.reversed().reduce(0) { $0 << 8 | UInt32($1!) }
    }

    private func key(_ text: String, _ path: String) throws(SettingRefusal) -> [UInt8] {
        guard let bytes = Base64.decodedLeniently(text), bytes.isEmpty || bytes.count == 32 else {
            throw .badValue(path: path, expected: "32 bytes in base64")
        }
        return bytes
    }

    /// A radio drops the whole message when a text in it is too long (nanopb's `max_size`, one byte of it for the NUL).
    private func checkedText(_ text: String, _ path: String) throws(SettingRefusal) -> [UInt8] {
        if let most = Self.longest[path.lowercased()], text.utf8.count > most {
            throw .badValue(path: path, expected: "at most \(most) bytes")
        }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .badValue(path: path, expected: "text on one line")
        }
        if path.lowercased().hasPrefix("owner."), text.allSatisfy(\.isWhitespace) {
            throw .badValue(path: path, expected: "a name that can be seen")
        }
        return Array(text.utf8)
    }

    private static let longest = [
        "owner.long_name": 39, "owner.short_name": 4, "device.tzdef": 64, "network.wifi_ssid": 32,
        "network.wifi_psk": 64, "network.ntp_server": 32, "network.rsyslog_server": 32, "mqtt.address": 63,
        "mqtt.username": 63, "mqtt.password": 31, "mqtt.root": 31, "detection_sensor.name": 19,
        "canned_message.allow_input_source": 15, "statusmessage.node_status": 79, "mesh_beacon.broadcast_message": 100,
        "mesh_beacon.broadcast_offer_channel.name": 11, "mesh_beacon.broadcast_on_channel.name": 11,
    ]
}

/// Fields of a message that is put together by hand, because protobuf-c would drop what it does not know.
enum WireBytes {
    static func append(_ number: UInt32, varint value: UInt64, to bytes: inout [UInt8]) {
        append(UInt64(number) << 3, to: &bytes)
        append(value, to: &bytes)
    }

    static func field(_ number: UInt32, fixed value: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        append(number, fixed: value, to: &bytes)
        return bytes
    }

    static func append(_ number: UInt32, fixed value: UInt32, to bytes: inout [UInt8]) {
        append(UInt64(number) << 3 | 5, to: &bytes)
        bytes += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    static func append(_ number: UInt32, _ content: [UInt8], to bytes: inout [UInt8]) {
        append(UInt64(number) << 3 | 2, to: &bytes)
        append(UInt64(content.count), to: &bytes)
        bytes += content
    }

    private static func append(_ varint: UInt64, to bytes: inout [UInt8]) {
        var rest = varint
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
