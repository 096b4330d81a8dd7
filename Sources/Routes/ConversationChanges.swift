import MeshModel
import Store

// Changes of conversations over brokers, for REST and for the command line. Each is told to the threads of the brokers.

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
    public func seal(_ name: String, with key: ConversationKey, by caller: Caller) throws(APIError) {
        try changeConversations(to: "store the key") { writer in
            guard let found = try writer.brokerConversation(name) else { throw APIError.noBrokerConversation(name) }
            try caller.check(mayLead: found.conversation)
            guard let known = found.conversation.keyID else { return try writer.seal(found.source, with: key) }
            guard known == key.id else {
                throw APIError.conflict("\(found.conversation.id) has the key \(known) already: forget it first")
            }
        }
    }
}

extension Caller {
    /// Refuses who may not say to whom the texts of a conversation go and from whom they come: whoever may not read or
    /// write the channels whose rights count there.
    public func check(mayLead conversation: BrokerConversation) throws(APIError) {
        guard !conversation.channels.isEmpty else { return }
        for action in [Action.read, .write] {
            guard let permission = lacks(action, over: conversation.channels) else { continue }
            throw .insufficient(resource: permission.resource.name, action: permission.action)
        }
    }
}

extension APIError {
    public static func noKey(of conversation: BrokerConversation) -> APIError {
        .notFound(
            "\(conversation.id) has no key; to make one: mesh-gateway conversation key \(conversation.name) --new")
    }
}
