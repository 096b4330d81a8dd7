import MeshModel
import Store

// Messages as a bridge sees them.

extension ChannelBridge.Said {
    /// What was said on a channel.
    ///
    /// - Parameters:
    ///   - isOfThisHouse: the broker is, so that no sender need allow that it gets the text.
    ///   - since: the change behind which texts may go up.
    init(
        _ message: Message, by change: StoredChange, isOfThisHouse: Bool, since: Int64, _ reader: Reader
    ) throws {
        let (node, source) = (message.from, change.source)
        let name = try reader.node(node, in: source)?.longName ?? ""
        var (mayGoUp, staysInHouse) = (change.number > since && message.isForOthers(change.origin), false)
        if mayGoUp, !message.isOwn {
            staysInHouse = try !reader.isOKToMQTT(message.packetID, from: node, in: source)
            mayGoUp = !staysInHouse || isOfThisHouse
        }
        self.init(
            change: change.number, id: Self.id(of: message), writer: name.isEmpty ? node.id : name, text: message.text,
            // Out of the radio's queue it comes later than it was heard.
            at: min(message.timestamp, message.rxTime ?? message.timestamp), mayGoUp: mayGoUp,
            staysInHouse: staysInHouse)
    }

    /// Every gateway that hears the packet makes the same of it.
    static func id(of message: Message) -> String {
        let digits = String(message.packetID, radix: 16)
        return "\(message.from.id)-" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension Message {
    /// Whether it is a text of the channel that is news, and no bridge's. What came over MQTT has its own way to brokers.
    fileprivate func isForOthers(_ origin: StoredChange.Origin) -> Bool {
        // What comes late was said hours ago, or is repeated by a server.
        (origin == .live || origin == .ours) && port == .textMessage && !isTapback && !isAlert && !spoofSuspected
            && viaMQTT != true && sender?.kind != .mqtt
    }
}

extension ChannelBridge.Told {
    /// What was said in a conversation.
    ///
    /// - Parameter mayGoDown: unless it came from the channel itself.
    init(_ message: Message, _ about: BrokerText, mayGoDown: Bool) {
        self.init(
            key: about.id ?? message.id, id: about.id, words: BridgedWords.of(message.text, by: about.writer),
            mayGoDown: mayGoDown && message.sender?.kind != .bridge)
    }
}
