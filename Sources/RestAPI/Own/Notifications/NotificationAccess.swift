import MeshModel
import Routes
import Store

// A caller sees a row of the feed if it may see what the row is about (the head of EventRows) and has not muted its conversation.

extension Caller {
    func maySee(_ needs: Set<FeedRow.Need>) -> Bool { !needs.isEmpty && needs.allSatisfy(meets) }

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
struct SeenFeed {
    private let caller: Caller
    private let reader: Reader
    private let sources: [FoundSource]
    private var mutes: [SourceID: [Conversation: Mute]] = [:]
    /// Rows that count others, with the words that the caller may have, by UUID.
    private var reworded: [String: FeedRow] = [:]
    /// Each is read once: a rule about texts may make many rows that count others.
    private var logs: [String: [RuleFiring]] = [:]

    init(_ caller: Caller, _ reader: Reader) throws {
        (self.caller, self.reader) = (caller, reader)
        sources = try reader.sources()
    }

    private var token: Int64 { caller.token ?? 0 }

    mutating func sees(_ row: FeedRow) throws -> Bool {
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
    mutating func maySee(_ row: FeedRow) throws -> Bool {
        guard caller.maySee(row.needs) else { return false }
        guard let conversation = row.conversation, let source = row.source else { return true }
        if mutes[source] == nil { mutes[source] = try reader.mutes(by: token, in: source) }
        // Rows from while it was muted stay hidden after the mute has ended.
        return !(mutes[source]?[conversation]?.holds(at: row.createdAt) ?? false)
    }

    func shown(_ rows: [FeedRow]) throws -> [ShownNotification] {
        let acknowledged = try reader.acknowledged(rows, by: token)
        return rows.map { row in
            let device = sources.first { $0.id == row.source }?.source.uuid
            return ShownNotification(
                row: reworded[row.uuid] ?? row, device: device, isAcknowledged: acknowledged.contains(row.id))
        }
    }
}
