import CMeshtastic

// What protobuf-c's generated code knows about messages at run time: names, numbers, types and enumerated values. With it
// every field of a section of settings has its standard name, also those that the gateway has no value for.

/// A section of the radio's settings (Config, ModuleConfig), or its owner (User): `lora`, `mqtt`, `owner`.
public struct SettingsName: Hashable, Sendable, CustomStringConvertible {
    enum Kind { case owner, config, module, userInterface }

    let kind: Kind
    /// The section's field number in Config or ModuleConfig.
    let tag: UInt32
    public let description: String

    /// In the order in which they are shown. Config's session key and user interface hold no settings.
    public static let all: [SettingsName] = {
        let config = MessageFields(meshtastic__config__descriptor).list.filter { $0.number <= 8 }
        let modules = MessageFields(meshtastic__module_config__descriptor).list
        return [SettingsName(kind: .owner, tag: 0, description: "owner")]
            + config.map { SettingsName(kind: .config, tag: $0.number, description: $0.name) }
            + modules.map { SettingsName(kind: .module, tag: $0.number, description: $0.name) }
    }()

    static let owner = all[0]
    /// What a radio with a screen keeps of it (DeviceUIConfig). It is in no list of settings; clients read and write it.
    static let userInterface = SettingsName(kind: .userInterface, tag: 0, description: "user interface")
    public static let device = SettingsName("device")!
    public static let lora = SettingsName("lora")!

    /// Nil: there is no section of this name. Small and capital letters are the same.
    public init?(_ name: String) {
        let name = name.lowercased()
        guard let known = Self.all.first(where: { $0.description == name }) else { return nil }
        self = known
    }

    private init(kind: Kind, tag: UInt32, description: String) {
        self.kind = kind
        self.tag = tag
        self.description = description
    }

    static func section(_ kind: Kind, _ tag: UInt32) -> SettingsName? {
        all.first { $0.kind == kind && $0.tag == tag }
    }

    var fields: MessageFields {
        switch kind {
        case .owner: MessageFields(meshtastic__user__descriptor)
        case .userInterface: MessageFields(meshtastic__device_uiconfig__descriptor)
        case .config: Self.content(of: tag, in: MessageFields(meshtastic__config__descriptor))
        case .module: Self.content(of: tag, in: MessageFields(meshtastic__module_config__descriptor))
        }
    }

    private static func content(of tag: UInt32, in message: MessageFields) -> MessageFields {
        message.list.first { $0.number == tag }!.message!
    }
}

/// The fields of a message, by number.
struct MessageFields {
    let name: String
    let list: [MessageField]

    init(_ descriptor: ProtobufCMessageDescriptor) {
        name = String(cString: descriptor.short_name)
        list = UnsafeBufferPointer(start: descriptor.fields, count: Int(descriptor.n_fields)).map(MessageField.init)
    }
}

/// One field of a message (ProtobufCFieldDescriptor).
struct MessageField {
    private let descriptor: ProtobufCFieldDescriptor
    let name: String

    init(_ descriptor: ProtobufCFieldDescriptor) {
        self.descriptor = descriptor
        name = String(cString: descriptor.name)
    }

    var number: UInt32 { descriptor.id }
    var type: ProtobufCType { descriptor.type }
    var wireType: UInt8 { descriptor.wireType }
    var isRepeated: Bool { descriptor.label == PROTOBUF_C_LABEL_REPEATED }

    /// Of a field that is a message itself. The descriptors are constants of the program.
    var message: MessageFields? {
        guard type == PROTOBUF_C_TYPE_MESSAGE, let inner = descriptor.descriptor else { return nil }
        return MessageFields(inner.assumingMemoryBound(to: ProtobufCMessageDescriptor.self).pointee)
    }

    /// Of an enumerated field: what there is to choose, by number.
    var choices: [(name: String, number: Int32)] {
        guard type == PROTOBUF_C_TYPE_ENUM, let inner = descriptor.descriptor else { return [] }
        let values = inner.assumingMemoryBound(to: ProtobufCEnumDescriptor.self).pointee
        return UnsafeBufferPointer(start: values.values, count: Int(values.n_values)).map {
            (String(cString: $0.name), $0.value)
        }
    }

    /// The radio's private key, passwords, PINs, the keys of channels.
    var isSecret: Bool { isWithheld || type != PROTOBUF_C_TYPE_MESSAGE && name == "psk" }
    /// The same without the keys of channels, which clients are shown: a channel without one has no encryption.
    var isWithheld: Bool { type != PROTOBUF_C_TYPE_MESSAGE && Self.withheld.contains(name) }
    private static let withheld = Set(Redaction.secrets.map(\.field))
}
