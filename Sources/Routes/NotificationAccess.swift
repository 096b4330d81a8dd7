import Gateway
import MeshModel
import Store

// A caller sees a row of the feed if it may see what the row is about (the head of EventRows) and has not muted its conversation.
// The same functions say what is pushed to a token's registrations.

extension Caller {
    /// Direct messages need no more than `messages:read`, which everything about messages begins with.
    public func mayRead(channel: Int) -> Bool {
        switch channel {
        case -1: true
        case 0...7: may(.read, .channel(channel))
        default: may(.read, .channelDatabase)
        }
    }

    /// Whether a waypoint may be shown: by its channel, as a node and its position; one that is on none as the direct
    /// message that it came in.
    public func maySeeWaypoint(on channel: Int?) -> Bool {
        guard let channel else { return may(.read, .messages) }
        return may(.read, .nodes) && mayView(channel)
    }

    public func maySee(_ needs: Set<FeedRow.Need>) -> Bool { !needs.isEmpty && needs.allSatisfy(meets) }

    private func meets(_ need: FeedRow.Need) -> Bool {
        switch need {
        case .message(let channel): may(.read, .messages) && mayRead(channel: channel)
        case .node(let channel): may(.read, .nodes) && mayView(channel)
        case .waypoint(let channel): may(.read, .nodes) && maySeeWaypoint(on: channel)
        case .brokerText(let channels): lacks(.read, over: channels) == nil
        case .info: may(.read, .info)
        }
    }
}

/// The feed as one caller sees it.
public struct SeenFeed {
    private let caller: Caller
    public let reader: Reader
    public let sources: [FoundSource]
    private var mutes: [SourceID: [Conversation: Mute]] = [:]
    /// Rows that count others, with the words that the caller may have, by UUID.
    private var reworded: [String: FeedRow] = [:]
    /// Each is read once: a rule about texts may make many rows that count others.
    private var logs: [String: [RuleFiring]] = [:]

    public init(_ caller: Caller, _ reader: Reader) throws {
        (self.caller, self.reader) = (caller, reader)
        sources = try reader.sources()
    }

    public var token: Int64 { caller.token ?? 0 }

    public mutating func sees(_ row: FeedRow) throws -> Bool {
        guard caller.may(.read, .notifications) else { return false }
        guard row.type == FeedRow.countingType else { return try maySee(row) }
        return try maySeeSome(of: row)
    }

    /// Of a row that counts others, the caller gets what it may see of these.
    private mutating func maySeeSome(of row: FeedRow) throws -> Bool {
        // Without a need nobody sees it.
        guard !row.needs.isEmpty else { return false }
        let isSeen = try maySee(row)
        if isSeen, try !hasMutes() { return true }
        guard let rule = row.rule else { return isSeen }
        if logs[rule] == nil { logs[rule] = try reader.firings(of: rule) }
        let all = row.counted(in: logs[rule] ?? [])
        let seen = try all.filter { try maySee($0.row) }
        guard seen.count < all.count else { return isSeen || !seen.isEmpty }
        if !seen.isEmpty { reworded[row.uuid] = row.counting(only: seen) }
        return !seen.isEmpty
    }

    private mutating func hasMutes() throws -> Bool {
        let all = try sources.map(\.id) + reader.brokerConversations().map(\.source)
        for id in all where mutes[id] == nil { mutes[id] = try reader.mutes(by: token, in: id) }
        return mutes.values.contains { !$0.isEmpty }
    }

    /// Whether the caller may see what the row is about and has not muted it; for rules' logs, too.
    public mutating func maySee(_ row: FeedRow) throws -> Bool {
        guard caller.maySee(row.needs) else { return false }
        guard let conversation = row.conversation, let source = row.source else { return true }
        if mutes[source] == nil { mutes[source] = try reader.mutes(by: token, in: source) }
        // Rows from while it was muted stay hidden after the mute has ended.
        return !(mutes[source]?[conversation]?.holds(at: row.createdAt) ?? false)
    }

    /// A row that it ``sees(_:)``, in the words that the caller may have.
    public func shown(_ row: FeedRow) -> FeedRow { reworded[row.uuid] ?? row }
}

/// What tokens are shown of the feed while nobody asks with them: for what is sent to them.
public struct FeedOfTokens: Sendable {
    private let gateway: Gateway

    public init(_ gateway: Gateway) { self.gateway = gateway }

    /// The row as the token is shown it now; nil if it is not: the token is gone or has expired, has not the right, or has muted
    /// the conversation, or somebody has deleted the message.
    ///
    /// - Parameter told: as a rule tells it, or as it waits for a target, without what it takes to see it.
    public func seen(_ told: FeedRow, by token: Int64, _ reader: Reader) throws -> FeedRow? {
        guard let caller = try caller(token, reader) else { return nil }
        // What a failing disk does not take is in no feed yet, and has what it takes to see it.
        let row = try reader.feedRow(uuid: told.uuid) ?? told
        var feed = try SeenFeed(caller, reader)
        return try feed.sees(row) ? feed.shown(row) : nil
    }

    /// The same for what waits. A summary is about all that it replaces: who may no longer see one of these does not get it.
    public func seen(_ dispatch: Dispatch, by token: Int64, _ reader: Reader) throws -> FeedRow? {
        guard dispatch.isSummary else { return try seen(dispatch.row, by: token, reader) }
        guard let caller = try caller(token, reader), caller.may(.read, .notifications),
            caller.maySee(dispatch.row.needs)
        else { return nil }
        return dispatch.row
    }

    /// Nil when it is no longer valid.
    private func caller(_ token: Int64, _ reader: Reader) throws -> Caller? {
        let now = gateway.store.tokenTime
        guard let row = try reader.token(token), row.revokedAt == nil, row.expiresAt ?? .max > now else { return nil }
        var caller = Caller(token: token, tokenName: row.name, scopes: Scopes(of: row))
        caller.gatewayChannels = gateway.channelDatabase.channels
        return caller
    }
}
