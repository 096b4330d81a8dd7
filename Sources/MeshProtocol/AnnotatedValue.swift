import CMeshtastic
import Glibc
import MeshModel

/// What a field without others inside says, for a person.
struct AnnotatedValue {
    /// As in the protocol's definition.
    let type: String
    /// Nil when the bytes are not of the field's type.
    let text: String?

    init(_ field: ProtobufCFieldDescriptor, _ name: String, _ token: WireToken, in bytes: [UInt8]) {
        type = Self.type(of: field)
        let isPacked = field.label == PROTOBUF_C_LABEL_REPEATED && token.isLengthDelimited
        switch field.type {
        case PROTOBUF_C_TYPE_STRING where token.isLengthDelimited:
            text = "\"" + repairedText(bytes[token.content]) + "\""
        case PROTOBUF_C_TYPE_BYTES where token.isLengthDelimited: text = countInWords(token.content.count)
        case PROTOBUF_C_TYPE_MESSAGE where token.isLengthDelimited: text = countInWords(token.content.count)
        case PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_BYTES, PROTOBUF_C_TYPE_MESSAGE: text = nil
        case _ where isPacked:
            text = token.packedNumbers(bytes, of: field.wireType)?.map { Self.text($0, field, name) }
                .joined(separator: ", ")
        case _ where token.type == field.wireType:
            text =
                token.missing > 0
                ? "\(token.content.count) of its bytes"
                : Self.text(token.number(bytes), field, name)
        default: text = nil
        }
    }

    private static func text(_ raw: UInt64, _ field: ProtobufCFieldDescriptor, _ name: String) -> String {
        switch field.type {
        case PROTOBUF_C_TYPE_BOOL: return raw == 0 ? "false" : "true"
        case PROTOBUF_C_TYPE_ENUM: return enumName(Int32(truncatingIfNeeded: raw), field)
        case PROTOBUF_C_TYPE_FLOAT: return Float(bitPattern: UInt32(truncatingIfNeeded: raw)).description
        case PROTOBUF_C_TYPE_DOUBLE: return Double(bitPattern: raw).description
        case PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_SINT64: return "\(Int64(raw >> 1) ^ -Int64(raw & 1))"
        case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_SFIXED32:
            return meaning(ofSigned: Int32(truncatingIfNeeded: raw), name)
        case PROTOBUF_C_TYPE_INT64, PROTOBUF_C_TYPE_SFIXED64: return "\(Int64(bitPattern: raw))"
        case PROTOBUF_C_TYPE_UINT32, PROTOBUF_C_TYPE_FIXED32: return meaning(of: UInt32(truncatingIfNeeded: raw), name)
        default: return "\(raw)"
        }
    }

    private static func enumName(_ number: Int32, _ field: ProtobufCFieldDescriptor) -> String {
        let descriptor = field.descriptor?.assumingMemoryBound(to: ProtobufCEnumDescriptor.self)
        let value = descriptor.flatMap { protobuf_c_enum_descriptor_get_value($0, number) }
        return value.map { "\(String(cString: $0.pointee.name)) (\(number))" } ?? "\(number)"
    }

    // MARK: what numbers mean

    private static let nodes: Set<String> = [
        "from", "to", "dest", "source", "num", "node_num", "my_node_num", "node_id", "last_sent_by_id", "route",
        "route_back", "locked_to",
    ]
    private static let times: Set<String> = [
        "time", "rx_time", "timestamp", "last_heard", "last_rx_time", "expire", "last_position_time",
    ]

    private static func meaning(of number: UInt32, _ name: String) -> String {
        if nodes.contains(name) {
            return number == UInt32.max ? "everybody (\(number))" : "\(NodeNumber(number).id) (\(number))"
        }
        if times.contains(name), number == 0 { return name == "expire" ? "0 (never)" : "0 (unknown)" }
        // 2020-01-01: a radio without a clock counts from its boot.
        if times.contains(name), number >= 1_577_836_800, number < Int32.max { return "\(number) (\(utc(number)))" }
        if name == "relay_node" || name == "next_hop" {
            return number == 0 ? "0 (unknown)" : "\(number) (the node whose number ends in \(twoDigits(number)))"
        }
        return "\(number)"
    }

    private static func meaning(ofSigned number: Int32, _ name: String) -> String {
        switch name {
        case "latitude_i", "longitude_i": return "\(number) (\(Double(number) / 1e7)°)"
        case "snr_towards", "snr_back":
            return number == -128 ? "unknown (-128)" : "\(number) (\(Double(number) / 4) dB)"
        case "rx_rssi": return "\(number) dBm"
        default: return "\(number)"
        }
    }

    private static func twoDigits(_ number: UInt32) -> String { "0x" + String(NodeNumber(number).id.suffix(2)) }

    private static func utc(_ seconds: UInt32) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }

    private static func type(of field: ProtobufCFieldDescriptor) -> String {
        switch field.type {
        case PROTOBUF_C_TYPE_MESSAGE:
            field.descriptor.map {
                String(cString: $0.assumingMemoryBound(to: ProtobufCMessageDescriptor.self).pointee.short_name)
            } ?? "message"
        case PROTOBUF_C_TYPE_ENUM:
            field.descriptor.map {
                String(cString: $0.assumingMemoryBound(to: ProtobufCEnumDescriptor.self).pointee.short_name)
            } ?? "enum"
        default: names[Int(field.type.rawValue)]
        }
    }

    /// In the order of protobuf-c's types.
    private static let names = [
        "int32", "sint32", "sfixed32", "int64", "sint64", "sfixed64", "uint32", "fixed32", "uint64", "fixed64", "float",
        "double", "bool", "enum", "string", "bytes", "message",
    ]
}
