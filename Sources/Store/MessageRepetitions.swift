import MeshModel

// Whether a text that comes in is one that we have.
//
// The mesh repeats itself: after a reconnect, through a store-and-forward server days later, as the echo of an MQTT
// broker. Sender and packet id tell, but ids are used again: they are random numbers of 32 bits, which a sender keeps apart
// for minutes only. What comes under the sender and id of a message that we have is
//
//                           | the same text             | another text
//   from the air            | the same for a week       | the same for an hour: within that no firmware passes
//                           |                           | two packets with one id, so that the later one is forged
//   from a server's memory  | the same, however old     | the same for an hour
//   and that one is our own | its echo, however old     | its echo: ids that we issued nobody else may use
//   and that one is deleted | the same: it must not come back
//
// A forged packet can be the first to arrive. It does not keep a signed or encrypted one away, which nobody can forge.

/// A message that has a row already, or had one that was deleted.
struct KnownMessage {
    /// Milliseconds: how long a sender may not use a packet id for another text.
    static let packetIDLifetime: Int64 = 3_600_000
    /// Milliseconds: how long the same text under the same id is the same packet. Brokers hand on what they have kept
    /// for a client that was away; that a sender draws the number again for the same words is far less likely.
    static let repetitionTime: Int64 = 7 * 86_400_000

    let isDeleted: Bool
    let isOwn: Bool
    let isAuthenticated: Bool
    let text: String
    let createdAt: Int64
    /// 0 for the first row of a packet id, then 2, 3 …
    let occurrence: Int64

    /// Those of the message's packet id, also as that of a later attempt.
    static func all(like message: Message, in source: SourceID, on connection: DatabaseConnection) throws
        -> [KnownMessage]
    {
        // Each branch is a look-up in an index; IN would make a table of its own with every text.
        try connection.prepare(
            """
            SELECT 0, is_own, pki_encrypted OR ifnull(xeddsa_signed, 0), text, created_at, occurrence
            FROM messages WHERE source = ?1 AND packet_id = ?2 AND from_node = ?3
            UNION ALL
            SELECT 1, is_own, pki_encrypted OR ifnull(xeddsa_signed, 0), text, created_at, occurrence
            FROM messages WHERE source = -?1 AND packet_id = ?2 AND from_node = ?3
            UNION ALL
            SELECT m.source < 0, is_own, 1, text, created_at, occurrence
            FROM attempts a JOIN messages m ON m.id = a.message
            WHERE a.source = ?1 AND a.packet_id = ?2 AND m.from_node = ?3
            """
        )
        .bind(source.rawValue).bind(message.packetID).bind(message.from.rawValue)
        .rows { row in
            KnownMessage(
                isDeleted: row.flag(), isOwn: row.flag(), isAuthenticated: row.flag(), text: row.text(),
                createdAt: row.integer(), occurrence: row.integer())
        }
    }

    func isRepeated(by message: Message) -> Bool {
        if isOwn || isDeleted { return true }
        // The host's clock can have been set back since.
        let age = abs(message.createdAt - createdAt)
        if text == message.storedText { return message.viaStoreForward || age < Self.repetitionTime }
        return age < Self.packetIDLifetime && (isAuthenticated || !message.isAuthenticated)
    }
}

extension Message {
    /// Nobody but its sender can have made it.
    fileprivate var isAuthenticated: Bool { pkiEncrypted || xeddsaSigned == true }
}
