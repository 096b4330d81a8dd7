import Store

/// What a sealed conversation makes of a message, without a broker, for programs that invent messages.
public struct CarriedText: Hashable, Sendable {
    public let text: String
    public let topic: String
    public let writer: String
    public let id: String?

    /// Nil: it does not open, or says nothing.
    public init?(_ payload: [UInt8], on topic: String, with key: ConversationKey) {
        guard let sealed = SealedText(payload), let content = sealed.opened(for: topic, with: key),
            let heard = HeardText(content, of: sealed, on: topic)
        else { return nil }
        (text, self.topic, writer, id) = (heard.text, heard.topic, heard.writer, heard.id)
    }

    /// The payload that says it.
    ///
    /// - Parameter nonce: 16 bytes.
    public static func payload(
        sealing content: [UInt8], nonce: [UInt8], for topic: String, with key: ConversationKey
    ) -> [UInt8] {
        SealedText(sealing: content, nonce: nonce, for: topic, with: key).payload
    }
}
