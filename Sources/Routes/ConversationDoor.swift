import MeshModel

/// What routes ask of those who connect conversations to their brokers (MQTTBridge).
public struct ConversationDoor: Sendable {
    public typealias Connection = BrokerConversation.Connection

    /// Home Assistant's prefixes at a broker, below which no text may go; nil: no broker of this name is in force.
    public let prefixes: @Sendable (_ broker: String) -> [String]?
    public let connection: @Sendable (BrokerConversation) -> Connection
    /// Of a conversation that has a bridge.
    public let bridge: @Sendable (BrokerConversation) -> ConversationBridge.Report
    /// To be called when conversations have changed. Returns at once.
    public let changed: @Sendable () -> Void
    /// To be called when a text waits. Returns at once.
    public let textWaits: @Sendable () -> Void

    public init(
        prefixes: @escaping @Sendable (_ broker: String) -> [String]?,
        connection: @escaping @Sendable (BrokerConversation) -> Connection,
        bridge: @escaping @Sendable (BrokerConversation) -> ConversationBridge.Report = { _ in .init() },
        changed: @escaping @Sendable () -> Void, textWaits: @escaping @Sendable () -> Void
    ) {
        (self.prefixes, self.connection, self.bridge) = (prefixes, connection, bridge)
        (self.changed, self.textWaits) = (changed, textWaits)
    }

    /// For a process that connects to no broker, and shows what is stored.
    public static let none = ConversationDoor(
        prefixes: { _ in nil }, connection: { _ in Connection(.noBroker) }, changed: {}, textWaits: {})
}
