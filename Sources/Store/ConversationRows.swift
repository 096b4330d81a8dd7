import MeshModel

// Conversations have no table: they are what the indexes of messages begin with. So none can be out of date, and whatever
// happens to messages (a deletion, an import, a clock that is set) needs no second change. The list takes one step in an
// index for each conversation, however many messages there are.

extension Schema {
    /// An index in which the direct messages with one node stand together, sent and received, in the words of
    /// ``MessageQuery/peerColumn``, because the planner compares expressions; and one of who has reacted to what.
    static let conversations = """
        CREATE INDEX messages_direct ON messages (source, iif(is_own, to_node, from_node), created_at)
            WHERE channel = -1;
        CREATE INDEX messages_tapbacks ON messages (source, reply_id, created_at) WHERE is_tapback;
        """
}

/// A conversation, and where its newest message is.
public struct ConversationPlace: Hashable, Sendable {
    public var conversation: Conversation
    /// Nil: nobody has written there. What nodes were asked for (``RequestNote``) is nothing that was written.
    public var newest: MessagePosition?

    public init(conversation: Conversation, newest: MessagePosition?) {
        self.conversation = conversation
        self.newest = newest
    }
}

extension Reader {
    /// The conversations in which there is a message, newest first.
    ///
    /// - Parameters:
    ///   - channels: those that may be read; nil: all.
    ///   - direct: with direct messages.
    public func conversations(
        in source: SourceID, channels: [Int]?, direct: Bool = true
    ) throws -> [ConversationPlace] {
        var places = try places(Self.nextChannel, in: source) { .channel(Int($0)) }
        if let channels { places.removeAll { !channels.contains($0.conversation.channel) } }
        if direct {
            places += try self.places(Self.nextPeer, in: source) { .direct(NodeNumber(UInt32(truncatingIfNeeded: $0))) }
        }
        return places.sorted {
            ($1.newest ?? .beginning, $0.conversation.id) < ($0.newest ?? .beginning, $1.conversation.id)
        }
    }

    /// The newest message of the conversation before the last one, in the order of an index.
    static let nextPeer = """
        SELECT \(MessageQuery.peerColumn), created_at, id, \(RequestNote.terms) FROM messages INDEXED BY messages_direct
        WHERE source = ?1 AND channel = -1 AND \(MessageQuery.peerColumn) < ?2
        ORDER BY \(MessageQuery.peerColumn) DESC, created_at DESC, id DESC LIMIT 1
        """
    static let nextChannel = """
        SELECT channel, created_at, id, \(RequestNote.terms) FROM messages INDEXED BY messages_channel
        WHERE source = ?1 AND channel > -1 AND channel < ?2
        ORDER BY channel DESC, created_at DESC, id DESC LIMIT 1
        """

    private func places(
        _ sql: String, in source: SourceID, _ conversation: (Int64) -> Conversation
    ) throws -> [ConversationPlace] {
        let statement = try connection.prepare(composed: sql)
        var places: [ConversationPlace] = []
        var last = Int64.max
        while true {
            let found = try statement.reset().bind(source.rawValue).bind(last)
                .first { (key: $0.integer(), newest: MessagePosition($0), isRequest: $0.flag()) }
            guard let found else { return places }
            last = found.key
            let one = conversation(found.key)
            places.append(
                ConversationPlace(
                    conversation: one, newest: try found.isRequest ? newestSaid(in: one, of: source) : found.newest))
        }
    }

    /// Where the newest message of a conversation is; nil: there is none.
    public func newest(of conversation: Conversation, in source: SourceID) throws -> MessagePosition? {
        try MessageRow.newest(of: conversation, in: source, on: connection)
    }

    /// The same of what somebody has said: not of what a node was asked for.
    public func newestSaid(in conversation: Conversation, of source: SourceID) throws -> MessagePosition? {
        let statement = try connection.prepare(
            composed: """
                SELECT created_at, id FROM messages \(conversation.terms) AND NOT \(RequestNote.terms)
                ORDER BY created_at DESC, id DESC LIMIT 1
                """)
        return try statement.bind(source.rawValue).bind(conversation.key).first { MessagePosition($0) }
    }

    /// The message at a place; nil: it is gone.
    public func message(at place: MessagePosition, in source: SourceID) throws -> Message? {
        try MessageRow.one(place.row, in: source, on: connection)
    }

    /// Where a message is.
    ///
    /// - Parameter id: as ``message(id:in:)``.
    /// - Returns: nil: it is gone, or there never was one.
    public func place(ofMessage id: String, in source: SourceID) throws -> (place: MessagePosition, message: Message)? {
        try MessageRow.find(id: id, in: source, on: connection)
            .map { (MessagePosition(createdAt: $0.message.createdAt, row: $0.row), $0.message) }
    }

    /// Reactions to a message, oldest first, those to each packet under which it went out.
    ///
    /// - Parameter packets: all of these packet ids.
    public func reactions(to packets: [PacketID], of conversation: Conversation, in source: SourceID, limit: Int)
        throws -> [Message]
    {
        let uuid = try MessageRow.uuid(of: source, on: connection)
        let found = try packets.flatMap { packet in
            try connection.prepare(
                composed: """
                    SELECT \(MessageRow.columns) FROM messages INDEXED BY messages_tapbacks
                    WHERE source = ? AND reply_id = ? AND is_tapback ORDER BY created_at, id LIMIT ?
                    """
            )
            .bind(source.rawValue).bind(packet).bind(limit).rows { MessageRow.read($0, uuid: uuid) }
        }
        // What is said elsewhere is no answer to it, whatever it claims.
        return Array(
            found.filter { Conversation(of: $0) == conversation }.sorted { $0.createdAt < $1.createdAt }.prefix(limit))
    }
}

/// What stands in the chat with a node that was asked for something (Contract 3.12): messages that nobody has written.
public enum RequestNote {
    public static let position = "Position exchange requested"
    public static let positionToAll = "Position broadcast sent"
    public static let nodeInfo = "User info exchange requested"

    private static let all = [position, positionToAll, nodeInfo]
    /// An SQL condition on a message: it is one of these.
    fileprivate static let terms =
        "(is_own AND delivery IS NULL AND text IN (" + all.map { "'\($0)'" }.joined(separator: ", ") + "))"
}

extension MessageRow {
    /// Where the newest message of a conversation is; nil: there is none.
    ///
    /// - Parameter last: inclusive; what stands behind it is not looked at.
    static func newest(
        of conversation: Conversation, upTo last: MessagePosition? = nil, in source: SourceID,
        on connection: DatabaseConnection
    ) throws -> MessagePosition? {
        let statement = try connection.prepare(
            composed: """
                SELECT created_at, id FROM messages \(conversation.terms) AND (created_at, id) <= (?3, ?4)
                ORDER BY created_at DESC, id DESC LIMIT 1
                """)
        statement.bind(source.rawValue).bind(conversation.key).bind(last?.createdAt ?? .max).bind(last?.row ?? .max)
        return try statement.first { MessagePosition($0) }
    }
}

extension Conversation {
    /// The index and the conditions by which its messages are found. The source is the first value, ``key`` the second.
    var terms: String {
        switch self {
        case .channel: "INDEXED BY messages_channel WHERE source = ?1 AND channel = ?2"
        case .direct:
            "INDEXED BY messages_direct WHERE source = ?1 AND channel = -1 AND \(MessageQuery.peerColumn) = ?2"
        case .allDirect: "INDEXED BY messages_channel WHERE source = ?1 AND channel = -1"
        }
    }

    var key: Int64? {
        switch self {
        case .channel(let index): Int64(index)
        case .direct(let node): Int64(node.rawValue)
        case .allDirect: nil
        }
    }
}
