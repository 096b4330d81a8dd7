import MeshModel
import Store

// What rules with `for` and `cool-down` remember of each node or radio.
//
// 1. `for`: since when the reports of a value are beyond the limit is in memory only. What nobody heard is not known to have
//    lasted, so it begins again after a restart, or after the radio was away.
// 2. `cool-down`: when an event was told last is in the rule's log, which survives restarts; it is read once.

extension Engine.Active {
    /// Reports of a value beyond its limit.
    struct Beyond {
        /// Of the first one, in host milliseconds.
        var at: Int64
        var source: SourceID
        /// It was so already when the rule was read.
        var isKnown: Bool
    }

    /// How many subjects are remembered: strangers can invent nodes.
    private static let most = 1_000

    /// A report is beyond the limit.
    ///
    /// - Returns: since when they are, in host milliseconds.
    mutating func exceeded(_ subject: Subject, at time: Int64, in source: SourceID, isKnown: Bool) -> Int64 {
        if let first = beyond[subject], first.at <= time { return first.at }
        if beyond.count >= Self.most, let oldest = beyond.min(by: { $0.value.at < $1.value.at }) {
            beyond[oldest.key] = nil
        }
        beyond[subject] = Beyond(at: time, source: source, isKnown: isKnown)
        return time
    }

    /// Whether an event of this subject may be told now. If so, it counts as told.
    ///
    /// - Returns: when the one was told that forbids it, in host milliseconds.
    mutating func cool(_ subject: Subject, at time: Int64) -> Int64? {
        guard let coolDown = rule.coolDown else { return nil }
        // A text that comes late is older than one that was told.
        if let last = toldAt[subject], abs(time - last) < coolDown { return last }
        if toldAt.count >= Self.most, toldAt[subject] == nil, let oldest = toldAt.min(by: { $0.value < $1.value }) {
            toldAt[oldest.key] = nil
        }
        toldAt[subject] = max(time, toldAt[subject] ?? time)
        return nil
    }

    /// Reads from the rule's log when its events were told.
    mutating func recallTold(_ facts: any RuleFacts, at now: Moment) throws {
        guard rule.coolDown != nil else { return }
        for firing in try facts.firings(of: rule.name)
        where firing.fate != .old && !firing.isAct && firing.row.type == rule.when.type {
            let row = firing.row
            let subject = row.node.map(Subject.node) ?? row.source.map(Subject.radio) ?? .gateway
            // The clock may have been ahead then.
            let time = now.isSure ? min(row.createdAt, now.at) : row.createdAt
            toldAt[subject] = max(time, toldAt[subject] ?? time)
        }
    }
}

extension Engine {
    /// A radio is away: nobody knows whether values stay beyond their limits.
    mutating func forgetValues(of source: SourceID) {
        for index in active.indices where !active[index].beyond.isEmpty {
            active[index].beyond = active[index].beyond.filter { $0.value.source != source }
        }
    }

    /// Whether the event is to be told. If not, because its cool-down is not over, it is a near miss.
    mutating func isCool(_ index: Int, _ telling: Telling, at time: Int64) -> Bool {
        guard telling.state == nil, let last = active[index].cool(telling.subject, at: time) else { return true }
        let (failed, source) = (FailedCondition.coolDown(since: last), telling.matter.source)
        if let message = telling.message {
            miss(index, message, of: telling.overBroker?.conversation, failed, in: source)
        } else if let waypoint = telling.waypoint {
            let need = FeedRow.Need.waypoint(channel: waypoint.channel.map { Int($0) })
            miss(index, failed, in: source, node: waypoint.node, need: need, at: time)
        } else {
            miss(index, telling.subject, failed, telling.matter, at: time)
        }
        return false
    }
}
