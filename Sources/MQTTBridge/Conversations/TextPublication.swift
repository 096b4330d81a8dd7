import JSON
import MeshModel
import Store

extension Publication {
    /// An own text as its conversation sends it: the same each time that it is sent.
    init(_ text: WaitingText, of conversation: BrokerConversation) {
        self.init(topic: text.topic, payload: Self.payload(text, of: conversation))
        quality = conversation.qos == 0 ? .atMostOnce : .atLeastOnce
        isRetained = false
        // The broker reads what is not in the payload.
        if text.seal == nil { properties = [UserProperty("id", text.id), UserProperty("from", text.writer)] }
        row = text.row
    }

    /// The payload of an own text.
    static func payload(_ text: WaitingText, of conversation: BrokerConversation) -> [UInt8] {
        if let seal = text.seal {
            return SealedText(
                sealing: json(text, hasTime: true), nonce: seal.nonce, for: text.topic, with: seal.key
            ).payload
        }
        return conversation.isJSON ? json(text, hasTime: false) : Array(text.text.utf8)
    }

    private static func json(_ text: WaitingText, hasTime: Bool) -> [UInt8] {
        var json = JSONWriter(capacity: text.text.utf8.count + 128)
        json.object { json in
            json.member("id", text.id)
            json.member("from", text.writer)
            json.member("text", text.text)
            if hasTime { json.member("at", text.acceptedAt) }
        }
        return json.takeChunk()
    }
}
