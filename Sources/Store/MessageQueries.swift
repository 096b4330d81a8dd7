import MeshModel

// A page of messages has to come as fast out of a million rows as out of a thousand, whatever is filtered by. Every
// combination of filters has an index that ends in `created_at`, so that SQLite walks the page's rows and no others;
// it is named in the query, because without statistics the planner may choose another.
//
// "Since" means created since, or changed since: clients poll with it, and want the delivery ticks of what they have
// already seen. Nearly all deliveries settle within ten minutes, so the walk begins ten minutes earlier and passes
// over what has not changed; the few that took longer have an index of their own.

extension Reader {
    /// A page of messages.
    public func messages(_ query: MessageQuery) throws -> [Message] {
        guard query.limit > 0, let query = query.resolved else { return [] }
        let uuid = try MessageRow.uuid(of: query.source, on: connection)
        if let channels = query.channels {
            guard let channel = query.channel else {
                return try messages(at: places(query, of: channels), uuid: uuid)
            }
            if !channels.contains(channel) { return [] }
        }
        return try rows(query, MessageRow.columns) { MessageRow.read($0, uuid: uuid) }
    }

    /// The places of a page's messages, in its order.
    func places(_ query: MessageQuery) throws -> [MessagePosition] {
        guard query.limit > 0, let query = query.resolved else { return [] }
        guard let channels = query.channels else { return try rows(query, "created_at, id") { MessagePosition($0) } }
        if let channel = query.channel {
            return channels.contains(channel) ? try rows(query, "created_at, id") { MessagePosition($0) } : []
        }
        return try places(query, of: channels)
    }

    /// A page of several channels, because the index of all messages could lead through a million others before it comes
    /// to one of them. Each channel's index says which its first ones are; of these the page is made.
    private func places(_ query: MessageQuery, of channels: [Int]) throws -> [MessagePosition] {
        var one = query
        let first = try channels.flatMap { channel in
            one.channel = channel
            return try rows(one, "created_at, id") { MessagePosition($0) }
        }
        let isNewestFirst = query.order == .newestFirst
        return Array(first.sorted { isNewestFirst ? $1 < $0 : $0 < $1 }.prefix(query.limit))
    }

    /// The numbers of a page's rows, in its order: for a long one, of which slices are then read.
    public func messageRows(_ query: MessageQuery) throws -> [Int64] { try places(query).map(\.row) }

    /// The messages in these rows, in this order. What was deleted meanwhile is left out.
    public func messages(inRows rows: some Sequence<Int64>, of source: SourceID) throws -> [Message] {
        let uuid = try MessageRow.uuid(of: source, on: connection)
        let statement = try connection.prepare(composed: MessageRow.byNumber)
        return try rows.compactMap { row in
            try statement.reset().bind(row).bind(source.rawValue).first { MessageRow.read($0, uuid: uuid) }
        }
    }

    /// The message in this row, as a change names it; nil when it is not there, or the row is another message's by now.
    ///
    /// - Parameter uuid: of the source, as the caller has read it.
    public func message(_ id: String, inRow row: Int64, of source: SourceID, uuid: String) throws -> Message? {
        let statement = try messageByNumber?.reset() ?? connection.prepare(composed: MessageRow.byNumber)
        messageByNumber = statement
        let found = try statement.bind(row).bind(source.rawValue).first { MessageRow.read($0, uuid: uuid) }
        return found?.id == id ? found : nil
    }

    /// The messages at these places, in this order.
    func messages(at places: some Sequence<MessagePosition>, uuid: String) throws -> [Message] {
        let statement = try connection.prepare(composed: "SELECT \(MessageRow.columns) FROM messages WHERE id = ?")
        return try places.compactMap { place in
            try statement.reset().bind(place.row).first { MessageRow.read($0, uuid: uuid) }
        }
    }

    /// The rows of a page, but for the list of channels.
    private func rows<Row>(_ query: MessageQuery, _ columns: String, _ read: (Statement) -> Row) throws -> [Row] {
        guard let since = query.since.map({ max($0, -1) }) else {
            return try page(query, sql: { query.sql(columns, at: $0) }, since: nil, limit: query.limit, read)
        }
        func recent() throws -> [Row] {
            try page(query, sql: { query.sql(columns, at: $0) }, since: since, limit: query.limit, read)
        }
        func late(_ limit: Int) throws -> [Row] {
            limit <= 0
                ? [] : try page(query, sql: { query.lateSQL(columns, at: $0) }, since: since, limit: limit, read)
        }
        // What changed late is older than everything recent.
        switch query.order {
        case .newestFirst:
            let rows = try recent()
            return try rows + late(query.limit - rows.count)
        case .oldestFirst:
            return try Array((late(query.limit) + recent()).prefix(query.limit))
        }
    }

    /// Behind a place: first what came at the same moment, then the rest. SQLite walks an index for each; for both at once
    /// it would look at everything of that moment, which can be much when a clock was set.
    private func page<Row>(
        _ query: MessageQuery, sql: (MessageQuery.Moment?) -> String, since: Int64?, limit: Int,
        _ read: (Statement) -> Row
    ) throws -> [Row] {
        guard query.older ?? query.newer != nil else { return try page(query, sql(nil), nil, since, limit, read) }
        let rows = try page(query, sql(.same), .same, since, limit, read)
        return rows.count >= limit ? rows : try rows + page(query, sql(.other), .other, since, limit - rows.count, read)
    }

    private func page<Row>(
        _ query: MessageQuery, _ sql: String, _ moment: MessageQuery.Moment?, _ since: Int64?, _ limit: Int,
        _ read: (Statement) -> Row
    ) throws -> [Row] {
        let statement = try connection.prepare(composed: sql)
        statement.bind(query.source.rawValue)
        if let channel = query.channel, query.peer == nil { statement.bind(channel) }
        if let peer = query.peer { statement.bind(peer.rawValue) }
        if let from = query.from { statement.bind(from.rawValue) }
        if let to = query.to { statement.bind(to.rawValue) }
        if let before = query.before { statement.bind(before) }
        if let place = query.older ?? query.newer {
            statement.bind(place.createdAt)
            if moment == .same { statement.bind(place.row) }
        }
        if let since { statement.bind(since).bind(since).bind(since) }
        return try statement.bind(limit).rows(read)
    }

    /// The stored message of a packet, the newest when its id was used again.
    ///
    /// - Parameter from: nil for any sender.
    public func message(packetID: PacketID, from: NodeNumber?, in source: SourceID) throws -> Message? {
        try MessageRow.find(packetID: packetID, from: from, in: source, on: connection)?.message
    }

    /// The message with an id as clients have it: the row's, `<from number>_<packet id>`, or the bare packet id.
    public func message(id text: String, in source: SourceID) throws -> Message? {
        try MessageRow.find(id: text, in: source, on: connection)?.message
    }
}

extension MessageQuery {
    /// Deliveries that settled later than this after the message was created, in milliseconds, are in `messages_late`.
    /// The same number is in the schema.
    static let lateAfter = 600_000

    /// The other node of a direct message, in the words of the index `messages_direct`.
    static let peerColumn = "iif(is_own, to_node, from_node)"

    /// The same with what a direct conversation says of the other filters, so that their indexes lead to its messages
    /// only: who sends there is the other node, or the radio writes to it. Nil: nothing can match.
    var resolved: MessageQuery? {
        guard let peer else { return self }
        guard channel ?? -1 == -1 else { return nil }
        var query = self
        query.channel = -1
        if let from, from != peer {
            guard to ?? peer == peer else { return nil }
            query.to = peer
        } else if let to, to != peer {
            query.from = peer
        }
        return query
    }

    /// The index that the filters leave in order of `created_at`.
    var index: String {
        if peer != nil, from == nil, to == nil { return "messages_direct" }
        return switch (channel, from, to) {
        case (nil, nil, nil): "messages_all"
        case (.some, nil, nil): "messages_channel"
        case (nil, .some, nil): "messages_from"
        case (nil, nil, .some): "messages_to"
        case (.some, .some, nil): "messages_from_channel"
        case (nil, .some, .some): "messages_from_to"
        // A message is a direct one or goes to everybody on a channel: the narrower of the two says it all.
        case (.some, nil, .some(let to)): to.isBroadcast ? "messages_channel" : "messages_to"
        case (.some, .some, .some(let to)): to.isBroadcast ? "messages_from_channel" : "messages_from_to"
        }
    }

    /// When a row came: at the moment of the place behind which a page begins, or not.
    enum Moment { case same, other }

    func sql(_ columns: String = MessageRow.columns, at moment: Moment? = nil) -> String {
        let bounds =
            since == nil
            ? "" : " AND created_at > ? - \(Self.lateAfter) AND (created_at > ? OR updated_at > ?)"
        return select(columns, index, moment, bounds)
    }

    func lateSQL(_ columns: String = MessageRow.columns, at moment: Moment? = nil) -> String {
        select(
            columns, "messages_late", moment,
            " AND updated_at - created_at > \(Self.lateAfter) AND updated_at > ?"
                + " AND created_at <= ? - \(Self.lateAfter) AND created_at <= ?")
    }

    private func select(_ columns: String, _ index: String, _ moment: Moment?, _ bounds: String) -> String {
        var sql = "SELECT \(columns) FROM messages INDEXED BY \(index) WHERE source = ?"
        // The index of direct conversations has -1 in its own words.
        if peer != nil { sql += " AND channel = -1 AND \(Self.peerColumn) = ?" }
        if channel != nil, peer == nil { sql += " AND channel = ?" }
        if from != nil { sql += " AND from_node = ?" }
        if to != nil { sql += " AND to_node = ?" }
        if before != nil { sql += " AND created_at < ?" }
        if let moment {
            let sign = older != nil ? "<" : ">"
            sql += moment == .same ? " AND created_at = ? AND id \(sign) ?" : " AND created_at \(sign) ?"
        }
        let direction = order == .newestFirst ? "DESC" : "ASC"
        return sql + bounds + " ORDER BY created_at \(direction), id \(direction) LIMIT ?"
    }
}

extension UInt32 {
    /// Decimal digits and nothing else: `UInt32("+1")` is 1, an id is not.
    init?(decimal text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self.init(text, radix: 10)
    }
}
