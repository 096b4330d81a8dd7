import HTTPServer
import MeshModel
import Routes
import Store

// `mesh-gateway conversation`: the conversations over brokers. They are made and changed over the API's own routes.

extension ControlAPI {
    /// `GET /local/mqtt/conversations?name=`: one of them, or all.
    static let brokerConversationPages: [LocalPage] = [
        LocalPage("/local/mqtt/conversations", "broker-conversations/1") { question, json in
            var all = try question.reader.brokerConversations()
            if let name = question.request.queryValue("name") {
                all = all.filter { $0.conversation.name == name }
                guard !all.isEmpty else { throw APIError.noBrokerConversation(name) }
            }
            let waiting = try question.reader.waitingTexts()
            json.key("conversations")
            json.array { json in
                for found in all {
                    let door = question.api?.conversationDoor ?? .withoutDaemon
                    json.object { $0.members(of: found.conversation, door, waiting: waiting[found.source] ?? 0) }
                }
            }
        }
    ]
}

extension ConversationDoor {
    fileprivate static let withoutDaemon = ConversationDoor(
        prefixes: { _ in nil },
        connection: { _ in Connection(.noBroker, reason: "no daemon is running, which would connect it") }, changed: {},
        textWaits: {})
}
