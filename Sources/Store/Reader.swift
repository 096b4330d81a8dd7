import MeshModel
import Synchronization

/// What can be asked of the database. Valid only inside ``Store/read(_:)``, on the thread that called it.
public final class Reader {
    let connection: DatabaseConnection
    private let counts: MessageCounts
    let seriesCounts: SeriesCounts
    let seriesPages: SeriesPages
    let mobility: Mobility
    /// Kept here by ``message(_:inRow:of:uuid:)``: its text is so long that to find it by that takes as long as to run it.
    var messageByNumber: Statement?

    init(
        _ connection: DatabaseConnection, counts: MessageCounts, seriesCounts: SeriesCounts, seriesPages: SeriesPages,
        mobility: Mobility
    ) {
        self.connection = connection
        self.counts = counts
        self.seriesCounts = seriesCounts
        self.seriesPages = seriesPages
        self.mobility = mobility
    }

    // MARK: Sources and channels

    /// The radios, the oldest first: conversations over brokers have sources, too, which only who asks for them sees.
    public func sources() throws -> [FoundSource] { try SourceRow.all(on: connection) }

    public func source(_ id: SourceID) throws -> Source? { try SourceRow.one(id, on: connection) }

    public func source(uuid: String) throws -> FoundSource? {
        try sources().first { $0.source.uuid == uuid }
    }

    /// By index.
    public func channels(in source: SourceID) throws -> [Channel] { try ChannelRow.all(in: source, on: connection) }

    /// Names of a radio's channels in use, by index. A nameless one is called by the modem preset, as every radio shows it.
    public func channelNames(in source: SourceID, lora: LoRaSettings?) throws -> [Int: String] {
        var found: [Int: String] = [:]
        for channel in try channels(in: source) where channel.role != .disabled {
            found[channel.index] = channel.name.isEmpty ? lora?.defaultChannelName ?? "Primary" : channel.name
        }
        return found
    }

    public func channel(_ index: Int, in source: SourceID) throws -> Channel? {
        try channels(in: source).first { $0.index == index }
    }

    // MARK: Nodes

    public func node(_ number: NodeNumber, in source: SourceID) throws -> Node? {
        try NodeRow.one(source.key(number), on: connection)
    }

    /// These nodes, in this order. Numbers without a row are left out.
    public func nodes(_ numbers: some Sequence<NodeNumber>, in source: SourceID) throws -> [Node] {
        try numbers.compactMap { try node($0, in: source) }
    }

    public enum NodeOrder: Sendable { case updatedDescending, lastHeardDescending }

    /// The numbers of all nodes, to be fetched in slices.
    ///
    /// - Parameters:
    ///   - heardSince: host seconds, exclusive; nodes that were never heard are then left out.
    ///   - channels: only nodes last heard on one of these; a node that was heard on none counts as heard on 0.
    public func nodeNumbers(
        in source: SourceID, order: NodeOrder = .updatedDescending, heardSince: Int64? = nil, channels: [Int]? = nil
    ) throws -> [NodeNumber] {
        let direction =
            switch order {
            case .updatedDescending: " ORDER BY updated_at DESC, node"
            case .lastHeardDescending: " ORDER BY last_heard DESC, node"
            }
        return try select("node", in: source, heardSince: heardSince, channels: channels, direction)
            .rows { NodeNumber($0.unsigned()) }
    }

    /// How many nodes ``nodeNumbers(in:order:heardSince:channels:)`` would give.
    public func nodeCount(
        in source: SourceID, heardSince: Int64? = nil, channels: [Int]? = nil, isDirect: Bool = false
    ) throws -> Int {
        guard heardSince != nil || channels != nil || isDirect else { return try counts(in: source).nodes }
        let order = isDirect ? " AND hops_away = 0" : ""
        return try select("count(*)", in: source, heardSince: heardSince, channels: channels, order)
            .first { Int($0.integer()) } ?? 0
    }

    private func select(
        _ columns: String, in source: SourceID, heardSince: Int64?, channels: [Int]?, _ order: String = ""
    ) throws -> Statement {
        var sql = "SELECT \(columns) FROM nodes WHERE node BETWEEN ? AND ?"
        if heardSince != nil { sql += " AND last_heard > ?" }
        if let channels {
            sql += " AND ifnull(channel, 0) IN (" + channels.map { "\($0)" }.joined(separator: ", ") + ")"
        }
        let statement = try connection.prepare(composed: sql + order)
        statement.bind(source.key(NodeNumber(0))).bind(source.key(.broadcast))
        if let heardSince { statement.bind(heardSince) }
        return statement
    }

    /// The numbers of nodes that more than one source knows.
    public func sharedNodeNumbers() throws -> [NodeNumber] {
        try connection.prepare("SELECT number FROM nodes GROUP BY number HAVING count(*) > 1 ORDER BY number")
            .rows { NodeNumber($0.unsigned()) }
    }

    /// How many there are, of one source or of all. Kept, not counted.
    public func counts(in source: SourceID?) throws -> (nodes: Int, messages: Int, channels: Int) {
        let all = source == nil
        let id = source ?? SourceID(rawValue: 0)
        let nodes = try connection.prepare("SELECT ifnull(sum(nodes), 0) FROM node_counts WHERE ? OR source = ?")
            .bind(all).bind(id.rawValue).first { $0.integer() }
        let channels = try connection.prepare("SELECT count(*) FROM channels WHERE ? OR source = ?")
            .bind(all).bind(id.rawValue).first { $0.integer() }
        let messages = try (source.map { [$0] } ?? sources().map(\.0)).map { try counts.count(in: $0, on: connection) }
        return (Int(nodes ?? 0), messages.reduce(0, +), Int(channels ?? 0))
    }
}

/// How many messages there are. Counting a million rows takes long; so each count goes on from the last one, that of an earlier
/// run included (``Writer/noteMessageCounts()``). How many rows were removed meanwhile, and how many are those of deleted
/// messages, are numbers in the database (``Writer/removeMessages(_:)``, ``Writer/deleteMessage(id:in:)``).
final class MessageCounts: Sendable {
    struct Count {
        let count: Int64
        /// The last row that was counted.
        let upTo: Int64
        /// How many rows had ever been removed.
        var removed: Int64 = 0
    }

    /// Rows behind a noted count that are counted one by one; more of them are counted faster with all others, by an index.
    private static let rowsBehindNote: Int64 = 50_000

    private let known = Mutex<[SourceID: Count]>([:])

    func count(in source: SourceID, on connection: DatabaseConnection) throws -> Int {
        let deleted = try connection.prepare("SELECT deleted FROM message_deletions WHERE source = ?")
            .bind(source.rawValue).first { $0.integer() }
        return try rows(of: source, on: connection) - Int(deleted ?? 0)
    }

    /// The deleted ones included.
    private func rows(of source: SourceID, on connection: DatabaseConnection) throws -> Int {
        let newest = try connection.prepare("SELECT ifnull(max(id), 0) FROM messages").first { $0.integer() } ?? 0
        let removals = try connection.prepare("SELECT removed, last_row FROM message_removals WHERE source = ?")
            .bind(source.rawValue).first { (count: $0.integer(), last: $0.integer()) }
        let removed = removals?.count ?? 0
        // What is gone without having been counted cannot be subtracted; and another reader may have counted in a newer
        // snapshot, of which this one knows neither the last row nor that it was removed.
        let before = try (known.withLock { $0[source] } ?? noted(of: source, newest, on: connection))
            .flatMap { count in
                let isNewer = count.upTo > newest && count.removed >= removed
                return count.upTo >= removals?.last ?? 0 && !isNewer ? count : nil
            }
        if let before, before.upTo >= newest { return Int(before.count - (removed - before.removed)) }
        let more: Int64?
        if let before {
            more = try connection.prepare("SELECT count(*) FROM messages NOT INDEXED WHERE id > ? AND abs(source) = ?")
                .bind(before.upTo).bind(source.rawValue).first { $0.integer() }
        } else {
            more = try connection.prepare(
                "SELECT count(*) FROM messages INDEXED BY messages_all WHERE source IN (?1, -?1)"
            )
            .bind(source.rawValue).first { $0.integer() }
        }
        let kept = before.map { $0.count - (removed - $0.removed) } ?? 0
        let count = Count(count: kept + (more ?? 0), upTo: newest, removed: removed)
        known.withLock { known in
            if newest > known[source]?.upTo ?? 0 { known[source] = count }
        }
        return Int(count.count)
    }

    /// What an earlier run has counted; nil: nothing, or too long ago.
    private func noted(of source: SourceID, _ newest: Int64, on connection: DatabaseConnection) throws -> Count? {
        let noted = try connection.prepare("SELECT removed, last_row FROM message_removals WHERE source = ?")
            .bind(-source.rawValue).first { Count(count: $0.integer(), upTo: $0.integer()) }
        guard let noted, newest - noted.upTo <= Self.rowsBehindNote else { return nil }
        return known.withLock { known in
            let count = known[source] ?? noted
            known[source] = count
            return count
        }
    }

    /// By source.
    var all: [SourceID: Count] { known.withLock { $0 } }
}
