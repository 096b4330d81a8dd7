import CMeshtastic
import MeshModel
import Nettle

/// What a packet's payload says, as protobuf's JSON mapping has it: names in camel case, enumerated values by name,
/// 64-bit numbers as texts, bytes in base64 (Contract 3.10, `decoded_payload`).
public indirect enum DecodedPayload: Hashable, Sendable {
    /// In the order of the field numbers; what the sender left out is not there.
    case object([Member])
    case list([DecodedPayload])
    case text(String)
    case integer(Int64)
    case number(Float)
    case flag(Bool)
    /// The payload itself, of a port that has no message, or when it is not the message of its port.
    case octets([UInt8])

    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: DecodedPayload

        public init(_ name: String, _ value: DecodedPayload) {
            self.name = name
            self.value = value
        }
    }

    /// No frame of a radio is longer.
    private static let maximumSize = 512

    /// MeshMonitor decodes these, and no others.
    private static let messages: Set<PortNumber> = [
        .position, .nodeInfo, .routing, .waypoint, .paxcounter, .nodeStatus, .storeForward, .telemetry, .traceroute,
        .neighborInfo,
    ]

    /// Nil: nobody is shown it. An administration packet can hold keys, no matter who sent it.
    public init?(_ data: MeshData) {
        guard data.port != .admin, data.payload.count <= Self.maximumSize else { return nil }
        if data.port == .textMessage, !data.payload.isEmpty {
            self = .text(repairedText(data.payload))
        } else {
            let message = Self.messages.contains(data.port) ? DecodedMessage(data.payload).value(of: data.port) : nil
            self = message ?? .octets(data.payload)
        }
    }
}

/// Reads a message beside protobuf-c's descriptors, which know every name at run time.
private struct DecodedMessage {
    typealias Descriptor = UnsafePointer<ProtobufCMessageDescriptor>
    typealias Field = UnsafePointer<ProtobufCFieldDescriptor>

    /// Deeper than anything that the protocol nests.
    private static let maximumDepth = 12

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Nil when the bytes are not the port's message.
    func value(of port: PortNumber) -> DecodedPayload? {
        withPayloadDescriptor(of: port) { message(bytes.indices, $0, depth: 0) } ?? nil
    }

    private func message(_ range: Range<Int>, _ descriptor: Descriptor, depth: Int) -> DecodedPayload? {
        guard depth < Self.maximumDepth, let found = fields(in: range, of: descriptor) else { return nil }
        var members: [DecodedPayload.Member] = []
        for (field, tokens) in found {
            let value: DecodedPayload?
            if field.pointee.label == PROTOBUF_C_LABEL_REPEATED {
                value = list(of: field.pointee, tokens, depth)
                // A packed field without a number in it.
                if value == .list([]) { continue }
            } else {
                // The last one counts (protobuf's encoding).
                value = tokens.last.flatMap { element(of: field.pointee, $0, depth) }
            }
            guard let value else { return nil }
            members.append(DecodedPayload.Member(Self.camelCase(field.pointee.name), value))
        }
        return .object(members)
    }

    /// What is there of each known field, by field number; nil when the bytes are no message.
    private func fields(in range: Range<Int>, of descriptor: Descriptor) -> [(field: Field, tokens: [WireToken])]? {
        var found: [(field: Field, tokens: [WireToken])] = []
        var position = range.lowerBound
        while position < range.upperBound {
            guard let token = WireToken(bytes, at: position, end: range.upperBound), token.missing == 0 else {
                return nil
            }
            position = token.end
            guard let field = protobuf_c_message_descriptor_get_field(descriptor, token.number) else { continue }
            if let place = found.firstIndex(where: { $0.field == field }) {
                found[place].tokens.append(token)
            } else {
                found.removeAll { Self.isAlternative($0.field.pointee, to: field.pointee) }
                found.append((field, [token]))
            }
        }
        return found.sorted { $0.field.pointee.id < $1.field.pointee.id }
    }

    /// Two of the same oneof: the later one replaces the other. They share the place where it is said which one it is.
    private static func isAlternative(_ one: ProtobufCFieldDescriptor, to other: ProtobufCFieldDescriptor) -> Bool {
        let isInOneof = one.flags & other.flags & UInt32(PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue) != 0
        return isInOneof && one.quantifier_offset == other.quantifier_offset
    }

    private func list(of field: ProtobufCFieldDescriptor, _ tokens: [WireToken], _ depth: Int) -> DecodedPayload? {
        var elements: [DecodedPayload] = []
        for token in tokens {
            if token.isLengthDelimited, field.wireType != 2 {
                guard let numbers = token.packedNumbers(bytes, of: field.wireType) else { return nil }
                elements += numbers.map { Self.value(of: field, $0) }
            } else {
                guard let element = element(of: field, token, depth) else { return nil }
                elements.append(element)
            }
        }
        return .list(elements)
    }

    private func element(of field: ProtobufCFieldDescriptor, _ token: WireToken, _ depth: Int) -> DecodedPayload? {
        guard token.type == field.wireType else { return nil }
        switch field.type {
        case PROTOBUF_C_TYPE_STRING: return .text(repairedText(bytes[token.content]))
        case PROTOBUF_C_TYPE_BYTES: return .text(Base64.encoded(Array(bytes[token.content])))
        case PROTOBUF_C_TYPE_MESSAGE:
            return field.descriptor.flatMap {
                message(
                    token.content, $0.assumingMemoryBound(to: ProtobufCMessageDescriptor.self), depth: depth + 1)
            }
        default: return Self.value(of: field, token.number(bytes))
        }
    }

    private static func value(of field: ProtobufCFieldDescriptor, _ raw: UInt64) -> DecodedPayload {
        switch field.type {
        case PROTOBUF_C_TYPE_BOOL: return .flag(raw != 0)
        case PROTOBUF_C_TYPE_ENUM: return choice(Int32(truncatingIfNeeded: raw), field)
        case PROTOBUF_C_TYPE_FLOAT:
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: raw))
            guard !number.isFinite else { return .number(number) }
            return .text(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
        case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_SFIXED32: return .integer(Int64(Int32(truncatingIfNeeded: raw)))
        case PROTOBUF_C_TYPE_SINT32: return .integer(Int64(Int32(truncatingIfNeeded: raw >> 1)) ^ -Int64(raw & 1))
        case PROTOBUF_C_TYPE_UINT32, PROTOBUF_C_TYPE_FIXED32: return .integer(Int64(UInt32(truncatingIfNeeded: raw)))
        case PROTOBUF_C_TYPE_INT64, PROTOBUF_C_TYPE_SFIXED64: return .text("\(Int64(bitPattern: raw))")
        case PROTOBUF_C_TYPE_SINT64: return .text("\(Int64(bitPattern: raw >> 1) ^ -Int64(raw & 1))")
        default: return .text("\(raw)")
        }
    }

    /// A number that has no name stays a number.
    private static func choice(_ number: Int32, _ field: ProtobufCFieldDescriptor) -> DecodedPayload {
        let descriptor = field.descriptor?.assumingMemoryBound(to: ProtobufCEnumDescriptor.self)
        let known = descriptor.flatMap { protobuf_c_enum_descriptor_get_value($0, number) }
        return known.map { .text(String(cString: $0.pointee.name)) } ?? .integer(Int64(number))
    }

    /// `latitude_i` is `latitudeI`; only a small letter becomes a capital one: `particles_03um` and `PDOP` stay.
    private static func camelCase(_ name: UnsafePointer<CChar>) -> String {
        var (camel, isBehindMark) = ([UInt8](), false)
        for byte in String(cString: name).utf8 {
            let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            if isBehindMark, isSmall { camel.removeLast() }
            camel.append(isBehindMark && isSmall ? byte - 32 : byte)
            isBehindMark = byte == UInt8(ascii: "_") && camel.count > 1
        }
        return String(decoding: camel, as: UTF8.self)
    }
}
