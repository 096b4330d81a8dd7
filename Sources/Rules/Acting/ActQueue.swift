import MeshModel
import Store

// Which acts wait, and which of them the air allows. A value without clock or I/O: times are milliseconds of the clock that is never
// set, so that nothing follows from setting the other one.
//
//     fires -> take -> waiting -> due -> obstacle? -> skipped
//                                          |
//                                          '-> the port is free -> leaves -> counts against those behind it
//
// 1. What may not go now is skipped, never kept for later: it waits for its delay and for the port alone.
// 2. All rules together share the limits of a node, of a channel and of the air; its cool-down is a rule's own.

/// How much of the air rules may have, as mesh-gateway.conf says.
public struct ActLimits: Hashable, Sendable {
    /// Per cent of the time, as the radio measures its channel, above which rules are silent.
    public var channelUse: Double
    /// Per cent of an hour that rules may send.
    public var airtime: Double

    public init(channelUse: Double = 30, airtime: Double = 2) {
        (self.channelUse, self.airtime) = (channelUse, airtime)
    }
}

struct ActQueue: Sendable {
    /// A channel of a radio.
    struct Air: Hashable, Sendable {
        var source: SourceID
        var channel: Int
    }

    /// What an act would take, as it is found out when it is due.
    struct Claim: Sendable {
        var nodes: Set<NodeNumber> = []
        var channels: Set<Air> = []
        /// It passes on a text to another conversation.
        var isElsewhere = false
        /// Milliseconds on the air.
        var airtime: Int64 = 0
        /// Per cent of the radio's channel, as last reported; nil: it has not been lately.
        var channelUse: Double?
        var isQuiet = false

        init() {}
    }

    private struct Cooled: Hashable {
        var rule: String
        /// nil for the rule itself.
        var node: NodeNumber?
    }

    /// How many acts wait at most.
    static let most = 20
    /// Milliseconds between two acts for one node, on one channel, and between two texts that a rule passes on.
    static let nodePause: Int64 = 60_000
    static let channelPause: Int64 = 30_000
    static let elsewherePause: Int64 = 600_000
    /// Milliseconds.
    static let window: Int64 = 3_600_000
    /// How many cool-downs are remembered: strangers can invent nodes.
    private static let remembered = 4_000

    var limits = ActLimits()
    private(set) var waiting: [Act] = []
    private var nodes: [NodeNumber: Int64] = [:]
    private var channels: [Air: Int64] = [:]
    private var elsewhere: [String: Int64] = [:]
    private var cooled: [Cooled: Int64] = [:]
    /// Oldest first.
    private var sent: [(at: Int64, airtime: Int64)] = []

    init() {}

    // MARK: firing

    /// An act waits from now on.
    ///
    /// - Returns: why it does not.
    mutating func take(_ act: Act, at now: Int64) -> Skipped? {
        if act.deadline <= now { return .late }
        if limits.airtime <= 0 { return .airtime }
        if let skipped = cools(act) { return skipped }
        if let node = act.node {
            if isRecent(nodes[node], Self.nodePause, at: act.due) { return .node }
            for other in waiting where other.node == node {
                if other.rule.name == act.rule.name { return .coolDown }
                if abs(other.due - act.due) < Self.nodePause { return .node }
            }
        }
        if waiting.count >= Self.most { return .busy }
        waiting.append(act)
        return nil
    }

    /// It waits already: another radio has heard the same.
    func waits(_ key: String, of rule: String) -> Bool { waiting.contains { $0.key == key && $0.rule.name == rule } }

    private func cools(_ act: Act) -> Skipped? {
        guard let last = cooled[Cooled(rule: act.rule.name, node: act.node)] else { return nil }
        return abs(act.due - last) < act.rule.actCoolDown ? .coolDown : nil
    }

    private func isRecent(_ time: Int64?, _ pause: Int64, at now: Int64) -> Bool {
        time.map { abs(now - $0) < pause } ?? false
    }

    // MARK: leaving

    /// Those that may leave as far as the time is concerned: who goes first comes first.
    func due(at now: Int64) -> [Act] {
        waiting.filter { $0.due <= now }.enumerated()
            .sorted { ($0.element.urgency.rawValue, $0.offset) < ($1.element.urgency.rawValue, $1.offset) }
            .map(\.element)
    }

    /// Why an act that is due must not leave; nil: it may.
    func obstacle(to act: Act, _ claim: Claim, at now: Int64) -> Skipped? {
        if act.deadline <= now { return .late }
        if claim.isQuiet { return .quiet }
        if let skipped = cools(act) { return skipped }
        for node in claim.nodes where isRecent(nodes[node], Self.nodePause, at: now) { return .node }
        for channel in claim.channels where isRecent(channels[channel], Self.channelPause, at: now) { return .channel }
        if claim.isElsewhere, isRecent(elsewhere[act.rule.name], Self.elsewherePause, at: now) { return .elsewhere }
        if let use = claim.channelUse, use > limits.channelUse { return .channelUse }
        let share = Int64(limits.airtime / 100 * Double(Self.window))
        return claim.airtime + airtime(at: now) > share ? .airtime : nil
    }

    /// It leaves now.
    mutating func leaves(_ act: Act, _ claim: Claim, at now: Int64) {
        remove(act)
        for node in claim.nodes { nodes[node] = now }
        for channel in claim.channels { channels[channel] = now }
        if claim.isElsewhere { elsewhere[act.rule.name] = now }
        cooled[Cooled(rule: act.rule.name, node: act.node)] = act.due
        sent.append((now, claim.airtime))
        forgetOld(at: now)
    }

    mutating func remove(_ act: Act) { waiting.removeAll { $0.key == act.key && $0.rule.name == act.rule.name } }

    /// - Parameter rules: those in force.
    /// - Returns: what no longer waits, because its rule is gone, or another one.
    mutating func keep(_ rules: [Rule]) -> [Act] {
        let texts = Dictionary(rules.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
        let dropped = waiting.filter { texts[$0.rule.name] != $0.rule.text }
        for act in dropped { remove(act) }
        return dropped
    }

    /// When something is due, or too late.
    func deadline(at now: Int64) -> Int64? { waiting.map { $0.due > now ? $0.due : $0.deadline }.min() }

    /// Milliseconds on the air in the hour before.
    func airtime(at now: Int64) -> Int64 { sent.reduce(0) { now - $1.at < Self.window ? $0 + $1.airtime : $0 } }

    private mutating func forgetOld(at now: Int64) {
        sent.removeAll { now - $0.at >= Self.window }
        nodes = nodes.filter { now - $0.value < Self.nodePause }
        channels = channels.filter { now - $0.value < Self.channelPause }
        elsewhere = elsewhere.filter { now - $0.value < Self.elsewherePause }
        while cooled.count > Self.remembered, let oldest = cooled.min(by: { $0.value < $1.value }) {
            cooled[oldest.key] = nil
        }
    }

    // MARK: after a start

    /// What rules sent before this run.
    mutating func recall(sentAt time: Int64, airtime: Int64) { sent.append((time, airtime)) }

    /// A rule's act of before.
    ///
    /// - Parameter passesOn: the rule may pass on texts.
    mutating func recall(_ rule: String, of node: NodeNumber?, at time: Int64, passesOn: Bool) {
        let key = Cooled(rule: rule, node: node)
        cooled[key] = max(cooled[key] ?? .min, time)
        if let node { nodes[node] = max(nodes[node] ?? .min, time) }
        if passesOn { elsewhere[rule] = max(elsewhere[rule] ?? .min, time) }
    }
}
