import MeshModel
import Synchronization

/// The settings that one client has been shown: those of the handshake that it was given, and what it was answered since.
/// What it writes is compared with them, so that only what it has changed is changed (``MergedSettings``).
///
/// It is of one generation of handshakes (``RadioHandshake/shown()``) and keeps the settings, not the nodes, of that one for
/// as long as its client keeps it, whatever the radio tells meanwhile. A client that asks for the settings again gets a new one.
public final class ShownSettings: Sendable {
    /// Names a message in the answer to a getter, and the frame of a handshake that holds it.
    struct Part: Hashable {
        enum Kind { case channel, owner, config, module, metadata, userInterface, cannedMessages, ringtone }
        var kind: Kind
        /// The channel's index, or the section's field number in Config or ModuleConfig.
        var tag: UInt32

        init(_ kind: Kind, _ tag: UInt32 = 0) {
            self.kind = kind
            self.tag = tag
        }

        /// Field 8 of Config's types, field 9 of Config: asks for nothing but a passkey.
        static let sessionKey = Part(.config, 9)

        /// The field of AdminMessage that answers with it.
        fileprivate var answer: UInt32 {
            switch kind {
            case .channel: 2
            case .owner: 4
            case .config: 6
            case .module: 8
            case .cannedMessages: 11
            case .metadata: 13
            case .ringtone: 15
            case .userInterface: 45
            }
        }
    }

    /// The node number of the radio that they are of.
    public let own: NodeNumber
    /// The content of an answer's field.
    private let parts: Mutex<[Part: [UInt8]]>

    /// - Parameter frames: of a handshake.
    init(own: NodeNumber, _ frames: some Sequence<[UInt8]>) {
        self.own = own
        var parts: [Part: [UInt8]] = [:]
        for frame in frames {
            guard let fields = WireField.all(in: frame[...]) else { continue }
            for field in fields where field.isLengthDelimited {
                guard let (part, content) = Self.part(ofFrame: field, own) else { continue }
                parts[part] = content
            }
        }
        self.parts = Mutex(parts)
    }

    private static func part(ofFrame field: WireField, _ own: NodeNumber) -> (Part, [UInt8])? {
        let content = Array(field.content)
        switch field.number {
        case 4:
            guard let inner = WireField.all(in: field.content),
                inner.contains(where: { $0.number == 1 && $0.isVarint && $0.varint == UInt64(own.rawValue) }),
                let user = inner.last(where: { $0.number == 2 && $0.isLengthDelimited })
            else { return nil }
            return (Part(.owner), Array(user.content))
        case 5: return tag(of: content).map { (Part(.config, $0), content) }
        case 9: return tag(of: content).map { (Part(.module, $0), content) }
        case 10: return channel(content).map { ($0, content) }
        case 13: return (Part(.metadata), content)
        case 17: return (Part(.userInterface), content)
        default: return nil
        }
    }

    /// A radio may say anything: only its eight slots are kept.
    private static func channel(_ content: [UInt8]) -> Part? {
        guard let index = RadioChannel(content)?.channel.index, (0...7).contains(index) else { return nil }
        return Part(.channel, UInt32(index))
    }

    private static func tag(of content: [UInt8]) -> UInt32? { WireField.all(in: content[...])?.first?.number }

    /// The payload of the ADMIN packet that answers a getter; nil: nothing is known.
    public func answer(to order: AdminOrder) -> [UInt8]? {
        guard let part = order.asked else { return nil }
        if part == .sessionKey {
            var inner: [UInt8] = []
            WireBytes.append(part.tag, [], to: &inner)
            return Self.payload(part, inner)
        }
        return parts.withLock { $0[part] }.map { Self.payload(part, $0) }
    }

    /// The same with nothing in it.
    public static func emptyAnswer(to order: AdminOrder) -> [UInt8]? { order.asked.map { payload($0, []) } }

    private static func payload(_ part: Part, _ content: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        WireBytes.append(part.answer, content, to: &result)
        return result
    }

    /// The client is given this answer. Canned messages and ringtone are not kept here: others may set them, and nothing is
    /// compared with them.
    ///
    /// - Parameter payload: of an ADMIN packet.
    public func note(_ payload: [UInt8]) {
        for field in WireField.all(in: payload[...]) ?? [] where field.isLengthDelimited {
            let content = Array(field.content)
            let part: Part? =
                switch field.number {
                case 2: Self.channel(content)
                case 4: Part(.owner)
                case 6: Self.tag(of: content).map { Part(.config, $0) }
                case 8: Self.tag(of: content).map { Part(.module, $0) }
                case 13: Part(.metadata)
                case 45: Part(.userInterface)
                default: nil
                }
            if let part { parts.withLock { $0[part] = content } }
        }
    }

    /// The client has written this section, and takes it for the radio's.
    public func note(_ section: SettingsSection) {
        let bytes = Redaction.told(section)
        var content: [UInt8] = []
        WireBytes.append(section.name.tag, bytes, to: &content)
        parts.withLock { parts in
            switch section.name.kind {
            case .owner: parts[Part(.owner)] = bytes
            case .config: parts[Part(.config, section.name.tag)] = content
            case .module: parts[Part(.module, section.name.tag)] = content
            case .userInterface: parts[Part(.userInterface)] = bytes
            }
        }
    }

    public func note(_ channel: RadioChannel) {
        guard let part = Self.channel(channel.bytes) else { return }
        parts.withLock { $0[part] = channel.bytes }
    }

    public func section(_ name: SettingsName) -> SettingsSection? {
        let content = parts.withLock { parts in
            switch name.kind {
            case .owner: parts[Part(.owner)]
            case .config: parts[Part(.config, name.tag)]
            case .module: parts[Part(.module, name.tag)]
            // A radio without a screen may tell of none, and keep one all the same.
            case .userInterface: parts[Part(.userInterface)] ?? []
            }
        }
        guard let content else { return nil }
        if name.kind == .owner || name.kind == .userInterface { return SettingsSection(name, content) }
        guard let inner = WireField.all(in: content[...])?.first, inner.isLengthDelimited else { return nil }
        return SettingsSection(name, Array(inner.content))
    }

    public func channel(_ index: Int) -> RadioChannel? {
        parts.withLock { $0[Part(.channel, UInt32(clamping: index))] }.flatMap { RadioChannel($0) }
    }
}
