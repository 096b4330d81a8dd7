import MeshModel

// Keys of sealed conversations over brokers. They have a table of their own, so that nobody who reads conversations has
// one at hand by mistake: a row of `broker_conversations` has the id of its key alone.
//
// A text goes out under one nonce, however often it is published, so that who gets it twice knows it. The nonce is drawn
// when the text is accepted, or when its conversation gets a key while it waits.

extension Schema {
    /// `broker_texts.nonce`: what a sealed text came with, or goes out with; NULL: it is in clear.
    static let conversationKeys = """
        CREATE TABLE broker_keys (
            source INTEGER PRIMARY KEY, key BLOB NOT NULL CHECK (length(key) = 32)
        ) STRICT;
        ALTER TABLE broker_conversations ADD COLUMN key_id TEXT;
        ALTER TABLE broker_texts ADD COLUMN nonce BLOB;
        CREATE UNIQUE INDEX broker_texts_nonce ON broker_texts (source, nonce) WHERE nonce IS NOT NULL;
        """
}

/// What a text that waits is sealed with.
public struct TextSeal: Hashable, Sendable {
    public let key: ConversationKey
    /// 16 bytes.
    public let nonce: [UInt8]
}

extension Reader {
    /// Nil: the conversation is not sealed.
    public func conversationKey(of source: SourceID) throws -> ConversationKey? {
        try connection.prepare("SELECT key FROM broker_keys WHERE source = ?").bind(source.rawValue)
            .first { ConversationKey($0.bytes()) } ?? nil
    }

    /// Keys of the conversations of a broker.
    public func conversationKeys(at broker: String) throws -> [SourceID: ConversationKey] {
        let rows = try connection.prepare(
            """
            SELECT k.source, k.key FROM broker_keys k CROSS JOIN broker_conversations c ON c.source = k.source
            WHERE c.broker = ?
            """
        )
        .bind(broker).rows { (SourceID(rawValue: $0.integer()), ConversationKey($0.bytes())!) }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension Writer {
    /// Gives a conversation its key. It must have none. What waits goes out sealed, too.
    public func seal(_ source: SourceID, with key: ConversationKey) throws {
        markChanged(.sources)
        try connection.prepare("INSERT INTO broker_keys VALUES (?, ?)").bind(source.rawValue).bind(key.bytes).run()
        try setKeyID(key.id, of: source)
        try drawNonces(in: source)
    }

    /// Forgets the key of a conversation. What waits for its broker was to go out sealed, and is given up.
    ///
    /// - Parameter now: host milliseconds.
    public func forgetKey(of source: SourceID, at now: Int64) throws {
        markChanged(.sources)
        try removeKey(of: source)
        try setKeyID(nil, of: source)
        try giveUpTexts(in: source, at: now)
    }

    func removeKey(of source: SourceID) throws {
        try connection.prepare("DELETE FROM broker_keys WHERE source = ?").bind(source.rawValue).run()
    }

    private func setKeyID(_ id: String?, of source: SourceID) throws {
        try connection.prepare("UPDATE broker_conversations SET key_id = ? WHERE source = ?").bind(id)
            .bind(source.rawValue).run()
    }

    func isSealed(_ source: SourceID) throws -> Bool {
        try connection.prepare("SELECT EXISTS (SELECT 1 FROM broker_keys WHERE source = ?)").bind(source.rawValue)
            .first { $0.flag() } ?? false
    }

    /// For what waits in a sealed conversation and has none yet.
    func drawNonces(in source: SourceID) throws {
        try connection.prepare(
            """
            UPDATE broker_texts SET nonce = randomblob(16)
            WHERE nonce IS NULL AND message IN (SELECT message FROM broker_outbox WHERE source = ?)
            """
        )
        .bind(source.rawValue).run()
    }
}
