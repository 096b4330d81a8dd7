import HTTPServer
import JSON
import MeshModel
import Routes
import Store

// Conversations over brokers are made, changed and removed here. Their texts are read and written as those of other
// conversations (OverBrokers.swift).

extension RestAPI {
    static let brokerConversationEndpoints: [Endpoint] = [
        .v1(.get, "mqtt/conversations", Permission(.mqtt, .read), RestAPI.brokerConversations),
        .v1(.post, "mqtt/conversations", Permission(.mqtt, .write), RestAPI.makeBrokerConversation),
        .v1(.get, "mqtt/conversations/{conversationName}", Permission(.mqtt, .read), RestAPI.brokerConversation),
        .v1(
            .patch, "mqtt/conversations/{conversationName}", Permission(.mqtt, .write), RestAPI.changeBrokerConversation
        ),
        .v1(
            .delete, "mqtt/conversations/{conversationName}", Permission(.mqtt, .write),
            RestAPI.removeBrokerConversation),
        .v1(
            .post, "mqtt/conversations/{conversationName}/key", Permission(.mqtt, .write), RestAPI.makeConversationKey),
        .v1(
            .delete, "mqtt/conversations/{conversationName}/key", Permission(.mqtt, .write),
            RestAPI.forgetConversationKey),
    ]

    /// `mqtt/conversations`: all of them, by name.
    func brokerConversations(_ call: Call) throws(APIError) -> Response {
        let (all, waiting) = try read("conversations") { try ($0.brokerConversations(), $0.waitingTexts()) }
        return .list(all, to: call.request) { json, found in
            json.brokerConversation(found, conversationDoor, waiting: waiting[found.source] ?? 0)
        }
    }

    /// `mqtt/conversations/{name}`.
    func brokerConversation(_ call: Call) throws(APIError) -> Response {
        try brokerConversation(call.parameters[0], status: 200, call)
    }

    private func brokerConversation(_ name: String, status: Int, _ call: Call) throws(APIError) -> Response {
        let (found, waiting) = try read("conversation") { reader in
            guard let found = try reader.brokerConversation(name) else { throw APIError.noBrokerConversation(name) }
            return (found, try reader.waitingTexts()[found.source] ?? 0)
        }
        var response = Response.item(to: call.request) {
            $0.brokerConversation(found, conversationDoor, waiting: waiting)
        }
        if response.status == 200 { response.status = status }
        return response
    }

    // MARK: changes

    func makeBrokerConversation(_ call: Call) throws(APIError) -> Response {
        let conversation = try PostedConversation(call.body).made()
        try Self.check(conversation, conversationDoor, namesBroker: true)
        let (now, uuid) = (clock(), randomUUID())
        try changeConversations(to: "store the conversation") { writer in
            let all = try writer.brokerConversations()
            guard !all.contains(where: { $0.conversation.name == conversation.name }) else {
                throw APIError.conflict("There is a conversation \"\(conversation.name)\" already")
            }
            guard all.count < BrokerConversation.limit else {
                throw APIError.conflict(
                    "There are \(BrokerConversation.limit) conversations over brokers, and no more fit")
            }
            _ = try writer.insert(conversation, uuid: uuid, at: now)
        }
        return try brokerConversation(conversation.name, status: 201, call)
    }

    func changeBrokerConversation(_ call: Call) throws(APIError) -> Response {
        let (name, posted) = (call.parameters[0], try PostedConversation(call.body))
        var given: ConversationBridge?
        if let bridge = posted.bridge { given = try self.bridge(bridge) }
        let (bridge, setsBridge, caller) = (given, posted.bridge != nil, call.caller)
        // In one commit, because another may be changing another member.
        try changeConversations(to: "store the conversation") { [conversationDoor] writer in
            guard let found = try writer.brokerConversation(name) else { throw APIError.noBrokerConversation(name) }
            var conversation = found.conversation
            try posted.apply(to: &conversation)
            if setsBridge { conversation.bridge = bridge }
            // A conversation whose broker is not in force can be changed all the same.
            try Self.check(conversation, conversationDoor, namesBroker: posted.namesBroker)
            if posted.leadsElsewhere { try caller.check(mayLead: found.conversation) }
            if let bridge { try caller.check(mayBridge: bridge) }
            try writer.update(found.source, to: conversation)
            if setsBridge { try Self.set(bridge, of: found, writer) }
        }
        return try brokerConversation(name, status: 200, call)
    }

    /// Its name is free when the answer goes out. Its texts are removed after that.
    func removeBrokerConversation(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        try changeConversations(to: "remove the conversation") { writer in
            guard let found = try writer.brokerConversation(name) else { throw APIError.noBrokerConversation(name) }
            try writer.removeBrokerConversation(found.source)
        }
        return .item(to: call.request) { json in
            json.object { json in
                json.member("name", name)
                json.member("deleted", true)
            }
        }
    }

    // MARK: its key, which no answer shows

    func makeConversationKey(_ call: Call) throws(APIError) -> Response {
        let name = call.parameters[0]
        guard call.body == nil || call.body == .object([:]) else {
            throw .badRequest("A key is made here; mesh-gateway conversation key \(name) --import takes one over")
        }
        try seal(name, with: .random(), by: call.caller)
        return try brokerConversation(name, status: 201, call)
    }

    func forgetConversationKey(_ call: Call) throws(APIError) -> Response {
        let (name, caller, now) = (call.parameters[0], call.caller, clock())
        try changeConversations(to: "forget the key") { writer in
            guard let found = try writer.brokerConversation(name) else { throw APIError.noBrokerConversation(name) }
            var conversation = found.conversation
            // From then on the broker reads what is said.
            try caller.check(mayLead: conversation)
            guard conversation.isSealed else { throw APIError.noKey(of: conversation) }
            conversation.keyID = nil
            guard conversation.bridge == nil || conversation.carriesIDs else {
                throw APIError.conflict(
                    "\(conversation.id) has a bridge, which needs \"json\" or a key: set \"json\" before, or end it")
            }
            try writer.forgetKey(of: found.source, at: now)
        }
        return try brokerConversation(name, status: 200, call)
    }

    // MARK: what one may be

    /// - Parameter namesBroker: the request names the broker, which then has to be in force.
    private static func check(
        _ conversation: BrokerConversation, _ door: ConversationDoor, namesBroker: Bool
    ) throws(APIError) {
        let prefixes = door.prefixes(conversation.broker)
        do throws(BrokerConversation.Mistake) {
            guard prefixes != nil || !namesBroker else {
                throw BrokerConversation.Mistake(
                    "broker",
                    "must be the name of a broker in force; there is none called \(conversation.broker.quotedStart)")
            }
            try conversation.check(prefixes: prefixes ?? [])
        } catch {
            throw .badRequest("\(error)")
        }
    }
}

/// The members that a client gives a conversation.
private struct PostedConversation {
    private static let known = ["name", "title", "broker", "filters", "topic", "qos", "json", "from", "bridge"]

    private let members: [String: JSONValue]

    init(_ body: JSONValue?) throws(APIError) {
        guard case .object(let members) = body else {
            throw .badRequest("The request body must be a JSON object (Content-Type: application/json)")
        }
        // A mistyped member would be ignored without a word.
        if let other = members.keys.filter({ !Self.known.contains($0) }).min() {
            throw .badRequest("\(other.quotedStart) is no member; there are \(Self.known.joined(separator: ", "))")
        }
        self.members = members
    }

    var namesBroker: Bool { members["broker"] != nil }

    /// Its texts go to others, or come from others.
    var leadsElsewhere: Bool { ["broker", "filters", "topic", "json"].contains { members[$0] != nil } }
    var bridge: JSONValue? { members["bridge"] }

    func made() throws(APIError) -> BrokerConversation {
        for name in ["name", "broker", "filters"] where members[name] == nil {
            throw .badRequest("\(name) is required")
        }
        guard bridge == nil else { throw .badRequest("bridge is set by PATCH, once there is a conversation") }
        var conversation = BrokerConversation(try text("name") ?? "", broker: "", filters: [])
        try apply(to: &conversation)
        return conversation
    }

    func apply(to conversation: inout BrokerConversation) throws(APIError) {
        if let name = try text("name"), name != conversation.name {
            throw .badRequest("name stays as it is; make another conversation")
        }
        if let title = try text("title") { conversation.title = title }
        if let broker = try text("broker") { conversation.broker = broker }
        if let from = try text("from") { conversation.writer = from }
        if let filters = members["filters"] {
            let texts = filters.array?.compactMap(\.string)
            guard let texts, texts.count == filters.array?.count else {
                throw .badRequest("filters must be a list of texts")
            }
            conversation.filters = texts.map { TopicFilter($0) }
        }
        if let topic = members["topic"] {
            conversation.givenTopic = topic == .null ? nil : try text("topic")
        }
        if let qos = members["qos"] {
            guard let number = qos.integer else { throw .badRequest("qos must be 0 or 1") }
            conversation.qos = Int(clamping: number)
        }
        if let json = members["json"] {
            guard let flag = json.bool else { throw .badRequest("json must be true or false") }
            conversation.isJSON = flag
        }
    }

    /// nil: it is not given.
    private func text(_ name: String) throws(APIError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.string else { throw .badRequest("\(name) must be a text") }
        return text
    }
}

extension JSONWriter {
    fileprivate mutating func brokerConversation(
        _ found: FoundConversation, _ door: ConversationDoor, waiting: Int
    ) {
        object { $0.members(of: found.conversation, door, waiting: waiting) }
    }
}
