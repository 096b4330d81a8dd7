/// A channel of a radio that a conversation over a broker is joined to.
public struct ConversationBridge: Hashable, Sendable {
    /// 0 to 7.
    public var channel: Int
    /// The UUID of the radio's source.
    public var source: String
    /// What is said on the channel is published in the conversation.
    public var goesUp = true
    /// What is said in the conversation is sent on the channel.
    public var goesDown = true
    /// So many texts at most go down in a sliding hour.
    public var textsPerHour = Self.usualTextsPerHour
    /// Why nothing passes until it is set again; nil: all is well.
    public var stop: String?

    public static let usualTextsPerHour = 20
    public static let mostTextsPerHour = 60

    public init(channel: Int, of source: String) { (self.channel, self.source) = (channel, source) }

    /// Whether both join the same channel.
    public func isOnChannel(of other: ConversationBridge) -> Bool { channel == other.channel && source == other.source }

    /// As it is set from the command line.
    public var options: String {
        var words = ["--bridge \(channel)@\(source)"]
        if !goesUp { words.append("--down-only") }
        if !goesDown { words.append("--up-only") }
        if textsPerHour != Self.usualTextsPerHour { words.append("--texts-per-hour \(textsPerHour)") }
        return words.joined(separator: " ")
    }

    /// What is shown of a bridge at work.
    public struct Report: Hashable, Sendable {
        /// Texts of the conversation that were not sent on the channel, since the gateway's start.
        public var dropped = 0
        /// Why the last of them was not.
        public var lastReason: String?
        /// What its owner should know, in sentences.
        public var warnings: [String] = []

        public init() {}
    }
}

extension BrokerConversation {
    /// Whether each text that it publishes carries its id, also to clients of MQTT 3.1.1.
    public var carriesIDs: Bool { isJSON || isSealed }

    func checkBridge() throws(Mistake) {
        guard let bridge else { return }
        guard carriesIDs else {
            throw Mistake(
                "bridge",
                "needs \"json\" or a key: without them a text has no id with MQTT 3.1.1, and would go in circles")
        }
        guard (0...7).contains(bridge.channel) else { throw Mistake("bridge.channel", "is 0 to 7") }
        guard bridge.goesUp || bridge.goesDown else { throw Mistake("bridge.up", "or bridge.down must be true") }
        guard !bridge.goesUp || canSend else {
            throw Mistake("bridge.up", "needs a topic to write to, which the conversation does not have")
        }
        let most = ConversationBridge.mostTextsPerHour
        guard (1...most).contains(bridge.textsPerHour) else {
            throw Mistake("bridge.textsPerHour", "is 1 to \(most)")
        }
    }
}
