import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Conversations over brokers beside those of a radio. Each is channel 0 of a source of its own, which clients cannot
// name. So a request that names one becomes a request to that source, by a caller who may read this channel and no
// other; then it is answered as any other. Where the path or the query names a source, there are no such conversations.
//
// What was said on a channel is in the conversation that is, or was, bridged to it. So the channel's rights count there.

extension RestAPI {
    /// The request as one to the source of the conversation over a broker that it names.
    ///
    /// - Parameter id: of the conversation that the request names; nil: it names none.
    /// - Returns: nil: it is no conversation over a broker.
    func overBroker(_ call: Call, _ id: String?) throws(APIError) -> Call? {
        guard !call.namesSource, let id, id.hasPrefix(BrokerConversation.idPrefix) else { return nil }
        let name = String(id.dropFirst(BrokerConversation.idPrefix.count))
        return try read("conversation") { reader in
            guard let found = try reader.brokerConversation(name), let source = try reader.source(found.source) else {
                throw APIError.noBrokerConversation(name)
            }
            if let permission = call.caller.lacks(.read, over: found.conversation.channels) {
                throw APIError.insufficient(resource: permission.resource.name, action: .read)
            }
            return call.over((found.source, source), found.conversation)
        }
    }

    /// The same for a message that the path names: its id begins with that of its source.
    func overBroker(_ call: Call, message id: String) throws(APIError) -> Call? {
        guard !call.namesSource, let uuid = id.split(separator: "_").first, uuid != call.source.source.uuid[...] else {
            return nil
        }
        return try read("message") { reader in
            for found in try reader.brokerConversations() {
                guard let source = try reader.source(found.source), source.uuid[...] == uuid else { continue }
                return call.over((found.source, source), found.conversation)
            }
            return nil
        }
    }

    /// The request, and the conversation that its query names; over a broker, as a request to its source.
    func conversationAsked(_ call: Call) throws(APIError) -> (call: Call, conversation: Conversation?) {
        if let asked = try overBroker(call, call.request.queryValue("conversation")) { return (asked, .overBroker) }
        let conversation = try call.request.conversation("conversation")
        if let conversation { try call.check(conversation) }
        return (call, conversation)
    }

    /// Rows of messages, of whatever source the request is for.
    func write(_ messages: [Message], of call: Call, to json: inout JSONWriter) throws {
        let texts = try call.isOverBroker ? store.readCommitted { try $0.brokerTexts(of: messages, for: call) } : [:]
        for message in messages { json.message(message, texts[message.packetID], of: call) }
    }
}

extension Conversation {
    /// Each conversation over a broker, in its own source.
    static let overBroker = Conversation.channel(0)
}

extension Reader {
    /// Topic, writer and id of texts over a broker, by their packet ids; empty for messages of a radio.
    func brokerTexts(of messages: [Message], for call: Call) throws -> [PacketID: BrokerText] {
        guard call.isOverBroker else { return [:] }
        return try brokerTexts(of: messages.map(\.packetID), in: call.source.id)
    }
}

extension Call {
    var isOverBroker: Bool { source.source.brokerConversation != nil }

    fileprivate func over(_ source: FoundSource, _ conversation: BrokerConversation) -> Call {
        Call(request, body, caller.over(conversation), parameters, source: source)
    }

    /// A conversation over a broker has no channels and nodes to choose by. Finding nothing would look as if it were
    /// empty.
    func checkAsksForNoRadio() throws(APIError) {
        for name in ["channel", "channels", "scope", "fromNodeId", "toNodeId"]
        where !["", "all"].contains(request.queryValue(name) ?? "") {
            throw .badRequest("\(name) is of radios: a conversation over a broker has no channels and no nodes")
        }
    }
}

extension Caller {
    /// The same caller in a conversation over a broker.
    fileprivate func over(_ conversation: BrokerConversation) -> Caller {
        var permissions = Permission.all.filter { permission in
            if case .channel = permission.resource { return false }
            return scopes.allows(permission)
        }
        for action in [Action.read, .write] where lacks(action, over: conversation.channels) == nil {
            permissions.append(Permission(.channel(0), action))
        }
        var caller = self
        (caller.scopes, caller.gatewayChannels) = (Scopes(permissions), 0..<0)
        return caller
    }
}

extension JSONWriter {
    /// The row of a message, with `topic` and `writer` of a text over a broker.
    mutating func message(
        _ message: Message, _ text: BrokerText?, of call: Call, attempts: [Attempt]? = nil,
        hold: OutboxItem.Hold? = nil, suffix: (inout JSONWriter) -> Void = { _ in }
    ) {
        let (uuid, caller) = (call.source.source.uuid, call.caller)
        guard call.isOverBroker else {
            return self.message(message, source: uuid, for: caller, attempts: attempts, hold: hold, suffix: suffix)
        }
        self.message(message.overBroker, source: uuid, for: caller, attempts: attempts) { json in
            json.about(text)
            suffix(&json)
        }
    }

    /// - Parameter text: nil: it was deleted meanwhile.
    mutating func about(_ text: BrokerText?) {
        member("topic", text?.topic ?? "")
        member("writer", text?.writer ?? "")
    }
}

extension Message {
    /// As clients see a text over a broker: on no channel of a radio.
    var overBroker: Message {
        var message = self
        (message.channel, message.viaMQTT) = (-1, true)
        return message
    }
}

// MARK: rows of conversations

/// Makes the rows of conversations over brokers. Valid while its reader is.
struct BrokerConversationContext {
    private let call: Call
    private let api: API
    private let reader: Reader
    private let waiting: [SourceID: Int]

    init(_ call: Call, _ api: API, _ reader: Reader) throws {
        (self.call, self.api, self.reader) = (call, api, reader)
        waiting = try reader.waitingTexts()
    }

    /// Those that the caller may read, each with the place of its newest text.
    func places() throws -> [(found: FoundConversation, newest: MessagePosition?)] {
        try reader.brokerConversations().filter { call.caller.lacks(.read, over: $0.conversation.channels) == nil }
            .map { ($0, try reader.newest(of: .overBroker, in: $0.source)) }
    }

    func row(_ found: FoundConversation, _ newest: MessagePosition?) throws -> ConversationRow {
        let (conversation, source, token) = (found.conversation, found.source, call.caller.token ?? 0)
        let last = try newest.flatMap { try reader.message(at: $0, in: source) }
        let text = try last.flatMap { try reader.brokerTexts(of: [$0.packetID], in: source)[$0.packetID] }
        let mute = try reader.mutes(by: token, in: source)[.overBroker]
        return ConversationRow(
            conversation: .overBroker, name: conversation.title, last: last?.overBroker,
            lastSender: last?.isOwn == false || last?.sender == .bridge ? text?.writer : nil,
            unread: try reader.unread(.overBroker, by: token, in: source, limit: ConversationContext.unreadLimit),
            mute: mute.flatMap { $0.holds(at: api.clock()) ? $0 : nil },
            obstacle: obstacle(found),
            broker: ConversationRow.Broker(
                id: conversation.id, uuid: try reader.source(source)?.uuid ?? "", last: text,
                connection: api.conversationDoor.connection(conversation)))
    }

    private func obstacle(_ found: FoundConversation) -> ConversationRow.Obstacle? {
        guard found.conversation.canSend else {
            return .init(code: "READ_ONLY", message: "It has no topic to write to: its filters have wildcards")
        }
        if let permission = call.caller.lacks(.write, over: found.conversation.channels) {
            return .init(
                code: "INSUFFICIENT_SCOPE", message: "The token lacks \(permission)", required: permission)
        }
        guard waiting[found.source] ?? 0 < TextForBroker.mostWaiting else {
            return .init(code: "TOO_MANY_WAIT", message: "Too many of its texts wait for the broker")
        }
        return nil
    }
}
