import MeshModel
import Routes
import Store

@testable import RestAPI

// Conversations over a broker that nobody connects to.

extension ConversationDoor {
    /// The broker `house` is in force, and shows devices to Home Assistant.
    static var house: ConversationDoor { house {} }

    /// - Parameter changed: hears that something is to be done.
    static func house(_ changed: @escaping @Sendable () -> Void) -> ConversationDoor {
        ConversationDoor(
            prefixes: { $0 == "house" ? ["homeassistant"] : nil },
            connection: { conversation in
                conversation.broker == "house"
                    ? Connection(.connected, since: TestGateway.now) : Connection(.noBroker, reason: "there is none")
            }, changed: changed, textWaits: changed)
    }
}

extension TestGateway {
    @discardableResult
    func make(_ name: String, title: String? = nil, filters: [String] = ["club/#"]) throws -> SourceID {
        let conversation = BrokerConversation(name, title: title, broker: "house", filters: filters)
        return try store.commit { try $0.insert(conversation, uuid: randomUUID(), at: Self.now) }
    }

    /// A text that a broker has sent.
    func hear(
        _ text: String, from writer: String = "Ann", id: String? = nil, at time: Int64 = now, in source: SourceID
    ) throws {
        let about = BrokerText(topic: "club/talk", writer: writer, id: id)
        try store.commit { _ = try $0.insertReceived(text, about, in: source, at: time) }
    }
}
