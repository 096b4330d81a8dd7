import MeshModel
import Platform

/// Why a rule has told nothing although its trigger came.
public struct NearMiss: Hashable, Sendable {
    /// Host milliseconds of what happened.
    public let at: Int64
    public let node: NodeNumber?
    public let messageID: String?
    let failed: FailedCondition
    /// Hops, or since when an episode lasts in host milliseconds.
    let found: Int64?
    /// Such as "hops 3, wanted 0..2".
    public internal(set) var condition = ""

    init(_ failed: FailedCondition, at time: Int64, node: NodeNumber?, messageID: String? = nil, found: Int64? = nil) {
        (self.failed, at, self.node, self.messageID, self.found) = (failed, time, node, messageID, found)
    }

    /// In words, with what the rule wanted.
    func described(of rule: Rule?) -> NearMiss {
        var result = self
        result.condition = words(rule?.conditions)
        return result
    }

    private func words(_ wanted: Conditions?) -> String {
        switch failed {
        case .node: "a node that the rule does not mean"
        case .channel: "another channel" + (wanted.map { ", wanted \($0.channels.joined(separator: " "))" } ?? "")
        case .hops:
            "hops \(found.map { "\($0)" } ?? "unknown")"
                + (wanted?.hops.map { ", wanted \($0.lowerBound)..\($0.upperBound)" } ?? "")
        case .role: "another role"
        case .way: wanted?.way == .mqtt ? "it did not come over MQTT" : "it came over MQTT"
        case .radio: "another radio"
        case .words: "none of its words"
        case .ignored: "a word that it ignores"
        case .pattern: "its pattern is not there"
        case .tapback: "a reaction"
        case .mute: "muted"
        case .place: "nobody knows where the radio is"
        case .distance: "too far away"
        case .episode: "still the same episode" + (found.map { ", since \(localTime($0))" } ?? "")
        }
    }
}

/// The last near misses of each rule, in memory. No part of the engine's value: what was missed and is found again after a
/// failed commit is in it once.
public final class NearMisses: Sendable {
    /// Of a rule.
    static let kept = 50

    private struct Ring {
        var misses: [NearMiss] = []
        /// Where the oldest one is when there is no more room.
        var next = 0

        mutating func add(_ miss: NearMiss) {
            if misses.contains(miss) { return }
            guard misses.count == NearMisses.kept else { return misses.append(miss) }
            misses[next] = miss
            next = (next + 1) % NearMisses.kept
        }
    }

    private let rings = Monitor([String: Ring]())

    public init() {}

    func add(_ miss: NearMiss, of rule: String) {
        rings.withLock { $0[rule, default: Ring()].add(miss) }
    }

    /// The newest first.
    func all(of rule: String) -> [NearMiss] {
        let ring = rings.withLock { $0[rule] ?? Ring() }
        return (ring.misses[ring.next...] + ring.misses[..<ring.next]).reversed()
    }

    /// Those of rules that are no more go.
    func keep(_ rules: [Rule]) {
        rings.withLock { rings in rings = rings.filter { name, _ in rules.contains { $0.name == name } } }
    }
}
