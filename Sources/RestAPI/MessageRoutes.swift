import HTTPServer
import MeshModel
import Store

extension RestAPI {
    /// Messages that are printed at a time.
    private static let slice = 128

    /// `P/messages`: newest first, all filters before the limit.
    func messages(of name: Route.SourceName, _ request: Request) throws(APIError) -> Response {
        let found = try read("messages") { try self.source(name, $0) }
        // Taken before the rows: a tag may be older than what it stands for, never newer.
        let tag = EntityTag(
            parts: store.revision(.messages), UInt64(bitPattern: found.id.rawValue), request.queryFingerprint)
        let known = Response.json(.empty, tag: tag).unlessKnown(to: request)
        if known.status == 304 { return known }
        let query = MessageQuery(request, in: found.id)
        let messages = try read("messages") { reader in
            if let query { try reader.messages(query) } else { [] as [Message] }
        }
        let uuid = found.source.uuid
        do {
            return try .list(messages, slice: Self.slice, tag: tag) { json, slice in
                for message in slice { json.message(message, source: uuid) }
            }
        } catch {
            throw .failed("Failed to retrieve messages")
        }
    }

    /// `P/messages/{id}`: by the row's id, by `<from number>_<packet id>`, or by the packet id alone.
    func message(_ text: String, of name: Route.SourceName, _ request: Request) throws(APIError) -> Response {
        let (source, message) = try read("message") { reader in
            let found = try self.source(name, reader)
            guard let message = try reader.message(id: text, in: found.id) else {
                throw APIError.notFound("Message \(text) not found")
            }
            return (found.source, message)
        }
        return .item(to: request) { json in json.message(message, source: source.uuid, details: true) }
    }

    /// `P/messages/search`. `total` counts all matches, not only those on this page.
    func searchMessages(of name: Route.SourceName, _ request: Request) throws(APIError) -> Response {
        let (source, total, rows) = try read("messages") { reader -> (Source, Int, [Message]) in
            let found = try self.source(name, reader)
            let text = (request.queryValue("q") ?? "").trimmed
            guard !text.isEmpty else { throw APIError.badRequest("Search query parameter \"q\" is required") }
            guard let query = SearchQuery(text, request, in: found.id) else { return (found.source, 0, []) }
            let matches: (total: Int, rows: [Message])
            do { matches = try reader.searchMessages(query) } catch {
                throw APIError.failed("Failed to search messages")
            }
            return (found.source, matches.total, matches.rows)
        }
        return .json(to: request) { json in
            json.object { json in
                json.member("success", true)
                json.member("count", rows.count)
                json.member("total", total)
                json.key("data")
                json.array { json in
                    for row in rows {
                        json.message(row, source: source.uuid) { $0.member("source", "standard") }
                    }
                }
            }
        }
    }
}

extension MessageQuery {
    /// The query of `GET messages` (3.5, with the clients' rules of since and limit); nil when nothing can match.
    fileprivate init?(_ request: Request, in source: SourceID) {
        guard let channel = request.number("channel"), let from = request.node("fromNodeId"),
            let to = request.node("toNodeId")
        else { return nil }
        self.init(
            source: source, channel: channel.map { Int($0) }, from: from, to: to, since: request.since,
            limit: request.limit(default: 100, cap: 10_000))
    }
}

extension SearchQuery {
    /// The query of `GET messages/search`; nil when nothing can match.
    fileprivate init?(_ text: String, _ request: Request, in source: SourceID) {
        guard let from = request.node("fromNodeId") else { return nil }
        let scope = request.queryValue("scope") ?? "all"
        guard scope != "meshcore" else { return nil }
        let channels = request.queryValue("channels").flatMap { $0.isEmpty ? nil : $0 }?
            .split(separator: ",").compactMap { parseInt($0).map { Int($0) } }
        self.init(
            source: source, text: text, isCaseSensitive: request.queryValue("caseSensitive") == "true",
            scope: scope == "dms" ? .directMessages : scope == "channels" ? .channels : .all, channels: channels,
            from: from, start: request.number("startDate") ?? nil, end: request.number("endDate") ?? nil,
            limit: request.limit(default: 50, cap: 100), offset: Int(max((request.number("offset") ?? nil) ?? 0, 0)))
    }
}

extension Request {
    /// `limit` as the contract reads it: text and 0 mean the default, a negative number "all", which is the cap.
    fileprivate func limit(default standard: Int64, cap: Int64) -> Int {
        let number = queryValue("limit").flatMap { parseInt($0) } ?? 0
        return Int(number == 0 ? standard : number < 0 ? cap : min(number, cap))
    }

    /// Milliseconds since 1970; nil without a bound.
    ///
    /// Clients send seconds although rows carry milliseconds (trap 14): what is below 10^11 is that. Emacs sends the
    /// second after its newest row, so two seconds of slack keep it from missing a row of the same second; what it has
    /// already it drops by id.
    fileprivate var since: Int64? {
        guard let number = (number("since") ?? nil), number != 0 else { return nil }
        return number < 100_000_000_000 ? max(number - 2, 0) * 1000 : number
    }

    /// A number of the query: `.some(nil)` when it is absent or empty, nil when it is no number.
    fileprivate func number(_ key: String) -> Int64?? {
        guard let text = queryValue(key), !text.isEmpty else { return .some(nil) }
        return parseInt(text).map { .some($0) } ?? nil
    }

    /// A node of the query: `.some(nil)` when it is absent or empty, nil when no node has that id.
    fileprivate func node(_ key: String) -> NodeNumber?? {
        guard let text = queryValue(key), !text.isEmpty else { return .some(nil) }
        if text == "broadcast" { return .some(.broadcast) }
        return NodeNumber(id: text).map { .some($0) } ?? nil
    }

    /// A number that differs between queries that ask for different things.
    fileprivate var queryFingerprint: UInt64 {
        var bytes: [UInt8] = []
        for item in query {
            bytes += item.key.utf8
            bytes.append(0)
            bytes += item.value.utf8
            bytes.append(0)
        }
        return EntityTag.fingerprint(bytes)
    }
}
