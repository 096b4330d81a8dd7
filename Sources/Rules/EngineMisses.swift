import MeshModel
import Store

// Near misses: the trigger has come, and a condition failed.

extension Engine {
    mutating func miss(
        _ index: Int, _ failed: FailedCondition, in source: SourceID, node: NodeNumber? = nil, message: Message? = nil,
        need: FeedRow.Need, at time: Int64
    ) {
        outcome.near.add(
            NearMiss(
                failed, of: active[index].rule.name, at: time, in: source, node: node, message: message, need: need))
    }

    mutating func miss(
        _ index: Int, _ message: Message, of conversation: BrokerConversation? = nil, _ failed: FailedCondition,
        in source: SourceID
    ) {
        miss(
            index, failed, in: source, message: message,
            need: conversation.map { FeedRow.Need.brokerText(channels: $0.channels) }
                ?? .message(channel: message.channel),
            at: message.createdAt)
    }

    mutating func miss(_ index: Int, _ node: Node, _ failed: FailedCondition, in source: SourceID, at time: Int64) {
        miss(index, failed, in: source, node: node.number, need: .node(channel: node.channel), at: time)
    }

    /// For a state.
    mutating func miss(_ index: Int, _ subject: Subject, _ failed: FailedCondition, _ matter: Matter, at time: Int64) {
        if case .node(let number) = subject {
            miss(index, failed, in: matter.source, node: number, need: .node(channel: matter.channel), at: time)
        } else if let node = matter.node {
            miss(index, node, failed, in: matter.source, at: time)
        } else {
            miss(index, failed, in: matter.source, need: .info, at: time)
        }
    }

    /// Whether the rule counts a node whose trigger has come. If not, it is a near miss.
    mutating func counts(
        _ index: Int, _ node: Node, _ channel: Int?, _ source: SourceID, _ facts: any RuleFacts, isOwn: Bool = false,
        at time: Int64
    ) throws -> Bool {
        guard let failed = try failed(active[index].rule, node, channel, source, facts, isOwn: isOwn) else {
            return true
        }
        miss(index, failed, in: source, node: node.number, need: .node(channel: channel), at: time)
        return false
    }

    /// Whether the rule counts a radio whose trigger has come. If not, it is a near miss.
    mutating func counts(_ index: Int, _ source: SourceID, _ facts: any RuleFacts, at time: Int64) throws -> Bool {
        if try active[index].rule.conditions.isOf(source, facts) { return true }
        miss(index, .radio, in: source, need: .info, at: time)
        return false
    }
}
