import MeshModel

// Who has read what: one mark a token and conversation, up to which its messages are read. A conversation is a channel,
// or the direct messages with one node.
//
// 1. A mark is a place in the order of messages (``MessagePosition``), not a message: it stays where it is when that is
//    deleted. Reading moves it forward only, whatever comes late; marking as unread moves it back.
// 2. The mark on all direct messages counts for a node that has none of its own. Setting it lifts the others that are
//    further back. So a conversation can be unread again although all were read.

extension Schema {
    /// `node` is 0 for a channel, and for all direct messages at once; `up_to` is a message's `created_at`.
    static let readMarks = """
        CREATE TABLE read_marks (
            token INTEGER NOT NULL, source INTEGER NOT NULL, channel INTEGER NOT NULL, node INTEGER NOT NULL,
            up_to INTEGER NOT NULL, PRIMARY KEY (token, source, channel, node)
        ) STRICT, WITHOUT ROWID;
        """

    /// The row of the last message that is read, among those of one time: the largest number for all of them. A mark on
    /// one node's messages counted beside that on all of them, whichever was further.
    static let readMarkRows = """
        ALTER TABLE read_marks ADD COLUMN up_to_row INTEGER NOT NULL DEFAULT 9223372036854775807;
        UPDATE read_marks AS mark SET up_to = max(up_to, ifnull((SELECT up_to FROM read_marks
            WHERE token = mark.token AND source = mark.source AND channel = -1 AND node = 0), up_to))
            WHERE channel = -1 AND node <> 0;
        """
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
        try markRead(
            conversation, by: token, upToPlace: moment.map { MessagePosition(createdAt: $0, row: .max) }, in: source)
    }

    /// - Parameter place: of the last message that was read; nil: the newest. What comes behind the newest message is not
    ///   read already, whatever this says.
    public func markRead(
        _ conversation: Conversation, by token: Int64, upToPlace place: MessagePosition?, in source: SourceID
    ) throws {
        // A mark is always the place of a message, which is known when messages get other times.
        guard let place = try MessageRow.newest(of: conversation, upTo: place, in: source, on: connection) else {
            return
        }
        if try ReadMark.isBehind(place, conversation, by: token, in: source, on: connection) {
            try set(conversation, place, by: token, in: source)
        }
        guard conversation == .allDirect else { return }
        try connection.prepare(
            """
            UPDATE read_marks SET up_to = ?3, up_to_row = ?4
            WHERE token = ?1 AND source = ?2 AND channel = -1 AND (up_to, up_to_row) < (?3, ?4)
            """
        )
        .bind(token).bind(source.rawValue).bind(place.createdAt).bind(place.row).run()
        guard connection.changes > 0 else { return }
        markChanged(.readMarks)
        noteRead(conversation, by: token, in: source)
    }

    /// Marks a message as unread, and with it all that come behind it in its conversation.
    ///
    /// - Parameter place: of the message; nil: the newest that somebody else has written.
    public func markUnread(
        _ conversation: Conversation, by token: Int64, from place: MessagePosition?, in source: SourceID
    ) throws {
        guard
            let mark = try ReadMark.beforeUnread(conversation, by: token, from: place, in: source, on: connection)
        else { return }
        try set(conversation, mark, by: token, in: source)
    }

    private func set(
        _ conversation: Conversation, _ place: MessagePosition, by token: Int64, in source: SourceID
    ) throws {
        markChanged(.readMarks)
        try connection.prepare("INSERT OR REPLACE INTO read_marks VALUES (?, ?, ?, ?, ?, ?)")
            .bind(token).bind(source.rawValue).bind(conversation.channel).bind(conversation.node.rawValue)
            .bind(place.createdAt).bind(place.row).run()
        noteRead(conversation, by: token, in: source)
    }

    /// A token's mark in a conversation has moved, or it is muted or not.
    func noteRead(_ conversation: Conversation, by token: Int64, in source: SourceID) {
        let channel = conversation.channel < 0 ? nil : conversation.channel
        note(
            .read(conversation, by: token),
            of: .packed(conversation.node.rawValue, channel: channel, token: token), in: source)
    }

    /// Messages have got other times: marks go with them.
    ///
    /// - Parameter now: no message is from later.
    func moveReadMarks(to now: Int64? = nil) throws {
        try connection.prepare(
            """
            UPDATE read_marks SET up_to = min(ifnull((SELECT created_at FROM messages WHERE id = up_to_row), up_to), ?1)
            """
        )
        .bind(now ?? .max).run()
        if connection.changes > 0 { markChanged(.readMarks) }
    }

    /// What nobody can ask for any more: marks, what was muted or acknowledged, what was answered to sends, and registrations.
    func forgetRowsOfRevokedTokens() throws {
        for table in ["read_marks", "conversation_mutes", "accepted_sends", "feed_acks"] {
            try connection.prepare(
                composed:
                    "DELETE FROM \(table) WHERE token IN (SELECT id FROM tokens WHERE revoked_at IS NOT NULL)"
            )
            .run()
        }
        try removeRegistrationsOfRevokedTokens()
    }
}

enum ReadMark {
    /// What a sensor (port 10), an alarm (11) or a range test (66) sends is written by nobody, and waits for no reader.
    static let waits = "NOT is_own AND port NOT IN (10, 11, 66)"

    /// The mark that counts for a conversation; nil: nothing is read.
    static func of(
        _ conversation: Conversation, by token: Int64, in source: SourceID, on connection: DatabaseConnection
    ) throws -> MessagePosition? {
        // That of the node stands before that of all.
        try connection.prepare(
            """
            SELECT up_to, up_to_row FROM read_marks WHERE token = ? AND source = ? AND channel = ? AND node IN (?, 0)
            ORDER BY node DESC LIMIT 1
            """
        )
        .bind(token).bind(source.rawValue).bind(conversation.channel).bind(conversation.node.rawValue)
        .first { MessagePosition($0) }
    }

    /// Whether the mark that counts is further back than a place.
    fileprivate static func isBehind(
        _ place: MessagePosition, _ conversation: Conversation, by token: Int64, in source: SourceID,
        on connection: DatabaseConnection
    ) throws -> Bool {
        try of(conversation, by: token, in: source, on: connection).map { $0 < place } ?? true
    }

    /// The mark with which a message is unread; nil: there is none such, or it is unread already.
    ///
    /// - Parameter place: of the message; nil: the newest that somebody else has written.
    fileprivate static func beforeUnread(
        _ conversation: Conversation, by token: Int64, from place: MessagePosition?, in source: SourceID,
        on connection: DatabaseConnection
    ) throws -> MessagePosition? {
        guard let first = try place ?? newestToRead(conversation, in: source, on: connection) else { return nil }
        let mark = try MessageRow.newest(of: conversation, upTo: first.before, in: source, on: connection) ?? .beginning
        let isRead = try of(conversation, by: token, in: source, on: connection).map { mark < $0 } ?? false
        return isRead ? mark : nil
    }

    /// The newest message that can be unread. As far back as unread messages are counted.
    private static func newestToRead(
        _ conversation: Conversation, in source: SourceID, on connection: DatabaseConnection
    ) throws -> MessagePosition? {
        let statement = try connection.prepare(
            composed: """
                SELECT created_at, id FROM (
                    SELECT created_at, id, is_own, port FROM messages \(conversation.terms)
                    ORDER BY created_at DESC, id DESC LIMIT \(Reader.unreadLimit))
                WHERE \(waits) LIMIT 1
                """)
        return try statement.bind(source.rawValue).bind(conversation.key).first { MessagePosition($0) }
    }
}

extension Reader {
    /// Whether ``Writer/markRead(_:by:upToPlace:in:)`` would change anything.
    public func changes(
        _ conversation: Conversation, readUpTo place: MessagePosition?, by token: Int64, in source: SourceID
    ) throws -> Bool {
        guard let place = try MessageRow.newest(of: conversation, upTo: place, in: source, on: connection) else {
            return false
        }
        if try ReadMark.isBehind(place, conversation, by: token, in: source, on: connection) { return true }
        guard conversation == .allDirect else { return false }
        return try connection.prepare(
            """
            SELECT EXISTS (SELECT 1 FROM read_marks
                WHERE token = ?1 AND source = ?2 AND channel = -1 AND (up_to, up_to_row) < (?3, ?4))
            """
        )
        .bind(token).bind(source.rawValue).bind(place.createdAt).bind(place.row).first { $0.flag() } ?? false
    }

    /// The same up to a moment in host milliseconds, inclusive.
    public func changes(
        _ conversation: Conversation, readUpToMoment moment: Int64?, by token: Int64, in source: SourceID
    ) throws -> Bool {
        let place = moment.map { MessagePosition(createdAt: $0, row: .max) }
        return try changes(conversation, readUpTo: place, by: token, in: source)
    }

    /// Whether ``Writer/markUnread(_:by:from:in:)`` would change anything.
    public func changes(
        _ conversation: Conversation, unreadFrom place: MessagePosition?, by token: Int64, in source: SourceID
    ) throws -> Bool {
        try ReadMark.beforeUnread(conversation, by: token, from: place, in: source, on: connection) != nil
    }

    /// Counting looks at so many of the newest messages of a conversation, and in ``unread(by:channels:direct:in:)`` of
    /// all direct ones: who is further behind is told this.
    public static let unreadLimit = 1_000

    /// How many messages of one conversation a token has not read.
    ///
    /// - Parameters:
    ///   - token: ``Token/id``; 0 for users of this machine.
    ///   - limit: so many of its newest messages are looked at.
    public func unread(
        _ conversation: Conversation, by token: Int64, in source: SourceID, limit: Int = unreadLimit
    ) throws -> Int {
        let mark = try ReadMark.of(conversation, by: token, in: source, on: connection)
        let statement = try connection.prepare(
            composed: """
                SELECT count(*) FROM (
                    SELECT is_own, port FROM messages \(conversation.terms) AND (created_at, id) > (?3, ?4)
                    ORDER BY created_at DESC, id DESC LIMIT ?5)
                WHERE \(ReadMark.waits)
                """)
        statement.bind(source.rawValue).bind(conversation.key).bind(mark?.createdAt ?? -1).bind(mark?.row ?? -1)
            .bind(limit)
        return try statement.first { Int($0.integer()) } ?? 0
    }

    /// - Parameters:
    ///   - token: ``Token/id``; 0 for users of this machine.
    ///   - channels: those whose messages count.
    public func unread(
        by token: Int64, channels: some Sequence<Int>, direct: Bool, in source: SourceID
    ) throws -> UnreadCounts {
        var counts = UnreadCounts()
        for channel in channels {
            let count = try unread(.channel(channel), by: token, in: source)
            if count > 0 { counts.channels[channel] = count }
        }
        guard direct else { return counts }
        // Behind the oldest mark, if there is one on all of them: one node's can be further back.
        let rows = try connection.prepare(
            """
            SELECT from_node, count(*) FROM (
                SELECT from_node, created_at, id, is_own, port FROM messages INDEXED BY messages_channel
                WHERE source = ?1 AND channel = -1 AND created_at >= (
                    SELECT iif(ifnull(min(node), 1) = 0, min(up_to), -1) FROM read_marks
                    WHERE token = ?2 AND source = ?1 AND channel = -1)
                ORDER BY created_at DESC, id DESC LIMIT ?3) AS m
            LEFT JOIN read_marks AS his ON his.token = ?2 AND his.source = ?1 AND his.channel = -1
                AND his.node = m.from_node
            LEFT JOIN read_marks AS every ON every.token = ?2 AND every.source = ?1 AND every.channel = -1
                AND every.node = 0
            WHERE NOT is_own AND port NOT IN (10, 11, 66) AND (created_at, id) > (
                coalesce(his.up_to, every.up_to, -1), coalesce(his.up_to_row, every.up_to_row, -1))
            GROUP BY from_node
            """
        )
        .bind(source.rawValue).bind(token).bind(Self.unreadLimit)
        .rows { (node: NodeNumber($0.unsigned()), count: Int($0.integer())) }
        counts.direct = Dictionary(uniqueKeysWithValues: rows.map { ($0.node, $0.count) })
        return counts
    }
}
