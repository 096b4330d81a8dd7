import CMeshtastic
import Foundation

/// A JSON object of an oracle. Absent and null are the same, and read as zero where the schema has no presence.
struct Fields {
    let raw: [String: Any]

    init(_ raw: [String: Any]) { self.raw = raw }

    func has(_ name: String) -> Bool { raw[name].map { !($0 is NSNull) } ?? false }

    subscript(name: String) -> Fields { Fields(raw[name] as? [String: Any] ?? [:]) }

    func list(_ name: String) -> [Fields] { (raw[name] as? [[String: Any]] ?? []).map(Fields.init) }

    func string(_ name: String) -> String? { raw[name] as? String }

    func bool(_ name: String) -> Bool { raw[name] as? Bool ?? false }

    /// 64-bit integers, NaN and infinities are written as strings.
    func double(_ name: String) -> Double {
        if let text = string(name) { return Double(text.replacingOccurrences(of: "Infinity", with: "inf")) ?? .nan }
        return (raw[name] as? NSNumber)?.doubleValue ?? 0
    }

    func unsigned(_ name: String) -> UInt32 { UInt32(truncatingIfNeeded: Int64(double(name))) }

    func signed(_ name: String) -> Int32 { Int32(truncatingIfNeeded: Int64(double(name))) }

    /// base64.
    func bytes(_ name: String) -> [UInt8]? { string(name).flatMap { Data(base64Encoded: $0) }.map { Array($0) } }

    /// An enum's value, given as its number or by the name that the schema has for it.
    func number(_ name: String, in descriptor: ProtobufCEnumDescriptor) -> UInt32 {
        guard let text = string(name) else { return unsigned(name) }
        return withUnsafePointer(to: descriptor) { descriptor in
            guard let value = protobuf_c_enum_descriptor_get_value_by_name(descriptor, text) else {
                preconditionFailure("the schema has no \(text)")
            }
            return UInt32(value.pointee.value)
        }
    }
}

func hexadecimal(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8).map { UInt8(String(UnicodeScalar($0)), radix: 16)! }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

extension Fields {
    func numbers(_ name: String) -> [Int64] { (raw[name] as? [NSNumber] ?? []).map(\.int64Value) }
}
