import CMeshtastic
import MeshModel

/// A field of the radio's settings.
public struct Setting: Hashable, Sendable {
    /// With its section, such as `lora.region` or `network.ipv4_config.ip`.
    public var path: String
    public var value: SettingValue
    /// Of an enumerated field, the names that it can have.
    public var choices: [String]
    public var kind: SettingKind
    /// It is a list of that kind.
    public var isList: Bool
    /// It cannot be set: the key pair, the node's number, and what else a User only tells.
    var isOnlyTold: Bool

    /// It can be set by itself, which what is in a list of messages cannot.
    public var isWritable: Bool { !isOnlyTold && !path.contains("[") }

    /// What is known of it besides.
    public var facts: SettingFacts {
        // All messages of a list have the same fields.
        guard let open = path.firstIndex(of: "["), let close = path[open...].firstIndex(of: "]") else {
            return .of(path)
        }
        return .of(path[...open] + String(path[close...]))
    }
}

public enum SettingKind: String, Hashable, Sendable {
    case flag, integer, number, text, choice, bytes, address
}

/// What a field is set to. A field that the radio did not send has its type's zero.
public enum SettingValue: Hashable, Sendable {
    case flag(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case text(String)
    /// The name of an enumerated value; of one that this version of the protocol does not know, its number.
    case choice(String)
    case bytes([UInt8])
    /// So many bytes that are not shown.
    case secret(bytes: Int)
    /// An IPv4 address.
    case address(String)
    case list([SettingValue])

    /// What a field of this kind is before anybody has set it.
    public var unset: SettingValue {
        switch self {
        case .flag: .flag(false)
        case .integer: .integer(0)
        case .unsigned: .unsigned(0)
        case .number: .number(0)
        case .text: .text("")
        case .choice: .choice("")
        case .bytes: .bytes([])
        case .secret: .secret(bytes: 0)
        case .address: .address("0.0.0.0")
        case .list: .list([])
        }
    }
}

extension MessageField {
    /// Nil: of no type that settings have.
    var kind: SettingKind? {
        switch type {
        case PROTOBUF_C_TYPE_BOOL: .flag
        case PROTOBUF_C_TYPE_ENUM: .choice
        case PROTOBUF_C_TYPE_FLOAT, PROTOBUF_C_TYPE_DOUBLE: .number
        case PROTOBUF_C_TYPE_STRING: .text
        case PROTOBUF_C_TYPE_BYTES: .bytes
        case PROTOBUF_C_TYPE_MESSAGE: nil
        default: isAddress ? .address : .integer
        }
    }

    /// The value of the field's last occurrence, or its zero. Nil: the bytes are not of the field's type.
    func value(of occurrences: [WireField]) -> SettingValue? {
        if isSecret {
            guard occurrences.allSatisfy({ $0.wireType == wireType }) else { return nil }
            // A PIN is a number; how long it is says nothing, only whether there is one.
            let number = occurrences.last?.varint == 0 ? 0 : 4
            return .secret(bytes: occurrences.last.map { isLengthDelimited ? $0.content.count : number } ?? 0)
        }
        if isRepeated {
            let elements = occurrences.map(elements)
            return elements.contains { $0 == nil } ? nil : .list(elements.flatMap { $0! })
        }
        return occurrences.last.map(element) ?? zero
    }

    /// A repeated number can be packed.
    private func elements(of field: WireField) -> [SettingValue]? {
        guard field.isLengthDelimited, !isLengthDelimited else { return element(of: field).map { [$0] } }
        var (rest, elements): (ArraySlice<UInt8>, [SettingValue]) = (field.content, [])
        while !rest.isEmpty {
            let key = ArraySlice([UInt8(wireType)])
            guard let element = WireField(readingFrom: &rest, after: key).flatMap(element) else { return nil }
            elements.append(element)
        }
        return elements
    }

    private func element(of field: WireField) -> SettingValue? {
        guard field.wireType == wireType else { return nil }
        let fixed = field.whole.dropFirst(field.key.count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return switch type {
        case PROTOBUF_C_TYPE_BOOL: .flag(field.varint != 0)
        case PROTOBUF_C_TYPE_ENUM: choice(Int32(truncatingIfNeeded: field.varint))
        case PROTOBUF_C_TYPE_INT32: .integer(Int64(Int32(truncatingIfNeeded: field.varint)))
        case PROTOBUF_C_TYPE_INT64: .integer(Int64(bitPattern: field.varint))
        case PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_SINT64:
            .integer(Int64(bitPattern: field.varint >> 1) ^ -Int64(field.varint & 1))
        case PROTOBUF_C_TYPE_UINT32: .unsigned(UInt64(UInt32(truncatingIfNeeded: field.varint)))
        case PROTOBUF_C_TYPE_UINT64: .unsigned(field.varint)
        case PROTOBUF_C_TYPE_FIXED32: isAddress ? .address(Self.address(UInt32(fixed))) : .unsigned(fixed)
        case PROTOBUF_C_TYPE_FIXED64: .unsigned(fixed)
        case PROTOBUF_C_TYPE_SFIXED32: .integer(Int64(Int32(truncatingIfNeeded: fixed)))
        case PROTOBUF_C_TYPE_SFIXED64: .integer(Int64(bitPattern: fixed))
        case PROTOBUF_C_TYPE_FLOAT: .number(finite(Float(bitPattern: UInt32(fixed))).decimalDouble)
        case PROTOBUF_C_TYPE_DOUBLE: .number(Double(bitPattern: fixed).isFinite ? Double(bitPattern: fixed) : 0)
        case PROTOBUF_C_TYPE_STRING: .text(repairedText(field.content))
        case PROTOBUF_C_TYPE_BYTES: .bytes(Array(field.content))
        default: nil
        }
    }

    private var zero: SettingValue? {
        switch type {
        case PROTOBUF_C_TYPE_BOOL: .flag(false)
        case PROTOBUF_C_TYPE_ENUM: choice(0)
        case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_INT64, PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_SINT64,
            PROTOBUF_C_TYPE_SFIXED32, PROTOBUF_C_TYPE_SFIXED64:
            .integer(0)
        case PROTOBUF_C_TYPE_UINT32, PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_FIXED64: .unsigned(0)
        case PROTOBUF_C_TYPE_FIXED32: isAddress ? .address(Self.address(0)) : .unsigned(0)
        case PROTOBUF_C_TYPE_FLOAT, PROTOBUF_C_TYPE_DOUBLE: .number(0)
        case PROTOBUF_C_TYPE_STRING: .text("")
        case PROTOBUF_C_TYPE_BYTES: .bytes([])
        default: nil
        }
    }

    private func choice(_ number: Int32) -> SettingValue {
        .choice(choices.first { $0.number == number }?.name ?? "\(number)")
    }

    var isLengthDelimited: Bool { wireType == 2 }

    /// Config.NetworkConfig.IpV4Config; its first octet is the lowest byte, as the firmware keeps it.
    var isAddress: Bool { type == PROTOBUF_C_TYPE_FIXED32 && ["ip", "gateway", "subnet", "dns"].contains(name) }

    private static func address(_ number: UInt32) -> String {
        [0, 8, 16, 24].map { "\(number >> $0 & 0xFF)" }.joined(separator: ".")
    }
}

extension WireField {
    var wireType: UInt8 { key.first.map { $0 & 7 } ?? 7 }

    /// A value without a key of its own, as in a packed field.
    init?(readingFrom rest: inout ArraySlice<UInt8>, after key: ArraySlice<UInt8>) {
        // Field 1: only the wire type matters.
        var keyed = ArraySlice([1 << 3 | key.first!] + rest)
        self.init(readingFrom: &keyed)
        rest = rest.suffix(keyed.count)
    }
}
