import MeshModel
import Store

// Changes of conversations over brokers, for REST and for the command line. Who connects them is told of each.

extension API {
    /// - Parameter what: what it is to do, as it follows "Failed to ".
    public func changeConversations(
        to what: String, _ change: @escaping @Sendable (Writer) throws -> Void
    ) throws(APIError) {
        do {
            try store.commit(change)
        } catch let error as APIError {
            throw error
        } catch {
            throw .failed("Failed to \(what)")
        }
        conversationDoor.changed()
    }

    /// Gives a conversation a key. The one that it has is never replaced: nothing that came under it could be read again.
    public func seal(_ name: String, with key: ConversationKey) throws(APIError) {
        try changeConversations(to: "store the key") { writer in
            guard let found = try writer.brokerConversation(name) else { throw APIError.noBrokerConversation(name) }
            guard let known = found.conversation.keyID else { return try writer.seal(found.source, with: key) }
            guard known == key.id else {
                throw APIError.conflict("\(found.conversation.id) has the key \(known) already: forget it first")
            }
        }
    }
}

extension APIError {
    public static func noKey(of conversation: BrokerConversation) -> APIError {
        .notFound("\(conversation.id) has no key")
    }
}
