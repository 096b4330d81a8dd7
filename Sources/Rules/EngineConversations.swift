import MeshModel
import Search
import Store

// Texts of conversations over brokers. They come from no radio and no node. Only a rule whose trigger names the
// conversation hears them: whoever may write to a broker's topic must not set off a rule that waits for the mesh.

extension Engine {
    mutating func brokerText(_ id: String, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment) throws {
        let waiting = active.indices.filter { index in
            guard case .conversations = active[index].rule.when else { return false }
            return change.number > active[index].row.change
        }
        guard !waiting.isEmpty, let conversation = try facts.conversation(of: change.source) else { return }
        let asking = waiting.filter { active[$0].rule.when.names(conversation) }
        guard !asking.isEmpty, let message = try facts.message(id, row: change.messageRow, in: change.source),
            !message.isOwn, let about = try facts.brokerText(of: message, in: change.source)
        else { return }
        // Read once for all rules.
        let hasPatterns = asking.contains { active[$0].rule.conditions.readsTexts }
        let text = hasPatterns ? PatternText(message.text) : nil
        for index in asking {
            let conditions = active[index].rule.conditions
            let failed =
                try conditions.failed(text: message.text, text)
                ?? muted(conditions, message, change.source, facts, at: now)
            if let failed {
                miss(index, message, of: conversation, failed, in: change.source)
                continue
            }
            var telling = Telling(nil, .radio(change.source), Matter(source: change.source))
            (telling.message, telling.overBroker) = (message, (conversation, about))
            (telling.channelName, telling.origin) = (conversation.title, change.origin)
            try tell(
                event: index, telling, keys: [RuleFiring.key(ofMessage: message.id)], at: message.createdAt, facts,
                now: now)
        }
    }

    /// Users of this machine have silenced the conversation, and the rule heeds that.
    func muted(
        _ conditions: Conditions, _ message: Message, _ source: SourceID, _ facts: any RuleFacts, at now: Moment
    ) throws -> FailedCondition? {
        guard !conditions.hearsMuted else { return nil }
        return try facts.mute(of: Conversation(of: message), in: source, at: now.at).map { .muted(until: $0.end) }
    }
}

extension Trigger {
    func names(_ conversation: BrokerConversation) -> Bool {
        if case .conversations(let names) = self { names.contains(conversation.name) } else { false }
    }
}
