import MeshModel

// What a send with an id of its client's was answered. A client that got no answer asks again under the same id: it gets the
// answer of the first time, and nothing goes out twice.
//
// The answer is a row in the transaction of its message, and stays for a day, whatever becomes of the message. Only what
// was accepted is kept: a refusal may be another one the next time.

extension Schema {
    /// `digest` is SHA-256 of what was asked for; `at` in host milliseconds.
    static let acceptedSends = """
        CREATE TABLE accepted_sends (
            id INTEGER PRIMARY KEY, token INTEGER NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL,
            digest BLOB NOT NULL, status INTEGER NOT NULL, answer BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX accepted_sends_key ON accepted_sends (token, key);
        """
}

/// The answer to a send that was accepted.
public struct AcceptedSend: Hashable, Sendable {
    /// SHA-256 of what was asked for, 32 bytes.
    public var digest: [UInt8]
    public var status: Int
    /// Its body.
    public var answer: [UInt8]

    /// Milliseconds for which it is kept.
    public static let lifetime: Int64 = 86_400_000
    /// Of each token the newest are kept, at most so many.
    public static let limit = 1_000

    public init(digest: [UInt8], status: Int, answer: [UInt8]) {
        (self.digest, self.status, self.answer) = (digest, status, answer)
    }
}

extension Writer {
    /// - Parameters:
    ///   - key: the client's id of the send.
    ///   - token: ``Token/id``; 0 for users of this machine.
    ///   - now: host milliseconds.
    /// - Returns: nil: it is the first one under this id, as far as is known.
    public func acceptedSend(_ key: String, by token: Int64, at now: Int64) throws -> AcceptedSend? {
        try connection.prepare(
            "SELECT digest, status, answer FROM accepted_sends WHERE token = ? AND key = ? AND at > ?"
        )
        .bind(token).bind(key).bind(now - AcceptedSend.lifetime)
        .first { AcceptedSend(digest: $0.bytes(), status: Int($0.integer()), answer: $0.bytes()) }
    }

    /// Keeps the answer for who asks again. The oldest ones of the token make room.
    public func insert(_ send: AcceptedSend, under key: String, by token: Int64, at now: Int64) throws {
        try connection.prepare(
            """
            DELETE FROM accepted_sends WHERE token = ?1 AND (key = ?2 OR id IN (
                SELECT id FROM accepted_sends WHERE token = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?3))
            """
        )
        .bind(token).bind(key).bind(AcceptedSend.limit - 1).run()
        try connection.prepare(
            "INSERT INTO accepted_sends (token, key, at, digest, status, answer) VALUES (?, ?, ?, ?, ?, ?)"
        )
        .bind(token).bind(key).bind(now).bind(send.digest).bind(send.status).bind(send.answer).run()
    }
}
