import MeshModel

/// What routes ask of those who connect conversations to their brokers (MQTTBridge).
public struct ConversationDoor: Sendable {
    /// How a conversation is connected.
    public struct Connection: Hashable, Sendable {
        public enum State: String, CaseIterable, Sendable {
            case connected, connecting
            /// The broker does not let us read a filter, or does not let us in.
            case refused
            /// Too much came: its filters are not subscribed to for ten minutes.
            case flooded
            /// No such broker is in force, or the library for brokers is missing. Texts wait.
            case noBroker = "no-broker"
        }

        public var state: State
        /// Host milliseconds; nil: nobody knows.
        public var since: Int64?
        /// Nil: all is well.
        public var reason: String?

        public init(_ state: State, since: Int64? = nil, reason: String? = nil) {
            (self.state, self.since, self.reason) = (state, since, reason)
        }
    }

    /// Home Assistant's prefixes at a broker, below which no text may go; nil: no broker of this name is in force.
    public let prefixes: @Sendable (_ broker: String) -> [String]?
    public let connection: @Sendable (BrokerConversation) -> Connection
    /// Conversations have changed, or a text waits. Returns at once.
    public let changed: @Sendable () -> Void

    public init(
        prefixes: @escaping @Sendable (_ broker: String) -> [String]?,
        connection: @escaping @Sendable (BrokerConversation) -> Connection, changed: @escaping @Sendable () -> Void
    ) {
        (self.prefixes, self.connection, self.changed) = (prefixes, connection, changed)
    }

    /// Nobody connects anything: what is stored can be looked at.
    public static let none = ConversationDoor(
        prefixes: { _ in nil }, connection: { _ in Connection(.noBroker) }, changed: {})
}
