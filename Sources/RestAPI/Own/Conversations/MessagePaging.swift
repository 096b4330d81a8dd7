import HTTPServer
import MeshModel
import Routes
import Store

// `GET messages` with one of `conversation`, `before`, `after` and `around`: the same rows in the same order, and beside them
// where the page begins and ends, and whether there is more. Without any of them the answer is MeshMonitor's.

/// A message that a client names as a place in the list.
struct MessageAnchor {
    private let id: String

    static func form(_ name: String) -> String {
        "\(name) must be the id of a message, as its row has it: the source's id, the sender's number and the packet id, "
            + "such as 7f3c1f0e-6b1d-4d0c-9a57-0d9d3c1b2a44_2882400018_12345"
    }

    /// - Parameter name: of the parameter, for the refusal of whatever is no id.
    init(_ id: String, named name: String) throws(APIError) {
        let parts = id.split(separator: "_", omittingEmptySubsequences: false)
        let isID =
            parts.count == 3 && parts[0].utf8.count == 36 && !parts[1].isEmpty && !parts[2].isEmpty
            && parts[1].utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "-") }
            && parts[2].utf8.allSatisfy { (48...57).contains($0) }
        guard isID else { throw .badRequest("\(Self.form(name)); this is none: \(id.quotedStart)") }
        self.id = id
    }

    /// - Returns: where the message is, if the token may read it. Else it is as good as gone.
    func place(_ call: Call, in conversation: Conversation?, _ reader: Reader) throws -> MessagePosition {
        guard let found = try reader.place(ofMessage: id, in: call.source.id),
            call.caller.mayRead(channel: found.message.channel)
        else {
            throw APIError.notFound("Message \(id) is gone: it was deleted, or it was never in this source")
        }
        guard conversation.map({ $0 == Conversation(of: found.message) }) ?? true else {
            throw APIError.notFound("Message \(id) is not in conversation \(conversation?.id ?? "")")
        }
        return found.place
    }
}

/// Which page of messages is asked for.
struct MessagePaging {
    private enum Side: String, CaseIterable { case before, after, around }

    let conversation: Conversation?
    private let anchor: (side: Side, message: MessageAnchor)?

    /// Nil: none is, only a list.
    ///
    /// - Parameter conversation: the one that the request names.
    init?(_ call: Call, _ conversation: Conversation?) throws(APIError) {
        self.conversation = conversation
        var given: [(side: Side, id: String)] = []
        for side in Side.allCases {
            if let id = call.request.queryValue(side.rawValue), !id.isEmpty { given.append((side, id)) }
        }
        guard given.count <= 1 else { throw .badRequest("Only one of before, after and around can be asked for") }
        anchor = try given.first.map { one throws(APIError) in
            (one.side, try MessageAnchor(one.id, named: one.side.rawValue))
        }
        guard conversation != nil || anchor != nil else { return nil }
    }

    /// - Parameter readsEndsOnly: as ``Reader/page(_:at:readsEndsOnly:)``.
    func page(
        _ call: Call, _ query: MessageQuery?, readsEndsOnly: Bool, _ reader: Reader
    ) throws -> MessagePage {
        let place: PagePlace
        if let anchor {
            let message = try anchor.message.place(call, in: conversation, reader)
            place =
                switch anchor.side {
                case .before: .before(message)
                case .after: .after(message)
                case .around: .around(message)
                }
        } else {
            place = .newest
        }
        guard var query else { return MessagePage() }
        switch conversation {
        case .channel(let index):
            guard query.channel ?? index == index else { return MessagePage() }
            query.channel = index
        case .direct(let node): query.peer = node
        case .allDirect, nil: break
        }
        return try reader.page(query, at: place, readsEndsOnly: readsEndsOnly)
    }
}

extension RestAPI {
    /// Messages that are printed at a time.
    private static let slice = 128

    func messages(_ call: Call, _ paging: MessagePaging) throws(APIError) -> Response {
        let tag = tag(call, .messages)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: call.request)
        if known.status == 304 { return known }
        let query = MessageQuery(call)
        // A long page is read while it is sent.
        let isLong = query.map { $0.limit > Self.slice } ?? false
        let page = try read("messages") { try paging.page(call, query, readsEndsOnly: isLong, $0) }
        let (first, last) = (page.messages.first?.id, page.messages.last?.id)
        let (hasOlder, hasNewer) = (page.hasOlder, page.hasNewer)
        let head: ListStream<Int64>.Head = { json in
            json.member("first", first)
            json.member("last", last)
            json.member("hasBefore", hasOlder)
            json.member("hasAfter", hasNewer)
        }
        do {
            if isLong {
                return try .list(page.rows, slice: Self.slice, tag: tag, head: head) { json, slice in
                    let messages = try store.readCommitted { try $0.messages(inRows: slice, of: call.source.id) }
                    try write(messages, of: call, to: &json)
                }
            }
            return try .list(page.messages, slice: Self.slice, tag: tag, head: head) { json, slice in
                try write(Array(slice), of: call, to: &json)
            }
        } catch {
            throw .failed("Failed to retrieve messages")
        }
    }
}
