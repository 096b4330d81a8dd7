import Gateway
import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// What one does with messages outside v1: sending reactions, marking as read, deleting (Contract 4).

extension RestAPI {
    static let messageUpkeepEndpoints: [Endpoint] = [
        .session(.post, "/api/messages/send", nil, RestAPI.sendFromPage),
        .session(.post, "/api/messages/mark-read", Permission(.messages, .read), RestAPI.markRead),
        .session(.get, "/api/messages/unread-counts", Permission(.messages, .read), RestAPI.unreadCounts),
        .session(.delete, "/api/messages/{messageId}", Permission(.messages, .write), RestAPI.deleteMessage),
        .perSource(.delete, "messages", .messages, .write, RestAPI.deleteMessages),
    ]

    // MARK: reading

    /// `{messageIds | channelId | nodeId | allDMs, beforeTimestamp?}`. A message is read together with everything before
    /// it in its conversation.
    func markRead(_ call: Call) throws(APIError) -> Response {
        let source = try source(call.request.sourceAsked(call.body))
        let marks = try readMarks(call, source)
        let before = try unread(call, source)
        let (token, id) = (call.caller.token ?? 0, source.id)
        return try commitShared(call, failing: "Failed to mark messages as read") { reader in
            try marks.contains { try reader.changes($0.conversation, readUpToMoment: $0.upTo, by: token, in: id) }
        } change: { writer in
            for (conversation, moment) in marks {
                try writer.markRead(conversation, by: token, upTo: moment, in: id)
            }
        } answer: { () throws(APIError) in
            let after = try unread(call, source)
            var json = JSONWriter()
            json.object { $0.member("marked", max(0, before.total - after.total)) }
            return .json(.bytes(json.bytes))
        }
    }

    private func readMarks(
        _ call: Call, _ source: FoundSource
    ) throws(APIError) -> [(conversation: Conversation, upTo: Int64?)] {
        let moment = call.body?["beforeTimestamp"]?.integer
        if let ids = call.body?["messageIds"]?.array {
            let texts = ids.prefix(1000).compactMap(\.string)
            return try read("messages") { reader in
                try texts.compactMap { text in
                    guard let message = try reader.message(id: text, in: source.id),
                        call.caller.mayRead(channel: message.channel)
                    else { return nil }
                    return (Conversation(of: message), message.createdAt)
                }
            }
        }
        if call.body?["allDMs"]?.bool == true { return [(.allDirect, moment)] }
        if let channel = call.body?["channelId"]?.integer {
            guard (0...7).contains(channel) else {
                throw .coded(400, "channelId must be a number between 0 and 7", code: "INVALID_PARAMETER_TYPE")
            }
            guard call.caller.mayRead(channel: Int(channel)) else {
                throw .insufficientForSession(Permission(.channel(Int(channel)), .read))
            }
            return [(.channel(Int(channel)), moment)]
        }
        guard let node = call.body?["nodeId"].flatMap({ NodeNumber($0) }) else {
            throw .coded(
                400, "messageIds, channelId, nodeId or allDMs is required", code: "MISSING_PARAMETER")
        }
        return [(.direct(node), moment)]
    }

    /// `{"channels":{"0":2},"directMessages":{"!abcdef12":1}}`, for the token that asks.
    func unreadCounts(_ call: Call) throws(APIError) -> Response {
        let counts = try unread(call, try source(call.request.sourceAsked(nil)))
        return .json(to: call.request) { json in
            json.object { json in
                json.key("channels")
                json.object { json in
                    for (channel, count) in counts.channels.sorted(by: { $0.key < $1.key }) {
                        json.key(text: String(channel))
                        json.value(count)
                    }
                }
                json.key("directMessages")
                json.object { json in
                    for (node, count) in counts.direct.sorted(by: { $0.key < $1.key }) {
                        json.key(text: node.id)
                        json.value(count)
                    }
                }
            }
        }
    }

    private func unread(_ call: Call, _ source: FoundSource) throws(APIError) -> UnreadCounts {
        let channels = (0...7).filter { call.caller.mayRead(channel: $0) }
        let token = call.caller.token ?? 0
        return try read("messages") {
            try $0.unread(by: token, channels: channels, direct: true, in: source.id)
        }
    }

    // MARK: deleting

    func deleteMessage(_ call: Call) throws(APIError) -> Response {
        let text = call.parameters[0]
        // The row's own id names its source.
        let asked = call.request.sourceAsked(call.body) ?? text.split(separator: "_").first.map(String.init)
        let known = try knownSources.all(of: store).contains { $0.source.uuid == asked }
        let source = try source(known ? asked : call.request.sourceAsked(call.body))
        let message = try read("message") { try $0.message(id: text, in: source.id) }
        let missing = APIError.coded(404, "Message not found", code: "NOT_FOUND")
        guard let message, call.caller.mayRead(channel: message.channel) else { throw missing }
        let isDeleted: Bool
        do { isDeleted = try gateway.deleteMessage(id: message.id, in: source.id) } catch {
            throw .failed("Failed to delete message")
        }
        guard isDeleted else { throw missing }
        var json = JSONWriter()
        json.object { json in
            json.member("message", "Message deleted successfully")
            json.member("id", message.id)
        }
        return .json(.bytes(json.bytes))
    }

    /// `DELETE P/messages?node=`: what a node has sent and the direct messages to it, as far as the token may read them.
    func deleteMessages(_ call: Call) throws(APIError) -> Response {
        guard let text = call.request.queryValue("node"), !text.isEmpty else {
            throw .badRequest("node is required: whose messages are to be deleted")
        }
        guard let node = NodeNumber(.string(text)), !node.isBroadcast else { throw .badRequest("Invalid node") }
        guard call.caller.may(.read, .messages) else {
            throw .insufficient(resource: Resource.messages.name, action: .read)
        }
        let channels = call.caller.readableChannels
        let count: Int
        do {
            count = try gateway.deleteMessages(with: node, channels: channels, in: call.source.id)
        } catch {
            throw .failed("Failed to delete messages")
        }
        var json = JSONWriter()
        json.object { json in
            json.member("success", true)
            json.key("data")
            json.object { json in
                json.member("node", node.id)
                json.member("messagesDeleted", count)
            }
        }
        return .json(.bytes(json.bytes))
    }
}

extension UnreadCounts {
    fileprivate var total: Int { channels.values.reduce(0, +) + direct.values.reduce(0, +) }
}
