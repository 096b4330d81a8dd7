/// One radio and everything that was heard through it. The UUID never changes; node numbers do.
public struct Source: Hashable, Sendable {
    /// A random UUID in lower case, part of message ids and of clients' settings.
    public var uuid: String
    public var name: String
    /// A link feeds it: one source each.
    public var isEnabled: Bool
    /// Host milliseconds.
    public var createdAt: Int64
    /// The radio's own stable id (MyNodeInfo.device_id in hex, or `usb:` and its USB serial number); nil before any
    /// radio has identified itself.
    public var deviceID: String?
    /// The `device` setting of the link that feeds it, or did when that was last there: by it the source is found before
    /// the radio is. No two sources have the same; nil when another radio has come in its place.
    public var device: String?
    public var nodeNumber: NodeNumber?
    public var firmwareVersion: String?
    public var lora: LoRaSettings?

    public init(uuid: String, name: String, isEnabled: Bool, createdAt: Int64) {
        self.uuid = uuid
        self.name = name
        self.isEnabled = isEnabled
        self.createdAt = createdAt
    }
}

extension Source {
    /// By which a radio is known that has told nothing better (``deviceID``).
    public static func identity(of number: NodeNumber) -> String { "node:" + number.id }

    /// ``deviceID`` of a source that is no radio: a conversation over a broker.
    public static func identity(ofConversation name: String) -> String { BrokerConversation.idPrefix + name }
}
