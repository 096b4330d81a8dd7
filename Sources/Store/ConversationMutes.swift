import MeshModel

// Who wants to hear nothing of a conversation: the token's own, and gone with it. A time that has passed is no longer a
// mute; its row stays until the next change, because reading writes nothing.

extension Schema {
    /// `node` as in `read_marks`; `muted_until` in host milliseconds, null: for good.
    static let conversationMutes = """
        CREATE TABLE conversation_mutes (
            token INTEGER NOT NULL, source INTEGER NOT NULL, channel INTEGER NOT NULL, node INTEGER NOT NULL,
            muted_until INTEGER, PRIMARY KEY (token, source, channel, node)
        ) STRICT, WITHOUT ROWID;
        """
}

public enum Mute: Hashable, Sendable {
    case forGood
    /// Host milliseconds, exclusive.
    case until(Int64)

    /// Host milliseconds; nil: it has none.
    public var end: Int64? { if case .until(let end) = self { end } else { nil } }

    public func holds(at now: Int64) -> Bool {
        switch self {
        case .forGood: true
        case .until(let end): now < end
        }
    }
}

extension Writer {
    /// - Parameters:
    ///   - mute: nil: the conversation is heard again.
    ///   - token: ``Token/id``; 0 for users of this machine.
    public func mute(_ conversation: Conversation, _ mute: Mute?, by token: Int64, in source: SourceID) throws {
        markChanged(.readMarks)
        noteRead(conversation, by: token, in: source)
        guard let mute else {
            try connection.prepare(
                "DELETE FROM conversation_mutes WHERE token = ? AND source = ? AND channel = ? AND node = ?"
            )
            .bind(token).bind(source.rawValue).bind(conversation.channel).bind(conversation.node.rawValue).run()
            return
        }
        try connection.prepare("INSERT OR REPLACE INTO conversation_mutes VALUES (?, ?, ?, ?, ?)")
            .bind(token).bind(source.rawValue).bind(conversation.channel).bind(conversation.node.rawValue)
            .bind(mute.end).run()
    }
}

extension Reader {
    /// Whether ``Writer/mute(_:_:by:in:)`` would change anything.
    public func changes(
        _ conversation: Conversation, mutedAs mute: Mute?, by token: Int64, in source: SourceID
    ) throws -> Bool { try mutes(by: token, in: source)[conversation] != mute }

    /// What a token has muted, also for a time that has passed.
    public func mutes(by token: Int64, in source: SourceID) throws -> [Conversation: Mute] {
        let rows = try connection.prepare(
            "SELECT channel, node, muted_until FROM conversation_mutes WHERE token = ? AND source = ?"
        )
        .bind(token).bind(source.rawValue).rows { row in
            let conversation = Conversation(channel: Int(row.integer()), node: NodeNumber(row.unsigned()))
            return (conversation, row.integerOrNil().map { Mute.until($0) } ?? .forGood)
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }
}
