import MeshModel
import Store

// How texts for conversations over brokers are checked and accepted. They are stored whether the broker is there or
// not.

/// A text for a conversation over a broker.
public struct TextForBroker: Sendable {
    private static let mostCharacters = 4_000
    private static let mostBytes = 4 * mostCharacters
    /// How many texts of one conversation may wait.
    public static let mostWaiting = 1_000
    /// A day, in milliseconds: what has waited for longer is not sent.
    private static let lifetime: Int64 = 86_400_000

    /// The conversation's.
    public let name: String
    /// Without control characters other than newline and tab.
    public let text: String

    /// - Parameter text: as somebody has written it.
    public init(_ text: String, for name: String) throws(APIError) {
        self.name = name
        self.text = text.withoutControlCharacters.trimmed
        guard !self.text.isEmpty else { throw .badRequest("Message text is required") }
        // One character may have any number of marks.
        guard self.text.count <= Self.mostCharacters, self.text.utf8.count <= Self.mostBytes else {
            throw .textTooLong(limit: Self.mostCharacters)
        }
    }

    /// Stores it with its row in the outbox. Throws an ``APIError``, or what the store throws.
    ///
    /// - Parameter now: host milliseconds.
    public func accept(_ writer: Writer, by caller: Caller, at now: Int64) throws -> (Message, in: FoundConversation) {
        guard let found = try writer.brokerConversation(name) else { throw APIError.noBrokerConversation(name) }
        if let permission = caller.lacks(.write, over: found.conversation.channels) {
            throw APIError.insufficient(resource: permission.resource.name, action: .write)
        }
        guard let topic = found.conversation.topic else {
            throw APIError.conflict(
                "\(found.conversation.id) has no topic to write to, because its filters have wildcards: give it one")
        }
        if try writer.waitingTexts(in: found.source) >= Self.mostWaiting { try writer.expireTexts(at: now) }
        guard try writer.waitingTexts(in: found.source) < Self.mostWaiting else {
            throw APIError.busy(
                "\(Self.mostWaiting) texts of \(found.conversation.id) wait for the broker", retryAfter: 60)
        }
        let message = try writer.insertOwn(
            text, BrokerText(topic: topic, writer: found.conversation.writer, id: randomUUID()), by: caller.sender,
            in: found.source, at: now, expiresAt: now + Self.lifetime)
        return (message, found)
    }
}

extension APIError {
    public static func noBrokerConversation(_ name: String) -> APIError {
        .notFound("There is no conversation \"\(BrokerConversation.idPrefix)\(name)\"")
    }
}

extension Source {
    /// The id of the conversation over a broker whose texts it has, for clients; nil: it is a radio, or a conversation
    /// that was removed.
    public var brokerConversation: String? {
        let prefix = BrokerConversation.idPrefix
        return deviceID.flatMap { $0.hasPrefix(prefix) && $0 != prefix ? $0 : nil }
    }
}
