import MeshModel

// Texts of conversations over brokers. Each is a row of `messages`, on channel 0 of its conversation's source, from
// node 0, with a random packet id. What messages of radios do not have is in `broker_texts`.
//
// 1. A text with an id is stored once, for as long as its row is kept. That also holds for own texts that come back, and
//    for the nonce of a sealed one.
// 2. A conversation keeps a number of rows, and all of them together a share of the database's size. The oldest texts
//    go, in slices.

/// What a text over a broker has besides its message.
public struct BrokerText: Hashable, Sendable {
    public var topic: String
    /// The name that its writer gives; the topic if there is none.
    public var writer: String
    /// The id that it came with, or was sent under; nil: it had none.
    public var id: String?
    /// The nonce that it was sealed with; nil: it is in clear.
    public var nonce: [UInt8]?

    public init(topic: String, writer: String, id: String? = nil, nonce: [UInt8]? = nil) {
        (self.topic, self.writer, self.id, self.nonce) = (topic, writer, id, nonce)
    }

    /// - Parameter row: of topic, writer, text_id and nonce.
    fileprivate init(_ row: Statement) {
        self.init(topic: row.text(), writer: row.text(), id: row.textOrNil(), nonce: row.bytesOrNil())
    }

    /// What a row takes besides its text.
    fileprivate var bytes: Int { topic.utf8.count + writer.utf8.count + Int(Self.rowBytes) }

    /// Rows that one conversation keeps.
    static let mostKept: Int64 = 20_000
    /// What a row takes besides its texts, in bytes.
    static let rowBytes: Int64 = 500
    /// All conversations together keep one part in so many of the database's size limit.
    private static let share: Int64 = 10
    /// The limit for them where the database has none.
    private static let usualSize = Retention().size!

    static func mostBytes(_ retention: Retention) -> Int64 { (retention.size ?? usualSize) / share }
}

/// An own text that the broker has not taken yet.
public struct WaitingText: Hashable, Sendable {
    /// The number of its message's row. They are in the order in which they were accepted.
    public let row: Int64
    public let source: SourceID
    public let packetID: PacketID
    public let topic: String
    public let writer: String
    public let text: String
    public let id: String
    /// Host milliseconds.
    public let acceptedAt: Int64
    /// Host milliseconds.
    public let expiresAt: Int64
    /// It may go to a broker of this house only.
    public let staysInHouse: Bool
    /// Nil: it goes out in clear.
    public let seal: TextSeal?
}

extension Writer {
    /// Stores a text that a broker has sent.
    ///
    /// - Parameter now: host milliseconds.
    /// - Returns: nil: a text with its id or its nonce is there already.
    @discardableResult
    public func insertReceived(_ text: String, _ about: BrokerText, in source: SourceID, at now: Int64) throws -> Int64?
    {
        if let id = about.id, try hasText(id, in: source) || isOwnText(id) { return nil }
        if let nonce = about.nonce, try hasText(nonce, in: source) { return nil }
        // It is news, whatever else the commit brings.
        return try change(as: .live) { try insert(text, about, delivery: nil, by: nil, in: source, at: now).row }
    }

    /// Stores an own text, and that it is to be sent.
    ///
    /// - Parameters:
    ///   - expiresAt: host milliseconds.
    ///   - staysInHouse: it may go to a broker of this house only.
    public func insertOwn(
        _ text: String, _ about: BrokerText, by sender: Sender?, in source: SourceID, at now: Int64, expiresAt: Int64,
        staysInHouse: Bool = false
    ) throws -> Message {
        let (row, message) = try insert(text, about, delivery: Delivery(), by: sender, in: source, at: now)
        markChanged(.outbox)
        try connection.prepare("INSERT INTO broker_outbox VALUES (?, ?, ?, ?)").bind(row).bind(source.rawValue)
            .bind(expiresAt).bind(staysInHouse).run()
        if try isSealed(source) { try drawNonces(in: source) }
        return message
    }

    /// Stores what was said on a channel as an own text, and that it is to be sent.
    ///
    /// - Parameters:
    ///   - now: host milliseconds.
    ///   - expiresAt: likewise.
    ///   - staysInHouse: its sender does not allow that it goes to a broker elsewhere.
    /// - Returns: false: a text with its id is there already.
    public func insertBridged(
        _ text: String, _ about: BrokerText, in source: SourceID, at now: Int64, expiresAt: Int64, staysInHouse: Bool
    ) throws -> Bool {
        // Two conversations may be bridged to one mesh, by two radios.
        if let id = about.id, try hasText(id, in: source) { return false }
        _ = try insertOwn(
            text, about, by: .bridge, in: source, at: now, expiresAt: expiresAt, staysInHouse: staysInHouse)
        return true
    }

    private func hasText(_ id: String, in source: SourceID) throws -> Bool {
        try connection.prepare("SELECT EXISTS (SELECT 1 FROM broker_texts WHERE source = ? AND text_id = ?)")
            .bind(source.rawValue).bind(id).first { $0.flag() } ?? false
    }

    private func hasText(_ nonce: [UInt8], in source: SourceID) throws -> Bool {
        try connection.prepare("SELECT EXISTS (SELECT 1 FROM broker_texts WHERE source = ? AND nonce = ?)")
            .bind(source.rawValue).bind(nonce).first { $0.flag() } ?? false
    }

    /// Whether an own text of any conversation went out under this id.
    private func isOwnText(_ id: String) throws -> Bool {
        try connection.prepare(
            """
            SELECT EXISTS (SELECT 1 FROM broker_conversations c
                CROSS JOIN broker_texts t ON t.source = c.source AND t.text_id = ?
                CROSS JOIN messages m ON m.id = t.message WHERE m.is_own)
            """
        )
        .bind(id).first { $0.flag() } ?? false
    }

    private func insert(
        _ text: String, _ about: BrokerText, delivery: Delivery?, by sender: Sender?, in source: SourceID, at now: Int64
    ) throws -> (row: Int64, message: Message) {
        let nobody = NodeNumber(0)
        var packetID = random()
        while try hasMessage(packetID: packetID, from: nobody, in: source) { packetID = random() }
        let time = try receiptTime(now, in: source)
        var message = Message(
            id: "", from: nobody, to: .broadcast, text: text, channel: 0, packetID: packetID, isOwn: delivery != nil,
            timestamp: now, delivery: delivery, createdAt: time, updatedAt: time)
        message.sender = sender
        try insertMessage(message, in: source)
        let row = connection.lastInsertedRow
        message.id = MessageRow.id(uuid: try uuid(of: source), from: nobody, packetID: packetID, occurrence: 0)
        try connection.prepare(
            "INSERT INTO broker_texts (message, source, topic, writer, text_id, nonce) VALUES (?, ?, ?, ?, ?, ?)"
        )
        .bind(row).bind(source.rawValue).bind(about.topic).bind(about.writer).bind(about.id).bind(about.nonce).run()
        try count(1, text.utf8.count + about.bytes, in: source)
        return (row, message)
    }

    /// Adds to what a conversation keeps, and begins to drop what is too much.
    private func count(_ rows: Int, _ bytes: Int, in source: SourceID) throws {
        try connection.prepare("UPDATE broker_conversations SET texts = texts + ?, bytes = bytes + ? WHERE source = ?")
            .bind(rows).bind(bytes).bind(source.rawValue).run()
        if rows > 0, try crowdedTexts() != nil { startPruning([.crowdedTexts]) }
    }

    /// The oldest texts of a conversation that keeps too many, or of all when they are too much together; nil: none.
    /// What waits for its broker stays.
    private func crowdedTexts() throws -> [Int64]? {
        let batch = AgingTable.messages.batch
        let crowded = try connection.prepare("SELECT source FROM broker_conversations WHERE texts > ? LIMIT 1")
            .bind(BrokerText.mostKept).first { $0.integer() }
        if let crowded {
            return try connection.prepare(
                composed:
                    "SELECT message FROM broker_texts WHERE source = ? AND \(Self.isDone) ORDER BY message LIMIT ?"
            )
            .bind(crowded).bind(batch).rows { $0.integer() }
        }
        let bytes = try connection.integer("SELECT sum(bytes) FROM broker_conversations") ?? 0
        guard bytes > BrokerText.mostBytes(retention) else { return nil }
        return try connection.prepare(
            composed: "SELECT message FROM broker_texts WHERE \(Self.isDone) ORDER BY message LIMIT ?"
        )
        .bind(batch).rows { $0.integer() }
    }

    private static let isDone = "message NOT IN (SELECT message FROM broker_outbox)"

    /// - Returns: how many went; 0: there are not too many.
    func forgetCrowdedTexts() throws -> Int {
        guard let rows = try crowdedTexts(), !rows.isEmpty else { return 0 }
        markChanged(.messages)
        return try removeMessages(rows)
    }

    /// Called when the row of a text is removed.
    func removeBrokerText(_ row: Int64, _ text: String, in source: SourceID) throws {
        let about = try connection.prepare("DELETE FROM broker_texts WHERE message = ? RETURNING topic, writer")
            .bind(row).first { BrokerText(topic: $0.text(), writer: $0.text()) }
        guard let about else { return }
        try connection.prepare("DELETE FROM broker_outbox WHERE message = ?").bind(row).run()
        try count(-1, -(text.utf8.count + about.bytes), in: source)
    }

    /// Called when somebody deletes a text. Only its id and its nonce stay, so that the text is known if it comes again.
    func blankBrokerText(_ row: Int64, _ text: String, in source: SourceID) throws {
        let about = try connection.prepare("SELECT topic, writer FROM broker_texts WHERE message = ?").bind(row)
            .first { BrokerText(topic: $0.text(), writer: $0.text()) }
        guard let about else { return }
        try connection.prepare("UPDATE broker_texts SET topic = '', writer = '' WHERE message = ?").bind(row).run()
        try connection.prepare("DELETE FROM broker_outbox WHERE message = ?").bind(row).run()
        try count(0, Int(BrokerText.rowBytes) - text.utf8.count - about.bytes, in: source)
    }

    /// Deletes a conversation's newest text as people do, because the newest row of `messages` cannot be removed.
    func blankNewestText(of source: SourceID) throws {
        let row = try connection.prepare(
            "SELECT message FROM broker_texts WHERE source = ? ORDER BY message DESC LIMIT 1"
        )
        .bind(source.rawValue).first { $0.integer() }
        guard let row else { return }
        if let message = try MessageRow.one(row, in: source, on: connection) {
            _ = try deleteMessage(id: message.id, in: source)
        }
        try connection.prepare("DELETE FROM broker_texts WHERE message = ?").bind(row).run()
    }
}

// MARK: what waits

extension Writer {
    /// How many texts of a conversation wait for their broker.
    public func waitingTexts(in source: SourceID) throws -> Int {
        try connection.prepare("SELECT count(*) FROM broker_outbox WHERE source = ?").bind(source.rawValue)
            .first { Int($0.integer()) } ?? 0
    }

    /// Stores what became of an own text, which no longer waits. A broker may answer for one that was given up meanwhile.
    ///
    /// - Parameters:
    ///   - now: host milliseconds.
    ///   - change: of its delivery.
    public func settle(_ text: WaitingText, at now: Int64, _ change: (inout Delivery) -> Void) throws {
        try connection.prepare("DELETE FROM broker_outbox WHERE message = ?").bind(text.row).run()
        let hasWaited = connection.changes > 0
        if hasWaited { markChanged(.outbox) }
        try updateMessage(packetID: text.packetID, in: text.source, at: now) { message in
            guard var delivery = message.delivery else { return }
            let wasGivenUp = delivery.cause == .expired || delivery.error == .pkiFailed
            guard hasWaited || wasGivenUp else { return }
            (delivery.cause, delivery.error) = (nil, nil)
            change(&delivery)
            message.delivery = delivery
        }
    }

    /// Gives up the texts that have waited for too long.
    ///
    /// - Parameter now: host milliseconds.
    public func expireTexts(at now: Int64) throws {
        for text in try WaitingTextRow.all(where: "o.expires_at <= \(now)", on: connection) {
            try settle(text, at: now) { delivery in
                delivery.state = .failed
                delivery.cause = .expired
            }
        }
    }

    /// Gives up all texts of a conversation that wait, because their key was forgotten.
    func giveUpTexts(in source: SourceID, at now: Int64) throws {
        for text in try WaitingTextRow.all(where: "o.source = ?", on: connection, { $0.bind(source.rawValue) }) {
            try settle(text, at: now) { ($0.state, $0.error) = (.failed, .pkiFailed) }
        }
    }
}

private enum WaitingTextRow {
    static func all(
        where condition: String, limit: Int = .max, on connection: DatabaseConnection,
        _ bind: (Statement) -> Statement = { $0 }
    ) throws -> [WaitingText] {
        let statement = try connection.prepare(
            composed: """
                SELECT o.message, o.source, m.packet_id, t.topic, t.writer, m.text, t.text_id, m.timestamp, o.expires_at,
                    o.stays_in_house, k.key, t.nonce
                FROM broker_outbox o CROSS JOIN messages m ON m.id = o.message CROSS JOIN broker_texts t ON t.message = o.message
                CROSS JOIN broker_conversations c ON c.source = o.source LEFT JOIN broker_keys k ON k.source = o.source
                WHERE \(condition) ORDER BY o.message LIMIT \(limit)
                """)
        return try bind(statement).rows { row in
            WaitingText(
                row: row.integer(), source: SourceID(rawValue: row.integer()), packetID: row.unsigned(),
                topic: row.text(), writer: row.text(), text: row.text(), id: row.text(), acceptedAt: row.integer(),
                expiresAt: row.integer(), staysInHouse: row.flag(),
                seal: row.bytesOrNil().map { TextSeal(key: ConversationKey($0)!, nonce: row.bytes()) })
        }
    }
}

extension Reader {
    /// Texts that wait for a broker, in the order in which they were accepted.
    ///
    /// - Parameter row: of the last one that is known.
    public func waitingTexts(for broker: String, after row: Int64, limit: Int) throws -> [WaitingText] {
        try WaitingTextRow.all(where: "c.broker = ? AND o.message > ?", limit: limit, on: connection) {
            $0.bind(broker).bind(row)
        }
    }

    /// Whether a text of the conversation was sealed with this nonce.
    public func hasText(nonce: [UInt8], in source: SourceID) throws -> Bool {
        try connection.prepare("SELECT EXISTS (SELECT 1 FROM broker_texts WHERE source = ? AND nonce = ?)")
            .bind(source.rawValue).bind(nonce).first { $0.flag() } ?? false
    }

    /// How many texts of each conversation wait for their broker.
    public func waitingTexts() throws -> [SourceID: Int] {
        let rows = try connection.prepare("SELECT source, count(*) FROM broker_outbox GROUP BY source")
            .rows { (SourceID(rawValue: $0.integer()), Int($0.integer())) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// When the next waiting text is given up, in host milliseconds; nil: none waits.
    public func nextExpiryOfTexts() throws -> Int64? {
        try connection.prepare(
            """
            SELECT min(o.expires_at) FROM broker_outbox o CROSS JOIN broker_conversations c ON c.source = o.source
            """
        )
        .first { $0.integerOrNil() } ?? nil
    }

    /// What a message is as a text over a broker, by the number of its row.
    public func brokerText(_ row: Int64) throws -> BrokerText? {
        try connection.prepare("SELECT topic, writer, text_id, nonce FROM broker_texts WHERE message = ?").bind(row)
            .first { BrokerText($0) }
    }

    /// The same of several messages of a conversation, by their packet ids.
    public func brokerTexts(of packetIDs: [PacketID], in source: SourceID) throws -> [PacketID: BrokerText] {
        let statement = try connection.prepare(
            """
            SELECT t.topic, t.writer, t.text_id, t.nonce FROM messages m INDEXED BY messages_packet
            CROSS JOIN broker_texts t ON t.message = m.id WHERE m.source = ? AND m.packet_id = ? AND m.from_node = 0
            """)
        var found: [PacketID: BrokerText] = [:]
        for packetID in packetIDs {
            found[packetID] = try statement.reset().bind(source.rawValue).bind(packetID)
                .first { BrokerText($0) }
        }
        return found
    }

    /// Own texts of a conversation that the broker took at a time or later, or has not taken yet, newest first.
    ///
    /// - Parameter time: host milliseconds.
    public func ownTexts(takenSince time: Int64, in source: SourceID, limit: Int) throws
        -> [(topic: String, text: String, takenAt: Int64?)]
    {
        try connection.prepare(
            """
            SELECT t.topic, m.text, m.acked_at FROM messages m INDEXED BY messages_all
            CROSS JOIN broker_texts t ON t.message = m.id
            WHERE m.source = ?1 AND m.is_own AND m.created_at >= ?2 - 86400000
                AND (m.acked_at >= ?2 OR EXISTS (SELECT 1 FROM broker_outbox WHERE message = m.id))
            ORDER BY m.created_at DESC, m.id DESC LIMIT ?3
            """
        )
        .bind(source.rawValue).bind(time).bind(limit).rows { ($0.text(), $0.text(), $0.integerOrNil()) }
    }

    /// When the broker took the newest own text of a conversation, in host milliseconds.
    public func newestTaken(in source: SourceID) throws -> Int64? {
        try connection.prepare(
            """
            SELECT max(acked_at) FROM (SELECT acked_at FROM messages INDEXED BY messages_all WHERE source = ? AND is_own
                ORDER BY created_at DESC, id DESC LIMIT 100)
            """
        )
        .bind(source.rawValue).first { $0.integerOrNil() } ?? nil
    }
}
