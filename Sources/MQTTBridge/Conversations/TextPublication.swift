import JSON
import MeshModel
import Store

extension Publication {
    /// An own text as its conversation sends it.
    init(_ text: WaitingText, of conversation: BrokerConversation) {
        self.init(topic: text.topic, payload: Self.payload(text, of: conversation))
        quality = conversation.qos == 0 ? .atMostOnce : .atLeastOnce
        isRetained = false
        properties = [UserProperty("id", text.id), UserProperty("from", text.writer)]
        row = text.row
    }

    /// The payload of an own text.
    static func payload(_ text: WaitingText, of conversation: BrokerConversation) -> [UInt8] {
        guard conversation.isJSON else { return Array(text.text.utf8) }
        var json = JSONWriter(capacity: text.text.utf8.count + 128)
        json.object { json in
            json.member("id", text.id)
            json.member("from", text.writer)
            json.member("text", text.text)
        }
        return json.takeChunk()
    }
}
