import CMeshtastic
import MeshModel

/// Walks through the bytes of a message beside protobuf-c's descriptors, which know every name at run time.
///
/// Unlike the decoder it does not give up: what is cut short is read as far as it goes, so that a damaged packet shows
/// where it is damaged.
struct AnnotationWalk {
    typealias Descriptor = UnsafePointer<ProtobufCMessageDescriptor>

    private let bytes: [UInt8]
    private(set) var fields: [Annotation.Field] = []
    private(set) var unexplained = 0

    /// Deeper than anything that the protocol nests.
    private static let maximumDepth = 12

    /// The radio's secrets, wherever they stand, the keys of channels, and the number that two people compare.
    private static let secrets = Set(Redaction.secrets.map(\.field) + ["psk", "security_number"])

    /// Messages in which something unknown may be a secret of a newer protocol.
    private static let secretive: Set<String> = [
        "AdminMessage", "Config", "ModuleConfig", "Channel", "ChannelSettings", "DeviceUIConfig", "LockdownAuth",
    ]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func run(_ kind: Annotation.Kind) {
        let descriptor =
            switch kind {
            case .fromRadio: meshtastic__from_radio__descriptor
            case .meshPacket: meshtastic__mesh_packet__descriptor
            case .toRadio: meshtastic__to_radio__descriptor
            case .data: meshtastic__data__descriptor
            }
        withUnsafePointer(to: descriptor) { message(bytes.indices, $0, depth: 0, isSecretive: false) }
    }

    // MARK: messages

    private mutating func message(_ range: Range<Int>, _ descriptor: Descriptor, depth: Int, isSecretive: Bool) {
        let type = String(cString: descriptor.pointee.short_name)
        let isSecretive = isSecretive || Self.secretive.contains(type)
        let port = type == "Data" ? PortNumber(rawValue: port(in: range)) : nil
        var position = range.lowerBound
        while position < range.upperBound {
            guard let token = WireToken(bytes, at: position, end: range.upperBound) else {
                return add(
                    position..<range.upperBound, depth, nil, "?", "", "no field of a message", isHidden: isSecretive,
                    isExplained: false)
            }
            field(token, of: descriptor, port, depth, isSecretive)
            position = token.end
        }
    }

    private mutating func field(
        _ token: WireToken, of message: Descriptor, _ port: PortNumber?, _ depth: Int, _ isSecretive: Bool
    ) {
        guard let known = protobuf_c_message_descriptor_get_field(message, token.number)?.pointee else {
            let value = "unknown to this version of the protocol"
            return add(token, depth, "?", "", value, isHidden: isSecretive, isExplained: false)
        }
        let name = String(cString: known.name)
        let value = AnnotatedValue(known, name, token, in: bytes)
        if known.type == PROTOBUF_C_TYPE_MESSAGE, token.isLengthDelimited, depth < Self.maximumDepth,
            let inner = known.descriptor?.assumingMemoryBound(to: ProtobufCMessageDescriptor.self)
        {
            add(header: token, depth, name, value.type)
            self.message(token.content, inner, depth: depth + 1, isSecretive: isSecretive)
        } else if let port, name == "payload", token.isLengthDelimited {
            payload(token, port, depth, isSecretive)
        } else {
            let isOpaque = value.text == nil || known.type == PROTOBUF_C_TYPE_MESSAGE
            let isHidden = Self.secrets.contains(name) || isSecretive && isOpaque
            add(
                token, depth, name, value.type, value.text ?? "not of the type that this field has",
                isHidden: isHidden, isExplained: value.text != nil && token.missing == 0)
        }
    }

    /// The payload of Data is what its port number says.
    private mutating func payload(_ token: WireToken, _ port: PortNumber, _ depth: Int, _ isSecretive: Bool) {
        if [.textMessage, .alert, .detectionSensor, .rangeTest].contains(port) {
            let (words, rings) = spokenText(bytes[token.content]).withoutBell
            let text = "\"\(words)\"" + (rings ? ", and BEL: it rings" : "")
            return add(token, depth, "payload", "text", text, isExplained: token.missing == 0)
        }
        let known: Void? = withPayloadDescriptor(of: port) { descriptor in
            add(header: token, depth, "payload", String(cString: descriptor.pointee.short_name))
            message(token.content, descriptor, depth: depth + 1, isSecretive: isSecretive)
        }
        if known == nil {
            add(
                token, depth, "payload", "bytes", countInWords(token.content.count),
                isExplained: token.missing == 0)
        }
    }

    /// The last occurrence of Data's `portnum` (1) counts; 0 when there is none.
    private func port(in range: Range<Int>) -> UInt32 {
        var position = range.lowerBound
        var port: UInt32 = 0
        while let token = WireToken(bytes, at: position, end: range.upperBound) {
            if token.number == 1, token.type == 0 { port = UInt32(truncatingIfNeeded: token.varint) }
            position = token.end
        }
        return port
    }

    // MARK: entries

    private mutating func add(
        _ token: WireToken, _ depth: Int, _ name: String, _ type: String, _ value: String, isHidden: Bool = false,
        isExplained: Bool
    ) {
        let missing = token.missing > 0 ? ", cut short: \(countInWords(token.missing)) missing" : ""
        add(
            token.start..<token.end, depth, token.number, name, type, value + missing, isHidden: isHidden,
            isExplained: isExplained)
    }

    /// Key and length of a field whose content is annotated by itself.
    private mutating func add(header token: WireToken, _ depth: Int, _ name: String, _ type: String) {
        let missing = token.missing > 0 ? ", cut short: \(countInWords(token.missing)) missing" : ""
        add(
            token.start..<token.content.lowerBound, depth, token.number, name, type,
            countInWords(token.content.count) + missing, isExplained: token.missing == 0)
    }

    private mutating func add(
        _ range: Range<Int>, _ depth: Int, _ number: UInt32?, _ name: String, _ type: String, _ value: String,
        isHidden: Bool = false, isExplained: Bool
    ) {
        if !isExplained { unexplained += range.count }
        fields.append(
            Annotation.Field(
                offset: range.lowerBound, length: range.count, depth: depth, number: number, name: name, type: type,
                value: isHidden ? "hidden" : value, isHidden: isHidden))
    }
}

/// The message that the payload of a port is; nil when it is none, or one that we do not know.
func withPayloadDescriptor<Result>(
    of port: PortNumber, _ body: (AnnotationWalk.Descriptor) -> Result
) -> Result? {
    let descriptor: ProtobufCMessageDescriptor
    switch port {
    case .position: descriptor = meshtastic__position__descriptor
    case .nodeInfo: descriptor = meshtastic__user__descriptor
    case .routing: descriptor = meshtastic__routing__descriptor
    case .admin: descriptor = meshtastic__admin_message__descriptor
    case .waypoint: descriptor = meshtastic__waypoint__descriptor
    case .paxcounter: descriptor = meshtastic__paxcount__descriptor
    case .nodeStatus: descriptor = meshtastic__status_message__descriptor
    case .storeForward: descriptor = meshtastic__store_and_forward__descriptor
    case .telemetry: descriptor = meshtastic__telemetry__descriptor
    case .traceroute: descriptor = meshtastic__route_discovery__descriptor
    case .neighborInfo: descriptor = meshtastic__neighbor_info__descriptor
    case .mapReport: descriptor = meshtastic__map_report__descriptor
    case .remoteHardware: descriptor = meshtastic__hardware_message__descriptor
    case .keyVerification: descriptor = meshtastic__key_verification__descriptor
    default: return nil
    }
    return withUnsafePointer(to: descriptor, body)
}

func countInWords(_ bytes: Int) -> String { bytes == 1 ? "1 byte" : "\(bytes) bytes" }
