import MeshModel

// Who has read what: one mark a token and conversation, up to which its messages are read. A conversation is a channel,
// or the direct messages with one node. Marks only move forward.

extension Schema {
    /// `node` is 0 for a channel, and for all direct messages at once; `up_to` is a message's `created_at`.
    static let readMarks = """
        CREATE TABLE read_marks (
            token INTEGER NOT NULL, source INTEGER NOT NULL, channel INTEGER NOT NULL, node INTEGER NOT NULL,
            up_to INTEGER NOT NULL, PRIMARY KEY (token, source, channel, node)
        ) STRICT, WITHOUT ROWID;
        """
}

public enum Conversation: Hashable, Sendable {
    /// 0 to 7.
    case channel(Int)
    case direct(NodeNumber)
    case allDirect

    fileprivate var channel: Int { if case .channel(let index) = self { index } else { -1 } }
    fileprivate var node: NodeNumber { if case .direct(let number) = self { number } else { NodeNumber(0) } }

    /// As its row names it.
    init(channel: Int, node: NodeNumber) {
        if channel >= 0 { self = .channel(channel) } else { self = node.rawValue == 0 ? .allDirect : .direct(node) }
    }

    /// Where a message belongs for the owner of the radio.
    public init(of message: Message) {
        if message.channel >= 0 {
            self = .channel(message.channel)
        } else {
            self = .direct(message.isOwn ? message.to : message.from)
        }
    }
}

/// How many messages a token has not read.
public struct UnreadCounts: Hashable, Sendable {
    /// By channel index. Channels without any are left out.
    public var channels: [Int: Int] = [:]
    public var direct: [NodeNumber: Int] = [:]
}

extension Writer {
    /// Marks a conversation as read up to its newest message, or up to a moment.
    ///
    /// - Parameters:
    ///   - token: ``Token/id``; 0 for users of this machine.
    ///   - moment: host milliseconds, inclusive.
    public func markRead(
        _ conversation: Conversation, by token: Int64, upTo moment: Int64? = nil, in source: SourceID
    ) throws {
        let newest =
            try connection.prepare(
                "SELECT max(created_at) FROM messages INDEXED BY messages_channel WHERE source = ? AND channel = ?"
            )
            .bind(source.rawValue).bind(conversation.channel).first { $0.integerOrNil() } ?? nil
        guard let newest else { return }
        if case .direct(let node) = conversation, try self.node(node, in: source) == nil { return }
        markChanged(.readMarks)
        try connection.prepare(
            """
            INSERT INTO read_marks VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET up_to = max(up_to, excluded.up_to)
            """
        )
        .bind(token).bind(source.rawValue).bind(conversation.channel).bind(conversation.node.rawValue)
        .bind(min(moment ?? newest, newest)).run()
        noteRead(conversation, by: token, in: source)
    }

    /// The mark of a token has moved.
    func noteRead(_ conversation: Conversation, by token: Int64, in source: SourceID) {
        let channel = conversation.channel < 0 ? nil : conversation.channel
        note(
            .read(conversation, by: token),
            of: .packed(conversation.node.rawValue, channel: channel, token: token), in: source)
    }

    /// What nobody can ask for any more.
    func forgetReadMarksOfRevokedTokens() throws {
        try connection.prepare(
            "DELETE FROM read_marks WHERE token IN (SELECT id FROM tokens WHERE revoked_at IS NOT NULL)"
        )
        .run()
    }
}

extension Reader {
    // What a sensor (port 10), an alarm (11) or a range test (66) sends is written by nobody, and waits for no reader.

    /// Counting looks at so many of the newest messages of a channel, and of all direct ones: who is further behind is
    /// told this.
    public static let unreadLimit = 1_000

    /// - Parameters:
    ///   - token: ``Token/id``; 0 for users of this machine.
    ///   - channels: those whose messages count.
    public func unread(
        by token: Int64, channels: some Sequence<Int>, direct: Bool, in source: SourceID
    ) throws -> UnreadCounts {
        var counts = UnreadCounts()
        for channel in channels {
            let count =
                try connection.prepare(
                    """
                    SELECT count(*) FROM (
                        SELECT is_own, port FROM messages INDEXED BY messages_channel WHERE source = ?1 AND channel = ?2
                            AND created_at > ifnull((SELECT up_to FROM read_marks
                                WHERE token = ?3 AND source = ?1 AND channel = ?2 AND node = 0), -1)
                        ORDER BY created_at DESC LIMIT ?4)
                    WHERE NOT is_own AND port NOT IN (10, 11, 66)
                    """
                )
                .bind(source.rawValue).bind(channel).bind(token).bind(Self.unreadLimit).first { $0.integer() } ?? 0
            if count > 0 { counts.channels[channel] = Int(count) }
        }
        guard direct else { return counts }
        let rows = try connection.prepare(
            """
            SELECT from_node, count(*) FROM (
                SELECT from_node, created_at, is_own, port FROM messages INDEXED BY messages_channel
                WHERE source = ?1 AND channel = -1
                    AND created_at > ifnull((SELECT up_to FROM read_marks
                        WHERE token = ?2 AND source = ?1 AND channel = -1 AND node = 0), -1)
                ORDER BY created_at DESC LIMIT ?3) AS m
            WHERE NOT is_own AND port NOT IN (10, 11, 66) AND created_at > ifnull((SELECT up_to FROM read_marks
                WHERE token = ?2 AND source = ?1 AND channel = -1 AND node = m.from_node), -1)
            GROUP BY from_node
            """
        )
        .bind(source.rawValue).bind(token).bind(Self.unreadLimit)
        .rows { (node: NodeNumber($0.unsigned()), count: Int($0.integer())) }
        counts.direct = Dictionary(uniqueKeysWithValues: rows.map { ($0.node, $0.count) })
        return counts
    }
}
