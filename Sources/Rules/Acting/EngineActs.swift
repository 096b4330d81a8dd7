import MeshModel
import Search
import Store

// From a firing to an act. Nothing that a gateway has said may make another one speak, and nothing old: each of these is a near miss.

/// Why nobody acts on a text, or for a node.
enum Unanswerable: Hashable, Sendable {
    case ownText, reply, reaction, ignored, muted, replayed, storeForward, old, decryptedLater

    var words: String {
        switch self {
        case .ownText: "nobody acts on what a radio of this gateway says"
        case .reply: "nobody acts on an answer"
        case .reaction: "nobody acts on a reaction"
        case .ignored: "nobody acts for a node that is ignored"
        case .muted: "nobody acts for a node that is muted"
        case .replayed: "nobody acts on what is only told again"
        case .storeForward: "nobody acts on what a server has repeated"
        case .old: "it was older than a minute"
        case .decryptedLater: "it could be read only later"
        }
    }
}

extension Engine {
    /// Has the rule act, unless this is nothing to act on.
    ///
    /// - Parameter key: that of the firing.
    mutating func act(_ index: Int, _ telling: Telling, key: String, at time: Int64, now: Moment) {
        let rule = active[index].rule
        var telling = telling
        if let message = telling.message, rule.when.isText {
            telling.found = rule.conditions.phrases.found(in: PatternText(message.text)) ?? [:]
        }
        // Not when a state lasts or ends.
        guard rule.acting != nil, telling.state == nil || telling.state == .begins,
            let act = Act(rule, telling, key: key, at: time, now: now)
        else { return }
        if let why = telling.unanswerable(at: time, now) {
            if let message = telling.message {
                return miss(
                    index, message, of: telling.overBroker?.conversation, .unanswerable(why), in: telling.matter.source)
            }
            return miss(index, telling.subject, .unanswerable(why), telling.matter, at: time)
        }
        outcome.acts.append(act)
    }

    mutating func nodeIntroduced(
        _ number: NodeNumber, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment
    ) throws {
        for index in active.indices
        where active[index].rule.when == .nodeIntroduced && change.number > active[index].row.change {
            guard try !facts.isOwn(number), let node = try facts.node(number, in: change.source) else { continue }
            let time = min((node.lastHeard ?? 0) * 1000, now.at)
            if try isNamed(node, elsewhereThan: change.source, facts) {
                miss(index, node, .knownElsewhere, in: change.source, at: time)
                continue
            }
            guard try counts(index, node, node.channel, change.source, facts, at: time) else { continue }
            let matter = Matter(source: change.source, node: node, channel: node.channel)
            try tell(
                event: index, Telling(nil, .node(number), matter), keys: ["introduced \(number.id)"], at: time, facts,
                now: now)
        }
    }

    /// Another radio has known its name for a while.
    private func isNamed(_ node: Node, elsewhereThan source: SourceID, _ facts: any RuleFacts) throws -> Bool {
        for other in try facts.sources() where other.id != source {
            guard let known = try facts.node(node.number, in: other.id), known.longName ?? known.shortName != nil else {
                continue
            }
            if known.createdAt < node.createdAt - Self.minute { return true }
        }
        return false
    }
}

extension Telling {
    /// - Parameter time: of the event, in host milliseconds.
    fileprivate func unanswerable(at time: Int64, _ now: Moment) -> Unanswerable? {
        if case .node = subject, let node = matter.node {
            if node.isIgnored { return .ignored }
            if node.isMuted { return .muted }
        }
        guard let message else { return nil }
        if message.isOwn { return .ownText }
        if message.isTapback { return .reaction }
        if message.replyID ?? 0 != 0 { return .reply }
        if message.viaStoreForward { return .storeForward }
        switch origin {
        case .live, .ours: break
        case .decryptedLater: return .decryptedLater
        case .late: return .old
        case .listed, .replayed, .mentioned, .corrected: return .replayed
        }
        return now.at - time > Act.lifetime ? .old : nil
    }
}
