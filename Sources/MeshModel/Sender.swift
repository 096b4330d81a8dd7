/// Who had a packet sent: a client of the gateway, not a node of the mesh. Kept with a message, and what the queue of own
/// packets takes turns between.
public struct Sender: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// A token of the REST API, by its name.
        case rest
        /// The command line on this machine; it has no name.
        case cli
        /// A client of the shared radio, by its address.
        case share
        /// A rule, by its name.
        case rule
        /// The bridge of a conversation over a broker to a channel, by the conversation's name.
        case mqtt
        /// The same in the other direction: what was said on the channel, in the conversation. It has no name.
        case bridge
        /// Home Assistant, by the name of the broker.
        case homeAssistant = "home-assistant"
    }

    public let kind: Kind
    /// Empty where the kind says everything.
    public let name: String

    public init(_ kind: Kind, _ name: String = "") {
        self.kind = kind
        self.name = name
    }

    public static let cli = Sender(.cli)
    public static let bridge = Sender(.bridge)

    /// `kind:name`, or the kind alone: as it is stored and shown.
    public var text: String { name.isEmpty ? kind.rawValue : "\(kind.rawValue):\(name)" }

    /// Nil for a kind that is not known here, such as one of a later version.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let kind = parts.first.flatMap({ Kind(rawValue: String($0)) }) else { return nil }
        self.init(kind, parts.count > 1 ? String(parts[1]) : "")
    }
}
