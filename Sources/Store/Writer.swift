import MeshModel

/// The changes that can be made to the database. Exists on the writer thread only; a change gets it for the time that it
/// runs (``Store/enqueue(_:_:done:)``).
public final class Writer {
    let connection: DatabaseConnection
    var nodes = NodeCache()
    /// Pinned keys of nodes that were deleted, by the node's key; nil: not in memory.
    var keptKeys: [Int64: PublicKey]?
    /// What was stored in the last hours; nil: not in memory.
    var recentPackets: RecentPackets?
    /// Of sources, by ``SourceID``: a part of the id of each of their messages.
    private var uuids: [SourceID: String] = [:]
    /// How many rows of what happened each source has got lately; nil: not in memory.
    var happeningCounts: [SourceID: HappeningCount]?
    /// Topics in which the open transaction has changed something.
    private(set) var changedTopics = Topic.Several()
    /// Topics in which the running change has changed something so far.
    private var newlyChangedTopics = Topic.Several()
    /// What the observer is to be told of the open transaction when it is committed.
    private(set) var changesToReport: [NotedChange] = []
    /// Behind which number this run counts changes; nil: there was none yet.
    var firstChange: Int64?
    /// The number of the newest change, also of the open transaction; nil: not in memory.
    var lastChange: Int64?
    /// The open transaction has changed more than is logged row by row (``forgetChanges()``).
    var hasForgottenChanges = false
    /// What the observer is to be told of the running change.
    private var newChangesToReport: [NotedChange] = []
    /// Why what is stored now changes.
    public private(set) var origin = StoredChange.Origin.live
    /// Messages that the search index does not have yet.
    var hasUnindexedMessages = false
    /// Draws packet ids; a simulation draws them from its seed.
    public var random: @Sendable () -> UInt32 = { .random(in: .min ... .max) }
    var isIndexDamaged = false { didSet { hasUnindexedMessages = false } }
    var retention: Retention {
        // A smaller size may have something to delete again.
        didSet { sizeAfterPruning = 0 }
    }
    /// What is left to delete; nil: nothing.
    var pruning: Pruning?
    /// Those of conversations over brokers; nil: not in memory.
    private var knownBrokerSources: Set<SourceID>?
    /// What readers have counted; nil where nobody reads.
    var messageCounts: MessageCounts?
    /// Bytes that were in use when there was nothing left to delete.
    var sizeAfterPruning: Int64 = 0

    init(_ connection: DatabaseConnection, _ retention: Retention) {
        self.connection = connection
        self.retention = retention
    }

    func markChanged(_ topic: Topic) { newlyChangedTopics.insert(topic) }

    /// - Parameter subject: what the change is found by again.
    func note(_ what: StoredChange.What, of subject: Int64, in source: SourceID) {
        newChangesToReport.append(NotedChange(source: source, what: what, origin: origin, subject: subject))
    }

    /// Says why the changes in `body` are made. Around each single change: several may share a savepoint.
    public func change<Result>(as origin: StoredChange.Origin, _ body: () throws -> Result) rethrows -> Result {
        let outer = self.origin
        self.origin = origin
        defer { self.origin = outer }
        return try body()
    }

    /// Runs one change so that, when it throws, nothing of it remains, and everything before it does.
    func run(_ change: (Writer) throws -> Void) throws {
        try connection.prepare("SAVEPOINT change").run()
        nodes.beginChange()
        newlyChangedTopics = Topic.Several()
        newChangesToReport.removeAll(keepingCapacity: true)
        do {
            try change(self)
            try connection.prepare("RELEASE change").run()
        } catch {
            nodes.undoChange()
            forgetMemory()
            // A full disk can make SQLite roll back the whole transaction by itself; the savepoint is gone with it.
            if !connection.isAutocommit {
                try connection.prepare("ROLLBACK TO change").run()
                try connection.prepare("RELEASE change").run()
            }
            throw error
        }
        changedTopics.formUnion(newlyChangedTopics)
        changesToReport += newChangesToReport
    }

    /// Writes what was held back in memory. The last thing in a transaction.
    func flush() throws { try writeDirtyNodes() }

    /// In the middle of a transaction that is too long to hold all of it in memory. Its changes are not logged row by row.
    public func relieve() throws {
        try flush()
        nodes.beginChange()
        nodes.trim()
        newChangesToReport.removeAll(keepingCapacity: true)
    }

    /// The transaction is over, one way or the other.
    func transactionEnded(isCommitted: Bool) {
        changedTopics = Topic.Several()
        changesToReport.removeAll(keepingCapacity: true)
        hasForgottenChanges = false
        if isCommitted {
            nodes.trim()
        } else {
            nodes.removeAll()
            forgetMemory()
        }
    }

    /// What may say something else than the tables, now that a change was undone. Recent packets are only ever asked for
    /// what is surely new: one too many does no harm.
    private func forgetMemory() {
        keptKeys = nil
        lastChange = nil
        happeningCounts = nil
        knownBrokerSources = nil
        uuids.removeAll()
    }

    func uuid(of source: SourceID) throws -> String {
        if let known = uuids[source] { return known }
        let uuid = try MessageRow.uuid(of: source, on: connection)
        uuids[source] = uuid
        return uuid
    }

    // MARK: Sources

    /// The radios, the oldest first.
    public func sources() throws -> [FoundSource] { try SourceRow.all(on: connection) }

    /// Those of conversations over brokers, and of what such a one has left.
    func brokerSources() throws -> Set<SourceID> {
        if let knownBrokerSources { return knownBrokerSources }
        let found = try SourceRow.ofBrokers(on: connection)
        knownBrokerSources = found
        return found
    }

    public func source(_ id: SourceID) throws -> Source? { try SourceRow.one(id, on: connection) }

    public func insert(_ source: Source) throws -> SourceID {
        markChanged(.sources)
        let statement = try connection.prepare(
            """
            INSERT INTO sources (uuid, name, is_enabled, created_at, device_id, device, node_number,
                firmware_version, use_preset, modem_preset, region, hop_limit, tx_enabled)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        SourceRow.bind(source, to: statement)
        try statement.run()
        knownBrokerSources = nil
        return SourceID(rawValue: connection.lastInsertedRow)
    }

    /// Removes the row of a conversation over a broker whose texts are gone. Radios stay for ever. So does the newest
    /// row, until there is another one: no number is used again, because notifications and changes name it for longer.
    func removeSource(_ id: SourceID) throws {
        try connection.prepare("DELETE FROM sources WHERE id = ? AND id < (SELECT max(id) FROM sources)")
            .bind(id.rawValue).run()
        (uuids[id], knownBrokerSources) = (nil, nil)
    }

    /// Does nothing when there is no such source.
    public func update(_ id: SourceID, _ change: (inout Source) -> Void) throws {
        guard var source = try SourceRow.one(id, on: connection) else { return }
        let before = source
        change(&source)
        guard source != before else { return }
        uuids[id] = nil
        markChanged(.sources)
        let statement = try connection.prepare(
            """
            UPDATE sources SET uuid = ?, name = ?, is_enabled = ?, created_at = ?, device_id = ?, device = ?,
                node_number = ?, firmware_version = ?, use_preset = ?, modem_preset = ?, region = ?, hop_limit = ?,
                tx_enabled = ?
            WHERE id = ?
            """)
        SourceRow.bind(source, to: statement)
        try statement.bind(id.rawValue).run()
    }

    // MARK: Channels

    /// Stores these channels of a source; slots that are not among them stay as they are, because a radio has always
    /// eight and log text can eat some of them on their way. Writes only what differs.
    public func updateChannels(_ channels: [Channel], in source: SourceID, at now: Int64) throws {
        let stored = try ChannelRow.all(in: source, on: connection)
        for channel in channels where !stored.contains(channel) {
            markChanged(.channels)
            let statement = try connection.prepare(
                """
                INSERT OR REPLACE INTO channels (source, channel, role, name, psk, channel_id, uplink, downlink,
                    position_precision, is_muted, uses_aead, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
            statement.bind(source.rawValue)
            ChannelRow.bind(channel, to: statement)
            try statement.bind(now).run()
            note(.channel(channel.index), of: Int64(channel.index), in: source)
        }
    }
}
