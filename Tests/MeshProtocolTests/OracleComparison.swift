import CMeshtastic
import Foundation
import JSON
import Nettle

/// Holds a decoded protobuf-c message against protobuf's JSON form of it, in both directions: every key must be a field
/// with that value, and every field that is set must be a key. The JSON is that of the oracles: schema names, enums by
/// name or number, bytes in base64 or as `sha256:…`, 64-bit numbers as strings, zeros left out or not.
struct OracleComparison {
    private(set) var problems: [String] = []

    init(
        _ json: [String: Any], _ message: UnsafePointer<ProtobufCMessage>, _ path: String,
        ignoring keys: Set<String> = []
    ) {
        compare(json, message, path, ignoring: keys)
    }

    private mutating func compare(
        _ json: [String: Any], _ message: UnsafePointer<ProtobufCMessage>, _ path: String,
        ignoring keys: Set<String> = []
    ) {
        let descriptor = message.pointee.descriptor.pointee
        var unseen = Set(json.keys).subtracting(keys)
        for field in Schema.fields(descriptor) {
            let name = String(cString: field.name)
            unseen.remove(name)
            let values = values(of: field, in: message)
            let wanted: [Any] =
                switch json[name] {
                case nil: []
                case is NSNull: []
                case let list as [Any] where field.label == PROTOBUF_C_LABEL_REPEATED: list
                case .some(let value): [value]
                }
            if keys.contains(name) { continue }
            if wanted.isEmpty, values.allSatisfy({ isDefault($0, field) }) { continue }
            if values.isEmpty, wanted.count == 1, isDefault(wanted[0], field) { continue }
            guard values.count == wanted.count else {
                problems.append("\(path).\(name): \(values.count) values, the oracle has \(wanted.count)")
                continue
            }
            for (value, wanted) in zip(values, wanted) { compare(wanted, value, field, "\(path).\(name)") }
        }
        for key in unseen { problems.append("\(path).\(key): lost") }
    }

    private mutating func compare(
        _ wanted: Any, _ value: UnsafeRawPointer, _ field: ProtobufCFieldDescriptor, _ path: String
    ) {
        if field.type == PROTOBUF_C_TYPE_MESSAGE {
            guard let inner = value.load(as: UnsafePointer<ProtobufCMessage>?.self), let json = wanted as? [String: Any]
            else {
                problems.append("\(path): no message")
                return
            }
            compare(json, inner, path)
        } else if !agrees(wanted, value, field) {
            problems.append("\(path): is not \(wanted)")
        }
    }

    /// The places where the field's values lie; none when it is absent.
    private func values(of field: ProtobufCFieldDescriptor, in message: UnsafePointer<ProtobufCMessage>)
        -> [UnsafeRawPointer]
    {
        let base = UnsafeRawPointer(message)
        let place = base + Int(field.offset)
        if field.label == PROTOBUF_C_LABEL_REPEATED {
            let count = base.load(fromByteOffset: Int(field.quantifier_offset), as: Int.self)
            guard count > 0, let elements = place.load(as: UnsafeRawPointer?.self) else { return [] }
            return (0..<count).map { elements + $0 * size(field) }
        }
        if Schema.has(PROTOBUF_C_FIELD_FLAG_ONEOF, field) {
            return base.load(fromByteOffset: Int(field.quantifier_offset), as: UInt32.self) == field.id ? [place] : []
        }
        if field.type == PROTOBUF_C_TYPE_MESSAGE || field.type == PROTOBUF_C_TYPE_STRING {
            return place.load(as: UnsafeRawPointer?.self) == nil ? [] : [place]
        }
        return base.load(fromByteOffset: Int(field.quantifier_offset), as: Int32.self) == 0 ? [] : [place]
    }

    private func size(_ field: ProtobufCFieldDescriptor) -> Int {
        switch field.type {
        case PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_TYPE_STRING: MemoryLayout<UnsafeRawPointer>.stride
        case PROTOBUF_C_TYPE_BYTES: MemoryLayout<ProtobufCBinaryData>.stride
        case PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_FIXED64: 8
        default: 4
        }
    }

    private func isDefault(_ wanted: Any, _ field: ProtobufCFieldDescriptor) -> Bool {
        if let type = Schema.enumeration(of: field), let wanted = wanted as? String {
            return UnsafeBufferPointer(start: type.values, count: Int(type.n_values)).contains {
                $0.value == 0 && String(cString: $0.name) == wanted
            }
        }
        return switch wanted {
        case let text as String: text == "" || text == "0"
        case let number as NSNumber: number.doubleValue == 0
        case let list as [Any]: list.isEmpty
        default: false
        }
    }

    private func isDefault(_ value: UnsafeRawPointer, _ field: ProtobufCFieldDescriptor) -> Bool {
        switch field.type {
        case PROTOBUF_C_TYPE_MESSAGE: false
        case PROTOBUF_C_TYPE_STRING: value.load(as: UnsafePointer<CChar>.self).pointee == 0
        case PROTOBUF_C_TYPE_BYTES: value.load(as: ProtobufCBinaryData.self).len == 0
        case PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_FIXED64: value.load(as: UInt64.self) == 0
        default: value.load(as: UInt32.self) == 0
        }
    }

    private func agrees(_ wanted: Any, _ value: UnsafeRawPointer, _ field: ProtobufCFieldDescriptor) -> Bool {
        switch field.type {
        case PROTOBUF_C_TYPE_ENUM:
            let number = value.load(as: Int32.self)
            if let wanted = wanted as? String, let type = Schema.enumeration(of: field) {
                return UnsafeBufferPointer(start: type.values, count: Int(type.n_values)).contains {
                    $0.value == number && String(cString: $0.name) == wanted
                }
            }
            return (wanted as? NSNumber)?.int32Value == number
        case PROTOBUF_C_TYPE_STRING:
            return String(cString: value.load(as: UnsafePointer<CChar>.self)) == wanted as? String
        case PROTOBUF_C_TYPE_BYTES:
            let data = value.load(as: ProtobufCBinaryData.self)
            let bytes = Array(UnsafeBufferPointer(start: data.data, count: data.len))
            guard let wanted = wanted as? String else { return false }
            if wanted.hasPrefix("sha256:") { return wanted == "sha256:" + hexadecimal(SHA256.digest(of: bytes)) }
            return Data(base64Encoded: wanted) == Data(bytes)
        case PROTOBUF_C_TYPE_FLOAT:
            let float = value.load(as: Float.self)
            if let wanted = wanted as? String {
                return wanted == (float.isNaN ? "NaN" : float > 0 ? "Infinity" : "-Infinity")
            }
            // The oracle prints the shortest decimal that is this float.
            return (wanted as? NSNumber).map { Float($0.doubleValue) == float } ?? false
        case PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_FIXED64:
            let number = value.load(as: UInt64.self)
            return (wanted as? String).flatMap { UInt64($0) } == number || (wanted as? NSNumber)?.uint64Value == number
        case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_SFIXED32:
            return (wanted as? NSNumber)?.int64Value == Int64(value.load(as: Int32.self))
        default:
            return (wanted as? NSNumber)?.int64Value == Int64(value.load(as: UInt32.self))
        }
    }
}

/// Unpacks a message of any type for the time of `body`; nil when the bytes are none.
func withMessage<Result>(
    _ descriptor: ProtobufCMessageDescriptor, _ bytes: [UInt8],
    _ body: (UnsafePointer<ProtobufCMessage>) throws -> Result
) rethrows -> Result? {
    try withUnsafePointer(to: descriptor) { descriptor in
        guard let message = protobuf_c_message_unpack(descriptor, nil, bytes.count, bytes) else { return nil }
        defer { protobuf_c_message_free_unpacked(message, nil) }
        return try body(UnsafePointer(message))
    }
}
