import MeshModel

// Conversations over brokers. The texts of each are rows of `messages` (BrokerTextRows), of a source that is no radio.
// So paging, marks, mutes, search and retention work for them, too. `sources()` gives radios alone: only code that asks
// for these sources meets them.

extension Schema {
    /// - `broker_conversations`: `texts` and `bytes` count what it keeps, deleted texts included; a row counts 500
    ///   bytes.
    /// - `broker_texts`: what messages of radios do not have. `text_id` is the id that a text came with, or was sent
    ///   under.
    /// - `broker_outbox`: own texts that the broker has not taken yet.
    /// - `broker_subscriptions`: filters that the session at a broker may have subscribed to, so that they can be
    ///   unsubscribed from after a restart. `id` is the subscription identifier, which messages carry.
    static let brokerConversations = """
        CREATE TABLE broker_conversations (
            source INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL, broker TEXT NOT NULL,
            filters TEXT NOT NULL, topic TEXT, qos INTEGER NOT NULL, is_json INTEGER NOT NULL, writer TEXT NOT NULL,
            texts INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE broker_texts (
            message INTEGER PRIMARY KEY, source INTEGER NOT NULL, topic TEXT NOT NULL, writer TEXT NOT NULL, text_id TEXT
        ) STRICT;
        CREATE INDEX broker_texts_source ON broker_texts (source, message);
        CREATE UNIQUE INDEX broker_texts_id ON broker_texts (source, text_id) WHERE text_id IS NOT NULL;
        CREATE TABLE broker_outbox (
            message INTEGER PRIMARY KEY, source INTEGER NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX broker_outbox_source ON broker_outbox (source);
        CREATE TABLE broker_subscriptions (
            id INTEGER PRIMARY KEY, broker TEXT NOT NULL, filter TEXT NOT NULL, UNIQUE (broker, filter)
        ) STRICT;
        """
}

extension Schema {
    /// A condition on a row of `sources`: it is a radio.
    static let isRadio = "(device_id IS NULL OR device_id NOT GLOB '\(BrokerConversation.idPrefix)*')"
}

/// A conversation with its source.
public struct FoundConversation: Hashable, Sendable {
    public let source: SourceID
    public var conversation: BrokerConversation
    /// The source of the radio to whose channel it is bridged; nil: it is not.
    public var radio: SourceID?
    /// The newest change when its bridge was set: what was said before does not pass.
    public var bridgedSince: Int64 = 0
}

enum BrokerConversationRow {
    /// By name.
    static func all(on connection: DatabaseConnection) throws -> [FoundConversation] {
        try connection.prepare(
            """
            SELECT c.source, c.name, c.title, c.broker, c.filters, c.topic, c.qos, c.is_json, c.writer, c.key_id, c.channels,
                b.source, b.since, s.uuid, b.channel, b.up, b.down, b.texts_per_hour, b.stop
            FROM broker_conversations c LEFT JOIN broker_bridges b ON b.conversation = c.source
            LEFT JOIN sources s ON s.id = b.source ORDER BY c.name
            """
        )
        .rows { row in
            let source = SourceID(rawValue: row.integer())
            var conversation = BrokerConversation(row.text(), title: row.text(), broker: row.text(), filters: [])
            // No filter has a line feed.
            conversation.filters = row.text().split(separator: "\n").map { TopicFilter(String($0)) }
            conversation.givenTopic = row.textOrNil()
            conversation.qos = Int(row.integer())
            conversation.isJSON = row.flag()
            conversation.writer = row.text()
            conversation.keyID = row.textOrNil()
            conversation.channels = Set(bits: row.integer())
            let radio = row.integerOrNil().map { SourceID(rawValue: $0) }
            let since = row.integerOrNil() ?? 0
            conversation.bridge = radio == nil ? nil : bridge(row)
            return FoundConversation(source: source, conversation: conversation, radio: radio, bridgedSince: since)
        }
    }

    private static func bridge(_ row: Statement) -> ConversationBridge {
        let uuid = row.text()
        var bridge = ConversationBridge(channel: Int(row.integer()), of: uuid)
        (bridge.goesUp, bridge.goesDown) = (row.flag(), row.flag())
        bridge.textsPerHour = Int(row.integer())
        bridge.stop = row.textOrNil()
        return bridge
    }

    static func named(_ name: String, on connection: DatabaseConnection) throws -> FoundConversation? {
        try all(on: connection).first { $0.conversation.name == name }
    }
}

extension Reader {
    /// All conversations over brokers, by name.
    public func brokerConversations() throws -> [FoundConversation] { try BrokerConversationRow.all(on: connection) }

    public func brokerConversation(_ name: String) throws -> FoundConversation? {
        try BrokerConversationRow.named(name, on: connection)
    }

    /// What the session at a broker may have subscribed to, with the subscription identifiers.
    public func brokerSubscriptions(at broker: String) throws -> [TopicFilter: UInt32] {
        let rows = try connection.prepare("SELECT filter, id FROM broker_subscriptions WHERE broker = ?").bind(broker)
            .rows { (TopicFilter($0.text()), $0.unsigned()) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Brokers at which there may be a session of ours.
    public func brokersWithSessions() throws -> [String] {
        try connection.prepare("SELECT DISTINCT broker FROM broker_subscriptions ORDER BY broker").rows { $0.text() }
    }
}

extension Writer {
    public func brokerConversations() throws -> [FoundConversation] { try BrokerConversationRow.all(on: connection) }

    public func brokerConversation(_ name: String) throws -> FoundConversation? {
        try BrokerConversationRow.named(name, on: connection)
    }

    /// Stores a new conversation, which has no key yet. There must be none of its name.
    ///
    /// - Parameters:
    ///   - uuid: of its source.
    ///   - now: host milliseconds.
    public func insert(_ conversation: BrokerConversation, uuid: String, at now: Int64) throws -> SourceID {
        var source = Source(uuid: uuid, name: conversation.title, isEnabled: false, createdAt: now)
        source.deviceID = Source.identity(ofConversation: conversation.name)
        let id = try insert(source)
        try connection.prepare(
            """
            INSERT INTO broker_conversations (source, name, title, broker, filters, topic, qos, is_json, writer)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .bind(id.rawValue).bind(conversation.name).bind(conversation.title).bind(conversation.broker)
        .bind(conversation.filters.map(\.text).joined(separator: "\n")).bind(conversation.givenTopic).bind(
            conversation.qos
        )
        .bind(conversation.isJSON).bind(conversation.writer).run()
        return id
    }

    /// Stores everything but the name, the key and the bridge (``setBridge(_:of:)``).
    public func update(_ source: SourceID, to conversation: BrokerConversation) throws {
        markChanged(.sources)
        try connection.prepare(
            """
            UPDATE broker_conversations SET title = ?, broker = ?, filters = ?, topic = ?, qos = ?, is_json = ?, writer = ?
            WHERE source = ?
            """
        )
        .bind(conversation.title).bind(conversation.broker).bind(
            conversation.filters.map(\.text).joined(separator: "\n")
        )
        .bind(conversation.givenTopic).bind(conversation.qos).bind(conversation.isJSON).bind(conversation.writer)
        .bind(source.rawValue).run()
        try update(source) { $0.name = conversation.title }
    }

    /// Removes a conversation. Its name is free at once, and nothing that waits is sent any more. Its texts go in
    /// slices (Pruning).
    public func removeBrokerConversation(_ source: SourceID) throws {
        markChanged(.sources)
        try connection.prepare("DELETE FROM broker_conversations WHERE source = ?").bind(source.rawValue).run()
        try removeKey(of: source)
        _ = try setBridge(nil, of: source)
        try blankFeed(ofConversation: source)
        // Nobody is to find it by its name while its texts go.
        try update(source) { $0.deviceID = Self.removedConversation }
        try forgetRemovedConversations()
    }

    /// ``Source/deviceID`` of a removed conversation whose texts are still going.
    private static let removedConversation = BrokerConversation.idPrefix

    /// Begins to remove the texts of removed conversations, also those that an earlier run or a full disk has left.
    func forgetRemovedConversations() throws {
        let sources = try connection.prepare("SELECT id FROM sources WHERE device_id = ?").bind(
            Self.removedConversation
        )
        .rows { SourceID(rawValue: $0.integer()) }
        if !sources.isEmpty { startPruning(sources.map { .removedConversation($0) }) }
    }

    /// Drops a batch of what a removed conversation has left.
    ///
    /// - Returns: how many rows; 0: it is gone.
    func forgetBatch(ofRemoved source: SourceID) throws -> Int {
        // The commit that removed it may have failed behind the word that it is to be pruned.
        let isRemoved = try connection.prepare("SELECT EXISTS (SELECT 1 FROM sources WHERE id = ? AND device_id = ?)")
            .bind(source.rawValue).bind(Self.removedConversation).first { $0.flag() }
        guard isRemoved == true else { return 0 }
        let batch = try connection.prepare("SELECT message FROM broker_texts WHERE source = ? ORDER BY message LIMIT ?")
            .bind(source.rawValue).bind(AgingTable.messages.batch).rows { $0.integer() }
        if !batch.isEmpty {
            markChanged(.messages)
            // The newest row of all stays, as a deleted message.
            if try removeMessages(batch) < batch.count { try blankNewestText(of: source) }
            return batch.count
        }
        for table in ["read_marks", "conversation_mutes"] {
            try connection.prepare(composed: "DELETE FROM \(table) WHERE source = ?").bind(source.rawValue).run()
        }
        try removeSource(source)
        return 0
    }

    /// Notes a filter before it is subscribed to. It is forgotten after the broker has unsubscribed it.
    ///
    /// - Returns: its subscription identifier.
    public func noteSubscription(_ filter: TopicFilter, at broker: String) throws -> UInt32 {
        try connection.prepare("INSERT OR IGNORE INTO broker_subscriptions (broker, filter) VALUES (?, ?)").bind(broker)
            .bind(filter.text).run()
        let id = try connection.prepare("SELECT id FROM broker_subscriptions WHERE broker = ? AND filter = ?")
            .bind(broker).bind(filter.text).first { $0.unsigned() }
        return id ?? 0
    }

    public func forgetSubscription(_ filter: TopicFilter, at broker: String) throws {
        try connection.prepare("DELETE FROM broker_subscriptions WHERE broker = ? AND filter = ?").bind(broker)
            .bind(filter.text).run()
    }

    /// Forgets the filters of a session that is over.
    public func forgetSubscriptions(at broker: String) throws {
        try connection.prepare("DELETE FROM broker_subscriptions WHERE broker = ?").bind(broker).run()
    }
}
