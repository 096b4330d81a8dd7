import MeshModel
import Store

/// One firing, before it is put into words.
struct Telling {
    var state: FeedRow.State?
    var subject: Subject
    var matter: Engine.Matter
    var episode: Episode?
    var message: Message?
    /// How the message came, if not over a radio.
    var overBroker: (conversation: BrokerConversation, text: BrokerText)?
    var channelName: String?
    var waypoint: Record<Waypoint>?
    var digest: Digest?
    /// Where a message comes from.
    var origin = StoredChange.Origin.live
    /// What the names of a phrase found in it.
    var found: [String: String] = [:]

    init(_ state: FeedRow.State?, _ subject: Subject, _ matter: Engine.Matter, _ episode: Episode? = nil) {
        (self.state, self.subject, self.matter, self.episode) = (state, subject, matter, episode)
    }

    func row(of rule: Rule, at time: Int64) -> FeedRow {
        let (title, body) = said(rule, at: time)
        let number: NodeNumber? = if case .node(let number) = subject { number } else { nil }
        return FeedRow(
            at: time, in: matter.source == .gateway ? nil : matter.source, type: rule.when.type,
            title: title, body: body, needs: needs(rule),
            priority: rule.priority, rule: rule.name, episode: state == nil ? nil : episode?.uuid, state: state,
            node: number, messageID: message?.id, link: link,
            conversation: message.map { Conversation(of: $0) })
    }

    /// No radio's mesh has a conversation over a broker, so its address names none.
    private var link: String? {
        guard let message, let overBroker else { return nil }
        return "#//c/\(overBroker.conversation.id)?m=\(message.id)"
    }

    /// The same as for the rows that it is about.
    private func needs(_ rule: Rule) -> Set<FeedRow.Need> {
        if let overBroker { return [.brokerText(channels: overBroker.conversation.channels)] }
        if let message { return [.message(channel: message.channel)] }
        if let waypoint { return [.waypoint(channel: waypoint.channel.map { Int($0) })] }
        if let digest { return Set([.info] + digest.nodes.map { .node(channel: $0.channel) }) }
        switch subject {
        case .node: return [.node(channel: matter.channel), .node(channel: matter.placeChannel ?? matter.channel)]
        case .radio:
            // Our radio's values are also those of a node.
            if case .value = rule.when { return [.node(channel: matter.channel)] }
            return [.info]
        case .problem, .gateway: return [.info]
        }
    }

    /// The title and the message, which never say the same.
    private func said(_ rule: Rule, at time: Int64) -> (title: String, body: String) {
        let words = words(rule, at: time)
        let title = rule.title.map { filled($0, rule, at: time) } ?? words.title
        return (title, words.body == title ? "" : words.body)
    }

    /// What the trigger has measured, in words.
    func measured(_ rule: Rule) -> String {
        if case .value(let threshold) = rule.when { return value(threshold) }
        if case .problem = rule.when { return matter.name ?? "" }
        return rule.when.circle == nil ? "" : matter.value?.shownLength ?? ""
    }

    /// Fills in a rule's own title or words.
    func filled(_ title: String, _ rule: Rule, at time: Int64) -> String {
        let values = ["node": name, "value": measured(rule), "channel": channelName ?? "", "time": localTime(time)]
        var (result, rest) = ("", title[...])
        // One by one: a node's name may be "{value}".
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open] + (values[String(rest[rest.index(after: open)..<close])] ?? "")
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
