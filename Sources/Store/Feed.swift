import MeshModel

// The feed: notifications, one row each, for those who look later.
//
// 1. Clients continue after the last row that they have, by its id or its `created_at`. So that time is unique and never goes
//    back, whatever the host's clock was set to; what the clock said is in `at`.
// 2. A row stores what a reader needs to see it, because the node may be heard on another channel tomorrow. The text of a
//    message that a person deletes disappears from the feed at once.
// 3. The newest row stays, so that numbers and times continue after it.

extension Schema {
    /// - `created_at`, `at`: host milliseconds.
    /// - `session`: the row of `happened` with which the source's link began; 0 if there was none.
    /// - `conversation`: the one whose mute hides the row (``Conversation/id``).
    /// - `needs`: words (``FeedRow/Need``).
    static let feed = """
        CREATE TABLE feed (
            id INTEGER PRIMARY KEY, created_at INTEGER NOT NULL, at INTEGER NOT NULL, uuid TEXT NOT NULL,
            source INTEGER NOT NULL, session INTEGER NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL,
            body TEXT NOT NULL, priority INTEGER, rule TEXT, episode TEXT, state INTEGER, node INTEGER, message TEXT,
            link TEXT, conversation TEXT, needs TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX feed_uuid ON feed (uuid);
        CREATE UNIQUE INDEX feed_created_at ON feed (created_at);
        CREATE INDEX feed_message ON feed (message) WHERE message IS NOT NULL;

        CREATE TABLE feed_acks (
            row INTEGER NOT NULL, token INTEGER NOT NULL, PRIMARY KEY (row, token)
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER feed_gone AFTER DELETE ON feed BEGIN DELETE FROM feed_acks WHERE row = old.id; END;
        """
}

/// A notification.
public struct FeedRow: Hashable, Sendable {
    /// The numbers are stored.
    public enum Priority: Int, CaseIterable, Sendable {
        case low = 1
        case high
    }

    /// Where its episode stands. The numbers are stored.
    public enum State: Int, CaseIterable, Sendable {
        case begins = 1
        case lasts, ends
    }

    /// What a reader must be allowed to see: the same as for the row that the notification is about.
    public enum Need: Hashable, Sendable {
        /// A message of this channel; -1 for a direct one.
        case message(channel: Int)
        /// A node that was heard on this channel, or what it reported there; nil for none.
        case node(channel: Int?)
        /// A waypoint that came on this channel; nil if in a direct message.
        case waypoint(channel: Int?)
        /// A text of a conversation over a broker, and the channels whose rights count there.
        case brokerText(channels: Set<Int>)
        /// What concerns a radio's link or the gateway itself.
        case info
    }

    /// Its number; 0 if it has none yet.
    public var id: Int64 = 0
    public var uuid: String
    /// Host milliseconds. Unique once it is stored.
    public var createdAt: Int64
    /// nil if it concerns no radio. When it is stored, that becomes the first source.
    public var source: SourceID?
    /// The row of ``Happening`` with which the source's link began; 0 if there was none.
    public var session: Int64 = 0
    /// In kebab-case, for programs.
    public var type: String
    public var title: String
    public var body: String
    public var priority: Priority?
    public var rule: String?
    /// A UUID; nil if what it reports has no end.
    public var episode: String?
    public var state: State?
    public var node: NodeNumber?
    /// ``Message/id``
    public var messageID: String?
    /// Where the web page shows what it is about, from the page's root on; nil if that follows from the source.
    public var link: String?
    /// The conversation whose mute hides it; nil if none does.
    public var conversation: Conversation?
    /// A reader needs all of them. If there are none, nobody sees it.
    public var needs: Set<Need>

    public init(
        uuid: String = randomUUID(), at createdAt: Int64, in source: SourceID?, type: String, title: String,
        body: String, needs: Set<Need>, priority: Priority? = nil, rule: String? = nil, episode: String? = nil,
        state: State? = nil, node: NodeNumber? = nil, messageID: String? = nil, link: String? = nil,
        conversation: Conversation? = nil
    ) {
        (self.uuid, self.createdAt, self.source, self.type) = (uuid, createdAt, source, type)
        (self.title, self.body, self.needs, self.priority) = (title, body, needs, priority)
        (self.rule, self.episode, self.state, self.node) = (rule, episode, state, node)
        (self.messageID, self.link, self.conversation) = (messageID, link, conversation)
    }
}

extension FeedRow.Need {
    /// As it is stored: `message:0`, `node:2`, `node`, `waypoint`, `broker-text`, `broker-text:0,2`, `info`.
    fileprivate var word: String {
        switch self {
        case .message(let channel): "message:\(channel)"
        case .node(let channel): "node" + (channel.map { ":\($0)" } ?? "")
        case .waypoint(let channel): "waypoint" + (channel.map { ":\($0)" } ?? "")
        case .brokerText(let channels) where channels.isEmpty: "broker-text"
        case .brokerText(let channels): "broker-text:" + channels.sorted().map { "\($0)" }.joined(separator: ",")
        case .info: "info"
        }
    }

    private init?(word: Substring) {
        let parts = word.split(separator: ":")
        if parts.first == "broker-text", parts.count <= 2 {
            let numbers = parts.dropFirst().flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            let channels = numbers.compactMap { Int($0) }
            guard channels.count == numbers.count else { return nil }
            self = .brokerText(channels: Set(channels))
            return
        }
        let channel = parts.count == 2 ? Int(parts[1]) : nil
        guard parts.count == 1 || parts.count == 2 && channel != nil else { return nil }
        switch (parts[0], channel) {
        case ("message", let channel?): self = .message(channel: channel)
        case ("node", _): self = .node(channel: channel)
        case ("waypoint", _): self = .waypoint(channel: channel)
        case ("info", nil): self = .info
        default: return nil
        }
    }

    /// Empty, so that nobody sees the row, if one of them is unknown.
    static func all(in text: String) -> Set<Self> {
        let words = text.split(separator: " ")
        let needs = words.compactMap(Self.init(word:))
        return needs.count == words.count ? Set(needs) : []
    }

    static func text(_ needs: Set<Self>) -> String { needs.map(\.word).sorted().joined(separator: " ") }
}

extension Writer {
    /// How many rows the feed keeps.
    public static let feedRows: Int64 = 10_000

    /// Stores a notification. In one transaction with the cursor of the room that makes it, it is stored only once.
    ///
    /// - Returns: the row as it is stored: with its number, a unique time, and where it belongs; nil if there is one with its
    ///   ``FeedRow/uuid`` already, which stays as it is.
    @discardableResult
    public func insert(_ told: FeedRow) throws -> FeedRow? {
        guard try FeedRow.find(told.uuid, on: connection) == nil else { return nil }
        markChanged(.feed)
        var row = told
        let source = try row.settle(on: connection)
        let newest = try connection.integer("SELECT max(created_at) FROM feed")
        row.createdAt = max(told.createdAt, newest.map { $0 + 1 } ?? .min)
        try connection.prepare(
            """
            INSERT INTO feed (created_at, at, uuid, source, session, type, title, body, priority, rule, episode, state,
                node, message, link, conversation, needs)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        .bind(row.createdAt).bind(told.createdAt).bind(row.uuid).bind(source.rawValue).bind(row.session)
        .bind(row.type).bind(row.title).bind(row.body).bind(row.priority?.rawValue).bind(row.rule).bind(row.episode)
        .bind(row.state?.rawValue).bind(row.node?.rawValue).bind(row.messageID).bind(row.link)
        .bind(row.conversation?.id).bind(FeedRow.Need.text(row.needs)).run()
        row.id = connection.lastInsertedRow
        note(.notification(row: row.id), of: row.id, in: source)
        try connection.prepare("DELETE FROM feed WHERE id <= ?").bind(row.id - Self.feedRows).run()
        return row
    }

    /// A token has seen these rows. Those that no longer exist are skipped.
    ///
    /// - Parameters:
    ///   - rows: their ``FeedRow/uuid``.
    ///   - token: ``Token/id``; 0 for users of this machine.
    public func acknowledge(_ rows: some Sequence<String>, by token: Int64) throws {
        for uuid in rows {
            try connection.prepare("INSERT OR IGNORE INTO feed_acks SELECT id, ?2 FROM feed WHERE uuid = ?1")
                .bind(uuid).bind(token).run()
            if connection.changes > 0 { markChanged(.feed) }
        }
    }

    /// A person has deleted a message: nobody sees what the feed said about it any more.
    func blankFeed(of messageID: String) throws {
        try connection.prepare("UPDATE feed SET title = '', body = '', needs = '' WHERE message = ?")
            .bind(messageID).run()
        if connection.changes > 0 { markChanged(.feed) }
        try removeDispatches(of: messageID)
    }

    /// A conversation is removed: nobody sees what the feed said of its texts any more, and no target is notified.
    ///
    /// - Parameter source: the conversation's own.
    func blankFeed(ofConversation source: SourceID) throws {
        try connection.prepare("UPDATE feed SET title = '', body = '', needs = '' WHERE source = ?")
            .bind(source.rawValue).run()
        if connection.changes > 0 { markChanged(.feed) }
        try connection.prepare("DELETE FROM dispatches WHERE source = ?").bind(source.rawValue).run()
        let beginning = try uuid(of: source) + "_"
        try forgetInSummaries { $0.hasPrefix(beginning) }
    }

    /// What the feed has said of a conversation's texts is from now on for those who may read these channels.
    ///
    /// - Parameter source: the conversation's own.
    func narrowFeed(ofConversation source: SourceID, to channels: Set<Int>) throws {
        let word = FeedRow.Need.brokerText(channels: channels).word
        try connection.prepare("UPDATE feed SET needs = ? WHERE source = ? AND needs LIKE 'broker-text%'").bind(word)
            .bind(source.rawValue).run()
        if connection.changes > 0 { markChanged(.feed) }
        try connection.prepare("UPDATE dispatches SET needs = ? WHERE source = ? AND needs LIKE 'broker-text%'")
            .bind(word).bind(source.rawValue).run()
    }

    /// Rows that were stored before the clock showed plausible times get the times that it would have shown, in their order.
    func correctFeed(by leap: Int64, before earliest: Int64) throws {
        let rows = try connection.prepare("SELECT id, created_at, at FROM feed WHERE at < ? ORDER BY id")
            .bind(earliest).rows { (id: $0.integer(), createdAt: $0.integer(), at: $0.integer() + leap) }
        try moveFeed(rows.map { ($0.id, max($0.createdAt, $0.at), $0.at) })
    }

    /// Rows that were stored while the clock was ahead get the present time, in their order. It has been right for a day.
    func bringBackFeed(to now: Int64) throws {
        let rows = try connection.prepare("SELECT id, at FROM feed WHERE created_at > ? ORDER BY id")
            .bind(now).rows { (id: $0.integer(), at: $0.integer()) }
        try moveFeed(rows.map { ($0.id, now, min($0.at, now)) })
    }

    /// - Parameter rows: in their order; each gets its time, or the next one after the row before it.
    private func moveFeed(_ rows: [(id: Int64, createdAt: Int64, at: Int64)]) throws {
        guard let first = rows.first else { return }
        markChanged(.feed)
        // Out of each other's way, because times are unique.
        try connection.prepare("UPDATE feed SET created_at = -id WHERE id >= ?").bind(first.id).run()
        var last =
            try connection.prepare("SELECT max(created_at) FROM feed WHERE id < ?").bind(first.id)
            .first { $0.integerOrNil() ?? .min } ?? .min
        for row in rows {
            last = last == .min ? row.createdAt : max(row.createdAt, last + 1)
            try connection.prepare("UPDATE feed SET created_at = ?, at = ? WHERE id = ?")
                .bind(last).bind(row.at).bind(row.id).run()
        }
    }
}

extension FeedRow {
    /// Sets where it belongs: without a radio to the first one, and to the link that its source has now, or had last.
    @discardableResult
    fileprivate mutating func settle(on connection: DatabaseConnection) throws -> SourceID {
        let source = try source ?? SourceRow.all(on: connection).first?.id ?? .gateway
        self.source = source
        session =
            try connection.prepare("SELECT max(id) FROM happened WHERE kind = 1 AND name = 'live' AND source = ?")
            .bind(source.rawValue).first { $0.integerOrNil() ?? 0 } ?? 0
        return source
    }

    private static let columns = """
        id, uuid, created_at, source, session, type, title, body, priority, rule, episode, state, node, message, link,
        conversation, needs
        """

    private init(_ row: Statement) {
        let (id, uuid, createdAt) = (row.integer(), row.text(), row.integer())
        let (source, session) = (SourceID(rawValue: row.integer()), row.integer())
        self.init(
            uuid: uuid, at: createdAt, in: source, type: row.text(), title: row.text(), body: row.text(), needs: [])
        (self.id, self.session) = (id, session)
        priority = row.intOrNil().flatMap(Priority.init)
        rule = row.textOrNil()
        episode = row.textOrNil()
        state = row.intOrNil().flatMap(State.init)
        node = row.unsignedOrNil().map { NodeNumber($0) }
        messageID = row.textOrNil()
        link = row.textOrNil()
        conversation = row.textOrNil().flatMap { Conversation(id: $0) }
        needs = Need.all(in: row.text())
    }

    fileprivate static func find(_ uuid: String, on connection: DatabaseConnection) throws -> FeedRow? {
        try connection.prepare(composed: "SELECT \(columns) FROM feed WHERE uuid = ?").bind(uuid).first(FeedRow.init)
    }

    fileprivate static func one(_ id: Int64, on connection: DatabaseConnection) throws -> FeedRow? {
        try connection.prepare(composed: "SELECT \(columns) FROM feed WHERE id = ?").bind(id).first(FeedRow.init)
    }

    fileprivate static func rows(
        after time: Int64, limit: Int, on connection: DatabaseConnection
    ) throws -> [FeedRow] {
        try connection.prepare(
            composed: "SELECT \(columns) FROM feed WHERE created_at > ? ORDER BY created_at LIMIT ?"
        )
        .bind(time).bind(max(limit, 0)).rows(FeedRow.init)
    }
}

extension Reader {
    /// - Parameter uuid: in lower case.
    public func feedRow(uuid: String) throws -> FeedRow? { try FeedRow.find(uuid, on: connection) }

    /// nil if it has become too old.
    public func feedRow(_ id: Int64) throws -> FeedRow? { try FeedRow.one(id, on: connection) }

    /// The feed, oldest first.
    ///
    /// - Parameter time: ``FeedRow/createdAt`` of the last row that the caller has, or any time.
    public func feed(after time: Int64, limit: Int) throws -> [FeedRow] {
        try FeedRow.rows(after: time, limit: limit, on: connection)
    }

    /// A row that waits for the disk, as it will be stored; nil if it is stored already.
    public func settled(_ waiting: FeedRow) throws -> FeedRow? {
        guard try feedRow(uuid: waiting.uuid) == nil else { return nil }
        var row = waiting
        try row.settle(on: connection)
        return row
    }

    /// Whether ``Writer/acknowledge(_:by:)`` would change anything.
    public func changes(acknowledging rows: some Sequence<String>, by token: Int64) throws -> Bool {
        for uuid in rows {
            let isNews =
                try connection.prepare(
                    "SELECT 1 FROM feed WHERE uuid = ?1 AND id NOT IN (SELECT row FROM feed_acks WHERE row = id AND token = ?2)"
                )
                .bind(uuid).bind(token).first { $0.flag() } ?? false
            if isNews { return true }
        }
        return false
    }

    /// Which of these rows (``FeedRow/id``) a token has acknowledged.
    ///
    /// - Parameter token: ``Token/id``; 0 for users of this machine.
    public func acknowledged(_ rows: some Sequence<FeedRow>, by token: Int64) throws -> Set<Int64> {
        var found: Set<Int64> = []
        for row in rows {
            let isSeen =
                try connection.prepare("SELECT 1 FROM feed_acks WHERE row = ? AND token = ?")
                .bind(row.id).bind(token).first { $0.flag() } ?? false
            if isSeen { found.insert(row.id) }
        }
        return found
    }
}
