import CMeshtastic
import MeshModel

/// What the attached radio is asked or told about itself (AdminMessage). It needs no session key for that, which only
/// remote nodes demand (SerialReference 4.13).
public enum AdminRequest: Sendable {
    /// Fields 3, 5, 7 and 44.
    case section(SettingsName)
    /// Field 1; 0 to 7.
    case channel(Int)
    /// Field 12.
    case metadata
    /// Fields 10 and 14.
    case text(RadioText)
    /// Fields 32, 34, 35 and 46. The section goes as a whole.
    case setSection(SettingsSection)
    /// Field 33.
    case setChannel(RadioChannel)
    /// Fields 36 and 37.
    case setText(RadioText, String)
    /// Fields 41 and 42; nil takes the fixed position away.
    case fixPosition(FixedPlace?)
    /// Fields 64 and 65: what lies between them is saved at once, with one restart.
    case beginEdit, commitEdit
    /// Field 97: seconds from now; a negative number takes it back.
    case reboot(Int32)
    case order(AdminMessage)
    /// What a client asks or orders, as it wrote it. The answer is ``AdminAnswer/payload(_:)``.
    case passed(AdminOrder)

    /// The payload of an ADMIN packet.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .section(let name):
            switch name.kind {
            case .owner: WireBytes.append(3, varint: 1, to: &bytes)
            // The types count from 0, the sections' fields from 1.
            case .config: WireBytes.append(5, varint: UInt64(name.tag - 1), to: &bytes)
            case .module: WireBytes.append(7, varint: UInt64(name.tag - 1), to: &bytes)
            case .userInterface: WireBytes.append(44, varint: 1, to: &bytes)
            }
        // 0 would read as an absent field.
        case .channel(let index): WireBytes.append(1, varint: UInt64(index) + 1, to: &bytes)
        case .metadata: WireBytes.append(12, varint: 1, to: &bytes)
        case .text(let text): WireBytes.append(text.getter, varint: 1, to: &bytes)
        case .setSection(let section):
            var content: [UInt8] = []
            WireBytes.append(section.name.tag, section.bytes, to: &content)
            switch section.name.kind {
            case .owner: WireBytes.append(32, section.bytes, to: &bytes)
            case .config: WireBytes.append(34, content, to: &bytes)
            case .module: WireBytes.append(35, content, to: &bytes)
            case .userInterface: WireBytes.append(46, section.bytes, to: &bytes)
            }
        case .setChannel(let channel): WireBytes.append(33, channel.bytes, to: &bytes)
        case .setText(let text, let value): WireBytes.append(text.setter, Array(value.utf8), to: &bytes)
        case .fixPosition(let place?): WireBytes.append(41, place.position.encoded(), to: &bytes)
        case .fixPosition(nil): WireBytes.append(42, varint: 1, to: &bytes)
        case .beginEdit: WireBytes.append(64, varint: 1, to: &bytes)
        case .commitEdit: WireBytes.append(65, varint: 1, to: &bytes)
        case .reboot(let seconds): WireBytes.append(97, varint: UInt64(bitPattern: Int64(seconds)), to: &bytes)
        case .order(let message): bytes = message.encoded()
        case .passed(let order): bytes = order.payload
        }
        return bytes
    }
}

/// What the attached radio answers to an ``AdminRequest``.
public enum AdminAnswer: Sendable {
    case section(SettingsSection)
    case channel(RadioChannel)
    case metadata(DeviceMetadata)
    case text(RadioText, String)
    /// It has done so, or found nothing to do. Getters are answered so by a radio that lacks the section.
    case done
    case refused(RoutingError)
    /// To what was passed on for a client: the payload of the ADMIN packet, as the client may have it.
    case payload([UInt8])

    /// Reads the answer out of the frame in which it came. The packet that is decoded from it lacks the secrets, which
    /// have to go back to the radio with the rest of a section.
    ///
    /// - Parameter frame: a FromRadio with a packet from the radio itself. Nil: it holds no such answer.
    public init?(frame: [UInt8]) {
        guard let payload = Self.payload(of: frame) else { return nil }
        var rest = payload
        while !rest.isEmpty {
            guard let field = WireField(readingFrom: &rest) else { return nil }
            guard field.isLengthDelimited, let answer = Self.answer(field) else { continue }
            self = answer
            return
        }
        return nil
    }

    /// The same of what was passed on for a client.
    public init?(passing frame: [UInt8]) {
        guard let payload = Self.payload(of: frame) else { return nil }
        self = .payload(Redaction.toldAdminPayload(Array(payload)))
    }

    private static func payload(of frame: [UInt8]) -> ArraySlice<UInt8>? {
        guard frame.count <= maximumMessageLength else { return nil }
        return content(of: 2, in: content(of: 4, in: content(of: 2, in: frame[...])))
    }

    private static func answer(_ field: WireField) -> AdminAnswer? {
        let bytes = Array(field.content)
        switch field.number {
        case 2: return RadioChannel(bytes).map { .channel($0) }
        case 4: return SettingsSection(.owner, bytes).map { .section($0) }
        case 6: return section(.config, bytes)
        case 8: return section(.module, bytes)
        case 45: return SettingsSection(.userInterface, bytes).map { .section($0) }
        case 13:
            return bytes.withUnsafeBytes {
                unpacked($0, meshtastic__device_metadata__unpack, meshtastic__device_metadata__free_unpacked) {
                    .metadata(DeviceMetadata($0))
                }
            }
        default: return RadioText.answered(in: field.number).map { .text($0, repairedText(field.content)) }
        }
    }

    /// A module that the radio's build leaves out comes without a section.
    private static func section(_ kind: SettingsName.Kind, _ bytes: [UInt8]) -> AdminAnswer? {
        if bytes.isEmpty { return .done }
        var rest = bytes[...]
        guard let field = WireField(readingFrom: &rest), field.isLengthDelimited,
            let name = SettingsName.section(kind, field.number),
            let section = SettingsSection(name, Array(field.content))
        else { return nil }
        return .section(section)
    }

    /// Of a message in a message; its last occurrence.
    private static func content(of number: UInt32, in bytes: ArraySlice<UInt8>?) -> ArraySlice<UInt8>? {
        guard var rest = bytes else { return nil }
        var content: ArraySlice<UInt8>?
        while !rest.isEmpty {
            guard let field = WireField(readingFrom: &rest) else { return nil }
            if field.number == number, field.isLengthDelimited { content = field.content }
        }
        return content
    }
}
