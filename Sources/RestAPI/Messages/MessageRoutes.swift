import HTTPServer
import MeshModel
import Routes
import Store

extension RestAPI {
    /// Messages that are printed at a time.
    private static let slice = 128

    static let messageEndpoints: [Endpoint] = [
        .perSource(.get, "messages", .messages, .read, RestAPI.messages),
        .perSource(.post, "messages", .messages, .read, RestAPI.send),
        .perSource(.get, "messages/search", .messages, .read, RestAPI.searchMessages),
        .perSource(.get, "messages/{messageId}", .messages, .read, RestAPI.message),
    ]

    /// `P/messages`: newest first, all filters before the limit.
    func messages(_ call: Call) throws(APIError) -> Response {
        let (call, conversation) = try conversationAsked(call)
        try call.isOverBroker ? call.checkAsksForNoRadio() : call.checkChannelAsked()
        if let paging = try MessagePaging(call, conversation) { return try messages(call, paging) }
        let tag = tag(call, .messages)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let query = MessageQuery(call)
        if let query, query.limit > Self.slice { return try manyMessages(query, call, tag) }
        let messages = try read("messages") { reader in
            if let query { try reader.messages(query) } else { [] as [Message] }
        }
        let (uuid, caller) = (call.source.source.uuid, call.caller)
        do {
            return try .list(messages, slice: Self.slice, tag: tag) { json, slice in
                for message in slice { json.message(message, source: uuid, for: caller) }
            }
        } catch {
            throw .failed("Failed to retrieve messages")
        }
    }

    /// More than one slice, which are read while they are sent: in memory are the numbers of the rows.
    private func manyMessages(_ query: MessageQuery, _ call: Call, _ tag: EntityTag) throws(APIError) -> Response {
        let rows = try read("messages") { try $0.messageRows(query) }
        let (store, source, caller) = (store, call.source, call.caller)
        do {
            return try .list(rows, slice: Self.slice, tag: tag) { json, slice in
                let messages = try store.readCommitted { try $0.messages(inRows: slice, of: source.id) }
                for message in messages { json.message(message, source: source.source.uuid, for: caller) }
            }
        } catch {
            throw .failed("Failed to retrieve messages")
        }
    }

    /// `P/messages/{id}`: by the row's id, by `<from number>_<packet id>`, or by the packet id alone.
    func message(_ call: Call) throws(APIError) -> Response {
        let text = call.parameters[0]
        let call = try overBroker(call, message: text) ?? call
        return try details(of: read("message") { try $0.message(text, to: call.caller, in: call.source.id) }, call)
    }

    /// One message with what is known about its way.
    func details(of message: Message, _ call: Call) throws(APIError) -> Response {
        let source = call.source
        let (attempts, hold, text) = try read("message") { reader in
            let attempts = try reader.attempts(of: message, in: source.id)
            let ids = Set(attempts.map(\.packetID) + [message.packetID])
            let hold = try reader.outbox(in: source.id).first { ids.contains($0.packetID) }?.hold
            return (attempts, hold, try reader.brokerTexts(of: [message], for: call)[message.packetID])
        }
        return .item(to: call.request) { $0.message(message, text, of: call, attempts: attempts, hold: hold) }
    }

    /// `P/messages/search`. `total` counts all matches, not only those on this page. MeshMonitor needs a text; here a
    /// sender or a date is enough.
    func searchMessages(_ call: Call) throws(APIError) -> Response {
        let text = (call.request.queryValue("q") ?? "").trimmed
        let isNarrowed = ["fromNodeId", "startDate", "endDate"].contains {
            !(call.request.queryValue($0) ?? "").isEmpty
        }
        guard !text.isEmpty || isNarrowed else { throw .badRequest("Search query parameter \"q\" is required") }
        let (call, conversation) = try conversationAsked(call)
        if call.isOverBroker { try call.checkAsksForNoRadio() }
        var (total, rows, texts): (Int, [Message], [PacketID: BrokerText]) = (0, [], [:])
        if let query = SearchQuery(text, conversation, call) {
            (total, rows, texts) = try read("messages", to: "search") { reader in
                let found = try reader.searchMessages(query)
                return (found.total, found.rows, try reader.brokerTexts(of: found.rows, for: call))
            }
        }
        return .json(to: call.request) { json in
            json.object { json in
                json.member("success", true)
                json.member("count", rows.count)
                json.member("total", total)
                json.key("data")
                json.array { json in
                    for row in rows {
                        json.message(row, texts[row.packetID], of: call) { $0.member("source", "standard") }
                    }
                }
            }
        }
    }
}

extension Reader {
    /// The message that a path names. One that the token may not read is as good as none: a refusal would say that it is
    /// there, and on which channel.
    func message(_ name: String, to caller: Caller, in source: SourceID) throws -> Message {
        guard let message = try message(id: name, in: source), caller.mayRead(channel: message.channel) else {
            throw APIError.notFound("Message \(name) not found")
        }
        return message
    }
}

extension Caller {
    /// The values of a message's `channel` that may be read; nil: all.
    var readableChannels: [Int]? { channels(for: .read).map { [-1] + $0 } }
}

extension Call {
    /// A channel that is asked for by name and may not be read is refused, not empty (Contract 3.5).
    fileprivate func checkChannelAsked() throws(APIError) {
        guard scopes(lack: request.queryValue("channel") ?? "") else { return }
        let number = request.channelAsked.map { $0.map(String.init) ?? "" } ?? "NaN"
        throw .insufficient(resource: "channel_\(number)", action: .read)
    }

    private func scopes(lack channel: String) -> Bool {
        if channel.isEmpty || caller.scopes == .admin { return false }
        guard let index = parseIntOfEitherBase(channel) else { return true }
        return !caller.mayRead(channel: Int(clamping: index))
    }
}

extension MessageQuery {
    /// The query of `GET messages` (Contract 3.5), with the clients' rules of since and limit; nil: nothing can match.
    init?(_ call: Call) {
        let request = call.request
        guard let channel = request.channelAsked, let from = request.node("fromNodeId"),
            let to = request.node("toNodeId")
        else { return nil }
        self.init(
            source: call.source.id, channel: channel.map { Int(clamping: $0) },
            channels: call.caller.readableChannels, from: from, to: to, since: request.since,
            limit: request.limit(default: 100, cap: 10_000))
    }
}

extension SearchQuery {
    /// The query of `GET messages/search`; nil when nothing can match.
    fileprivate init?(_ text: String, _ conversation: Conversation?, _ call: Call) {
        let request = call.request
        guard let from = request.node("fromNodeId") else { return nil }
        let scope = request.queryValue("scope") ?? "all"
        guard scope != "meshcore" else { return nil }
        let channels = request.queryValue("channels").flatMap { $0.isEmpty ? nil : $0 }?
            .split(separator: ",").compactMap { parseInt($0).map { Int(clamping: $0) } }
        var readable = call.caller.readableChannels
        var peer: NodeNumber?
        switch conversation {
        case .channel(let index): readable = [index]
        case .direct(let node): peer = node
        case .allDirect, nil: break
        }
        self.init(
            source: call.source.id, text: text, isCaseSensitive: request.queryValue("caseSensitive") == "true",
            scope: scope == "dms" ? .directMessages : scope == "channels" ? .channels : .all,
            channels: channels.map { asked in asked.filter { readable?.contains($0) ?? true } } ?? readable,
            from: from, peer: peer, start: request.number("startDate") ?? nil, end: request.number("endDate") ?? nil,
            limit: request.limit(default: 50, cap: 100), offset: request.offset)
    }
}
