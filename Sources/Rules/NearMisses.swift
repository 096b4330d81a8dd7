import MeshModel
import Store

/// Why a rule did not fire although its trigger came.
public struct NearMiss: Hashable, Sendable {
    public let rule: String
    /// When it happened, in host milliseconds.
    public internal(set) var at: Int64
    /// nil for the gateway itself.
    public let source: SourceID?
    public let node: NodeNumber?
    public let messageID: String?
    /// What a reader needs to see it.
    public let need: FeedRow.Need
    let failed: FailedCondition
    /// The failed condition in words, such as "hops 3, wanted 0..2".
    public internal(set) var condition = ""

    init(
        _ failed: FailedCondition, of rule: String, at time: Int64, in source: SourceID, node: NodeNumber? = nil,
        message: Message? = nil, need: FeedRow.Need
    ) {
        (self.failed, self.rule, at, self.need) = (failed, rule, time, need)
        self.source = source == .gateway ? nil : source
        // Over a broker nobody is a node.
        self.node = if case .brokerText = need { nil } else { message?.from ?? node }
        messageID = message?.id
    }

    /// It only says that the same still holds.
    fileprivate func repeats(_ other: NearMiss) -> Bool {
        messageID == nil && other.messageID == nil && failed == other.failed && node == other.node
            && source == other.source
    }
}

/// The last near misses of each rule, in memory.
public struct NearMisses: Sendable {
    /// How many are kept for a rule. Some hundred bytes each.
    static let kept = 50

    /// By rule, oldest first.
    private var misses: [String: [NearMiss]] = [:]

    public init() {}

    mutating func add(_ miss: NearMiss) {
        misses[miss.rule, default: []].add(miss)
    }

    /// Takes an engine's near misses, and forgets rules that were removed.
    mutating func take(_ outcome: Engine.Outcome) {
        for rule in outcome.removedRules { misses[rule] = nil }
        for (rule, new) in outcome.near.misses {
            for miss in new { misses[rule, default: []].add(miss) }
        }
    }

    /// In words, newest first.
    func all(of rule: Rule) -> [NearMiss] {
        (misses[rule.name] ?? []).reversed().map { miss in
            var miss = miss
            miss.condition = miss.failed.words(rule.conditions, rule.when, at: miss.at)
            return miss
        }
    }
}

extension [NearMiss] {
    /// A miss that repeats is kept once, with its last time: else a node that reports every minute would drive out all others.
    fileprivate mutating func add(_ miss: NearMiss) {
        if let place = lastIndex(where: { $0.repeats(miss) }) { remove(at: place) }
        if count == NearMisses.kept { removeFirst() }
        append(miss)
    }
}

extension FailedCondition {
    /// - Parameter time: when it happened, in host milliseconds.
    fileprivate func words(_ wanted: Conditions, _ when: Trigger, at time: Int64) -> String {
        switch self {
        case .node: "another node, wanted \(wanted.nodes?.shown ?? "")"
        case .ignoredNode: "the node is ignored"
        case .mutedNode: "the node is muted"
        case .radio: "another radio, wanted \(wanted.radios.joined(separator: ", "))"
        case .words: "none of its words"
        case .ignored: "a word that it ignores"
        case .pattern: "its pattern is not there"
        case .phrase: "none of its phrases"
        case .unnamed: "it has told no name"
        case .snr(let snr): "SNR \(snr?.shown ?? "unknown"), wanted \(wanted.snr?.shown ?? "")"
        case .tapback: "a reaction, and tapbacks = yes is not set"
        case .channel(let index): "channel \(index), wanted \(wanted.channels.joined(separator: " "))"
        case .stranger(let since):
            "not known for \(wanted.known?.shownTime ?? "") yet: first heard \(localTime(since, from: time))"
        case .brief(let since):
            "beyond the limit since \(localTime(since, from: time)), wanted \(when.lasting.shownTime)"
        case .coolDown(let last): "told at \(localTime(last, from: time)), and its cool-down is not over"
        case .hops(let hops): "hops \(hops.map { "\($0)" } ?? "unknown"), wanted \(wanted.hops?.shown ?? "")"
        case .role(let role):
            "role \(roleName(role)), wanted \(wanted.roles.sorted().map(roleName).joined(separator: " "))"
        case .way(let viaMQTT): viaMQTT ? "it came over MQTT" : "it did not come over MQTT"
        case .muted(let end): end.map { "muted until \(localTime($0, from: time))" } ?? "muted"
        case .forged: "its sender is in doubt"
        case .knownElsewhere: "another radio knows it already"
        case .noOwnPlace: "nobody knows where the radio is"
        case .noPlace: "it has no place"
        case .distance:
            if case .waypointWithin(let most) = when {
                "too far away, wanted \(most.shownLength) at most"
            } else {
                "too far away"
            }
        case .unconfirmed: "only one report says so: two in a row, or ten minutes, are needed"
        case .blurred: "its place is blurred: some of where it may be is inside"
        case .episode(let since): "still the same episode, since \(localTime(since, from: time))"
        case .known: "it was so already when the rule was read"
        case .unanswerable(let why): why.words
        case .gate: "not yet: the radio is away, or the gateway has just started"
        }
    }
}

extension Conditions.Nodes {
    fileprivate var shown: String {
        (isNegated ? "not " : "") + ((areFavourites ? ["favourites"] : []) + names).joined(separator: ", ")
    }
}

extension ClosedRange<UInt32> {
    fileprivate var shown: String { lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound)..\(upperBound)" }
}
