import MeshModel
import Store

// `of = due`: one node each time, so that each is traced once a day, and one that does not answer costs little.

extension ActPlanner {
    /// Milliseconds after an answer, and after a request without one, in which a node is not asked.
    private static let answered: Int64 = 24 * 3_600_000
    private static let unanswered: Int64 = 3 * 3_600_000

    /// Of the nodes that were heard within a day and that the rule's conditions leave, the one whose last request is longest ago.
    func dueNode(_ rule: Rule, own: NodeNumber, in source: SourceID) throws -> NodeNumber? {
        guard let found = try facts.source(source) else { return nil }
        let names = rule.conditions.channels.isEmpty ? [:] : try facts.channelNames(in: source)
        for number in try reader.nodesToTrace(heardSince: now.at / 1_000 - 86_400, in: source) {
            guard try !facts.isOwn(number), let node = try facts.node(number, in: source),
                !isRecent(node.lastTracerouteRequest, Self.unanswered),
                try !isRecent(reader.lastTraced(from: own, to: number, in: source), Self.answered)
            else { continue }
            let failed =
                try rule.conditions.failed(for: node, on: node.channel, in: found, channels: names)
                ?? rule.conditions.failed(hops: node.hopsAway, viaMQTT: node.viaMQTT ?? false)
                ?? rule.conditions.failed(snr: node.snr) ?? rule.conditions.failed(asKnown: node, facts)
            if failed == nil { return number }
        }
        return nil
    }

    private func isRecent(_ time: Int64?, _ pause: Int64) -> Bool {
        // A time that is to come was written while the clock was ahead.
        time.map { (0..<pause).contains(now.at - $0) } ?? false
    }
}
