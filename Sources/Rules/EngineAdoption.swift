import MeshModel
import Store

// A value's state that holds already when its rule is first read: it opens an episode at once, so that people can be told, and not
// only with the node's next report.

extension Engine {
    /// Older reports say little about now; whether one of those holds is seen when the node reports again.
    private static let fresh: Int64 = 7 * 86_400_000

    /// The subjects for which the rule's limit is passed by their last reports, with the value.
    func beyondLimit(
        _ rule: Rule, _ threshold: Threshold, _ facts: any RuleFacts, at now: Moment
    ) throws -> [(subject: Subject, source: SourceID, node: Node, value: Double)] {
        // How long it has lasted is not known.
        guard threshold.lasting == 0 else { return [] }
        let isOwn = threshold.isOwnByItself && rule.conditions.nodes == nil
        let own = try facts.sources().compactMap { found in found.source.nodeNumber.map { ($0, found.id) } }
        let others = isOwn ? [] : try facts.heardNodes().map { ($0.number, $0.source) }
        return try (own + others).compactMap { number, source in
            guard let node = try facts.node(number, in: source),
                let point = try facts.pointBefore(
                    row: .max, at: now.at, threshold.name, of: number, in: source),
                now.at - point.at < Self.fresh, threshold.holds(point.value),
                try failed(rule, node, node.channel, source, facts, isOwn: isOwn) == nil
            else { return nil }
            return (isOwn ? .radio(source) : .node(number), source, node, point.value)
        }
    }
}
