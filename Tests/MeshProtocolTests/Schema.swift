import CMeshtastic
import Foundation

/// The facts of Inventory.tsv, and the same facts as the compiled descriptors tell them.
enum Schema {
    typealias Message = ProtobufCMessageDescriptor
    typealias Enum = ProtobufCEnumDescriptor

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// One fact a line. What proto2 cannot tell apart is made one: `implicit` and `optional` are `single`.
    static func inventory() throws -> Set<String> {
        let text = try String(contentsOf: folder.appendingPathComponent("Inventory.tsv"), encoding: .utf8)
        return Set(
            text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                guard line.hasPrefix("field\t"), let tab = line.lastIndex(of: "\t") else { return String(line) }
                let presence = line[line.index(after: tab)...]
                return "\(line[..<tab])\t\(presence == "implicit" || presence == "optional" ? "single" : presence)"
            })
    }

    /// Messages that no other message holds.
    nonisolated static var roots: [Message] {
        [
            meshtastic__from_radio__descriptor, meshtastic__to_radio__descriptor, meshtastic__admin_message__descriptor,
            meshtastic__routing__descriptor, meshtastic__key_verification__descriptor,
            meshtastic__store_forward_plus_plus__descriptor, meshtastic__remote_shell__descriptor,
            meshtastic__waypoint__descriptor, meshtastic__status_message__descriptor,
            meshtastic__compressed__descriptor,
            meshtastic__neighbor_info__descriptor, meshtastic__chunked_payload__descriptor,
            meshtastic__chunked_payload_response__descriptor, meshtastic__telemetry__descriptor,
            meshtastic__nau7802_config__descriptor, meshtastic__as3935_config__descriptor,
            meshtastic__sen5_xstate__descriptor, meshtastic__sen6_xstate__descriptor,
            meshtastic__service_envelope__descriptor, meshtastic__map_report__descriptor,
            meshtastic__store_and_forward__descriptor, meshtastic__paxcount__descriptor,
            meshtastic__channel_set__descriptor, meshtastic__mesh_beacon__descriptor,
            meshtastic__hardware_message__descriptor,
        ]
    }

    /// Enums that no field has for its type: bits of a mask, or constants.
    nonisolated static var looseEnums: [Enum] {
        [
            meshtastic__constants__descriptor, meshtastic__critical_error_code__descriptor,
            meshtastic__excluded_modules__descriptor, meshtastic__telemetry_sensor_type__descriptor,
            meshtastic__config__network_config__protocol_flags__descriptor,
            meshtastic__config__position_config__position_flags__descriptor,
            meshtastic__module_config__mesh_beacon_config__flags__descriptor,
        ]
    }

    /// Every message, by its name without the package.
    static func messages() -> [String: Message] {
        var found: [String: Message] = [:]
        var open = roots
        while let message = open.popLast() {
            guard found.updateValue(message, forKey: name(message.name)) == nil else { continue }
            open += fields(message).compactMap { self.message(of: $0) }
        }
        return found
    }

    static func compiled() -> Set<String> {
        var facts: Set<String> = []
        var enums = looseEnums
        for (name, message) in messages() {
            facts.insert("message\t\(name)")
            let fields = fields(message)
            for field in fields {
                if let type = enumeration(of: field) { enums.append(type) }
                facts.insert(
                    "field\t\(name)\t\(field.id)\t\(String(cString: field.name))\t\(type(field))\t\(presence(field))")
            }
        }
        for type in enums {
            let name = name(type.name)
            facts.insert("enum\t\(name)")
            for value in UnsafeBufferPointer(start: type.values, count: Int(type.n_values)) {
                facts.insert("value\t\(name)\t\(value.value)\t\(String(cString: value.name))")
            }
        }
        return facts
    }

    static func name(_ name: UnsafePointer<CChar>) -> String {
        String(String(cString: name).dropFirst("meshtastic.".count))
    }

    static func fields(_ message: Message) -> [ProtobufCFieldDescriptor] {
        Array(UnsafeBufferPointer(start: message.fields, count: Int(message.n_fields)))
    }

    static func message(of field: ProtobufCFieldDescriptor) -> Message? {
        field.type == PROTOBUF_C_TYPE_MESSAGE ? field.descriptor.load(as: Message.self) : nil
    }

    static func enumeration(of field: ProtobufCFieldDescriptor) -> Enum? {
        field.type == PROTOBUF_C_TYPE_ENUM ? field.descriptor.load(as: Enum.self) : nil
    }

    static func has(_ flag: ProtobufCFieldFlag, _ field: ProtobufCFieldDescriptor) -> Bool {
        field.flags & flag.rawValue != 0
    }

    private static func presence(_ field: ProtobufCFieldDescriptor) -> String {
        if field.label == PROTOBUF_C_LABEL_REPEATED { return "repeated" }
        // protobuf-c does not keep a oneof's name; the test compares which fields share one.
        return has(PROTOBUF_C_FIELD_FLAG_ONEOF, field) ? "oneof" : "single"
    }

    private static func type(_ field: ProtobufCFieldDescriptor) -> String {
        if let message = message(of: field) { return "message \(name(message.name))" }
        if let type = enumeration(of: field) { return "enum \(name(type.name))" }
        switch field.type {
        case PROTOBUF_C_TYPE_INT32: return "int32"
        case PROTOBUF_C_TYPE_SINT32: return "sint32"
        case PROTOBUF_C_TYPE_SFIXED32: return "sfixed32"
        case PROTOBUF_C_TYPE_UINT32: return "uint32"
        case PROTOBUF_C_TYPE_FIXED32: return "fixed32"
        case PROTOBUF_C_TYPE_UINT64: return "uint64"
        case PROTOBUF_C_TYPE_FIXED64: return "fixed64"
        case PROTOBUF_C_TYPE_FLOAT: return "float"
        case PROTOBUF_C_TYPE_BOOL: return "bool"
        case PROTOBUF_C_TYPE_STRING: return "string"
        case PROTOBUF_C_TYPE_BYTES: return "bytes"
        default: return "unexpected type \(field.type.rawValue)"
        }
    }
}
