import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Conversations: the channels and direct chats of a source, and beside them those over brokers; what was last said in
// each, and what the token that asks has read and muted there. MeshMonitor has nothing like it. A token sees those
// whose messages it may read.

extension RestAPI {
    static let conversationEndpoints: [Endpoint] = [
        .perSource(.get, "conversations", .messages, .read, RestAPI.conversations),
        .perSource(.get, "conversations/{conversationId}", .messages, .read, RestAPI.conversation),
        .perSource(.post, "conversations/{conversationId}/read", .messages, .read, RestAPI.readConversation),
        .perSource(.post, "conversations/{conversationId}/unread", .messages, .read, RestAPI.unreadConversation),
        .perSource(.post, "conversations/{conversationId}/mute", .messages, .read, RestAPI.muteConversation),
        .perSource(.get, "messages/{messageId}/details", .messages, .read, RestAPI.messageDetails),
    ]

    /// `P/conversations?limit=&before=`: newest first. Channels on which nobody has said anything stand behind.
    func conversations(_ call: Call) throws(APIError) -> Response {
        let limit = call.request.limit(default: 50, cap: 200)
        let before = try conversationBefore(call)
        let (rows, hasMore) = try read("conversations") { reader in
            let list = try ConversationList(call, self, reader)
            var places = list.places[...]
            if let before {
                guard let place = places.firstIndex(where: { $0.id == before }) else {
                    throw APIError.noConversation(before)
                }
                places = places[(place + 1)...]
            }
            return (try places.prefix(limit).map { try list.row($0) }, places.count > limit)
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("success", true)
                json.member("count", rows.count)
                json.member("hasMore", hasMore)
                json.key("data")
                json.array { json in
                    for row in rows { json.conversation(row, for: call) }
                }
            }
        }
    }

    /// The id of the conversation behind which a list begins; nil: it begins with the first one.
    private func conversationBefore(_ call: Call) throws(APIError) -> String? {
        let id = call.request.queryValue("before")
        return try overBroker(call, id) == nil ? call.request.conversation("before")?.id : id
    }

    /// `P/conversations/{id}`.
    func conversation(_ call: Call) throws(APIError) -> Response {
        let (asked, conversation) = try conversationNamed(call)
        let row = try read("conversation") { reader in
            if let id = asked.source.source.brokerConversation {
                let context = try BrokerConversationContext(call, self, reader)
                guard let place = try context.places().first(where: { $0.found.conversation.id == id }) else {
                    throw APIError.noConversation(id)
                }
                return try context.row(place.found, place.newest)
            }
            let context = try ConversationContext(call, self, reader)
            guard let place = try context.place(of: conversation) else {
                throw APIError.noConversation(conversation.id)
            }
            return try context.row(place)
        }
        return .item(to: call.request) { $0.conversation(row, for: call) }
    }

    // MARK: marks

    /// `P/conversations/{id}/read {messageId?}`: everything up to this message is read, or everything.
    func readConversation(_ call: Call) throws(APIError) -> Response {
        try mark(call) { reader, conversation, token, place, source in
            try reader.changes(conversation, readUpTo: place, by: token, in: source)
        } change: { writer, conversation, token, place, source in
            try writer.markRead(conversation, by: token, upToPlace: place, in: source)
        }
    }

    /// `P/conversations/{id}/unread {messageId?}`: this message and everything behind it is unread, or the newest that
    /// somebody else has written.
    func unreadConversation(_ call: Call) throws(APIError) -> Response {
        try mark(call) { reader, conversation, token, place, source in
            try reader.changes(conversation, unreadFrom: place, by: token, in: source)
        } change: { writer, conversation, token, place, source in
            try writer.markUnread(conversation, by: token, from: place, in: source)
        }
    }

    private func mark(
        _ call: Call, isNews: (Reader, Conversation, Int64, MessagePosition?, SourceID) throws -> Bool,
        change: @escaping @Sendable (Writer, Conversation, Int64, MessagePosition?, SourceID) throws -> Void
    ) throws(APIError) -> Response {
        let (asked, conversation) = try conversationNamed(call)
        let body = try call.memberBody()
        let id: String?
        switch body["messageId"] {
        case nil: id = nil
        case .string(let text): id = text
        default: throw .badRequest(MessageAnchor.form("messageId"))
        }
        let anchor = try id.map { text throws(APIError) in try MessageAnchor(text, named: "messageId") }
        let place = try read("message") { reader in
            try checkIsThere(conversation, asked, reader)
            return try anchor?.place(asked, in: conversation, reader)
        }
        let (token, source) = (asked.caller.token ?? 0, asked.source.id)
        return try commit(call) {
            try isNews($0, conversation, token, place, source)
        } change: {
            try change($0, conversation, token, place, source)
        }
    }

    // MARK: mutes

    /// `P/conversations/{id}/mute {muted, mutedUntil?}`: milliseconds since 1970; without it for good.
    func muteConversation(_ call: Call) throws(APIError) -> Response {
        let (asked, conversation) = try conversationNamed(call)
        let body = try call.memberBody()
        guard let isMuted = body["muted"]?.bool else { throw .badRequest("muted must be true or false") }
        var mute: Mute? = isMuted ? .forGood : nil
        if let end = body["mutedUntil"] {
            guard isMuted else { throw .badRequest("mutedUntil goes with \"muted\": true only") }
            guard let end = end.integer, end > clock() else {
                throw .badRequest("mutedUntil must be a time to come, in milliseconds since 1970")
            }
            mute = .until(end)
        }
        try read("conversation") { try checkIsThere(conversation, asked, $0) }
        let (decided, token, source) = (mute, asked.caller.token ?? 0, asked.source.id)
        return try commit(call) {
            try $0.changes(conversation, mutedAs: decided, by: token, in: source)
        } change: {
            try $0.mute(conversation, decided, by: token, in: source)
        }
    }

    /// The conversation that the path names, if its messages may be read, and the request as one to its source.
    private func conversationNamed(_ call: Call) throws(APIError) -> (call: Call, conversation: Conversation) {
        if let asked = try overBroker(call, call.parameters[0]) { return (asked, .overBroker) }
        return (call, try call.conversation())
    }

    /// One over a broker was found with its source.
    private func checkIsThere(_ conversation: Conversation, _ call: Call, _ reader: Reader) throws {
        guard try call.isOverBroker || ConversationContext(call, self, reader).place(of: conversation) != nil else {
            throw APIError.noConversation(conversation.id)
        }
    }

    /// Answers with the conversation as it is then.
    private func commit(
        _ call: Call, isNews: (Reader) throws -> Bool, change: @escaping @Sendable (Writer) throws -> Void
    ) throws(APIError) -> Response {
        try commitShared(call, failing: "Failed to change the conversation", isNews: isNews, change: change) {
            () throws(APIError) in try conversation(call)
        }
    }
}

extension Call {
    /// The conversation that the path names, if its messages may be read.
    fileprivate func conversation() throws(APIError) -> Conversation {
        guard let conversation = Conversation(id: parameters[0]) else { throw .badConversation(parameters[0]) }
        try check(conversation)
        return conversation
    }

    /// What may not be read is refused as in `GET messages?channel=`.
    func check(_ conversation: Conversation) throws(APIError) {
        guard case .channel(let index) = conversation, !caller.mayRead(channel: index) else { return }
        throw .insufficient(resource: "channel_\(index)", action: .read)
    }

    fileprivate func memberBody() throws(APIError) -> JSONValue {
        guard let body, case .object = body else {
            throw .badRequest("The request body must be a JSON object (Content-Type: application/json)")
        }
        return body
    }
}

extension Request {
    /// A conversation of the query; nil when it is absent or empty.
    func conversation(_ key: String) throws(APIError) -> Conversation? {
        guard let text = queryValue(key), !text.isEmpty else { return nil }
        guard let conversation = Conversation(id: text) else { throw .badConversation(text) }
        return conversation
    }
}

extension APIError {
    fileprivate static func badConversation(_ text: String) -> APIError {
        .badRequest(
            "A conversation's id is channel: and its number, direct: and a node's id, or mqtt: and its name, such as "
                + "channel:0, direct:!a1b2c3d4 or mqtt:club; this is none: \(text.quotedStart)")
    }

    fileprivate static func noConversation(_ id: String) -> APIError {
        .notFound("Conversation \(id) not found: there is no such channel, or no message with this node")
    }
}

extension String {
    /// So much of it that a person recognises it.
    var quotedStart: String { count > 80 ? "\"\(prefix(80))…\"" : "\"\(self)\"" }
}
