import MeshModel
import Search
import Store

// Events are reported each time. One that several radios heard is one firing, identified by its key.

extension Engine {
    mutating func message(_ id: String, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment) throws {
        let asking = active.indices.filter { index in
            let when = active[index].rule.when
            return change.number > active[index].row.change && when.isOfNode && (when.isText || when == .detection)
        }
        guard !asking.isEmpty, try facts.source(change.source) != nil,
            let message = try facts.message(id, row: change.messageRow, in: change.source),
            !message.isOwn,
            try message.spoofSuspected || !facts.isOwn(message.from)
        else { return }
        // Read once for all rules: the text now, the sender when a rule needs it.
        let hasPatterns = asking.contains { active[$0].rule.conditions.readsTexts }
        let text = hasPatterns ? PatternText(message.text) : nil
        var sender: Node?
        for index in asking {
            guard try hears(index, message, change.source, facts) else { continue }
            let forged: FailedCondition? = message.spoofSuspected ? .forged : nil
            if let failed = forged ?? active[index].rule.conditions.failed(text: message.text, text) {
                miss(index, message, failed, in: change.source)
                continue
            }
            let conditions = active[index].rule.conditions
            let node = try sender ?? facts.node(message.from, in: change.source)
            sender = node
            if let failed = try failed(conditions, message, node, change.source, facts, at: now) {
                miss(index, message, failed, in: change.source)
                continue
            }
            var telling = Telling(nil, .node(message.from), Matter(source: change.source, node: node))
            (telling.message, telling.origin) = (message, change.origin)
            if message.channel >= 0 { telling.channelName = try facts.channelNames(in: change.source)[message.channel] }
            try tell(
                event: index, telling, keys: [RuleFiring.key(ofMessage: message.id)], at: message.createdAt, facts,
                now: now)
        }
    }

    /// Whether the rule waits for this message.
    private func hears(_ index: Int, _ message: Message, _ source: SourceID, _ facts: any RuleFacts) throws -> Bool {
        let isText = message.port == .textMessage || message.port == .alert
        switch active[index].rule.when {
        case .detection: return message.port == .detectionSensor
        case .directMessage: return isText && message.channel < 0
        case .message(let channels):
            guard isText, message.channel >= 0 else { return false }
            if channels.isEmpty { return true }
            return try Conditions.matches(channels, message.channel, facts.channelNames(in: source))
        case .mention:
            guard isText, message.channel >= 0, let own = try facts.source(source)?.nodeNumber,
                let node = try facts.node(own, in: source)
            else { return false }
            // A short name of one or two letters is in every other sentence.
            let names = [node.longName, node.shortName.flatMap { $0.count >= 3 ? $0 : nil }].compactMap(\.self)
            return Words(names).isIn(message.text)
        default: return false
        }
    }

    private func failed(
        _ conditions: Conditions, _ message: Message, _ node: Node?, _ source: SourceID, _ facts: any RuleFacts,
        at now: Moment
    ) throws -> FailedCondition? {
        if message.isTapback, !conditions.countsTapbacks { return .tapback }
        let sender = node ?? Node(number: message.from, createdAt: now.at)
        guard let found = try facts.source(source) else { return .radio }
        let channel = message.channel >= 0 ? message.channel : nil
        let names = conditions.channels.isEmpty ? [:] : try facts.channelNames(in: source)
        if let failed = conditions.failed(for: sender, on: channel, in: found, channels: names) { return failed }
        let isDirect = message.channel < 0
        if let failed = conditions.failed(
            hops: message.hopsAway, viaMQTT: message.viaMQTT ?? false, isDirectMessage: isDirect)
        {
            return failed
        }
        if let failed = conditions.failed(snr: message.rxSNR) { return failed }
        if let failed = try conditions.failed(asKnown: sender, facts) { return failed }
        return try muted(conditions, message, source, facts, at: now)
    }

    mutating func newNode(
        _ number: NodeNumber, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment
    ) throws {
        for index in active.indices
        where active[index].rule.when == .newNode && change.number > active[index].row.change {
            guard try !facts.isOwn(number), let node = try facts.node(number, in: change.source) else { continue }
            // Its row may be of days ago, when others spoke of it.
            let time = max(node.createdAt, min((node.lastHeard ?? 0) * 1000, now.at))
            if try wasHeard(node, at: time, elsewhereThan: change.source, facts) {
                miss(index, node, .knownElsewhere, in: change.source, at: time)
                continue
            }
            guard try counts(index, node, node.channel, change.source, facts, at: time) else { continue }
            let matter = Matter(source: change.source, node: node, channel: node.channel)
            try tell(
                event: index, Telling(nil, .node(number), matter), keys: ["new \(number.id)"], at: time, facts, now: now
            )
        }
    }

    /// Another radio knows it already: its row is older, or it has heard the node before.
    private func wasHeard(
        _ node: Node, at time: Int64, elsewhereThan source: SourceID, _ facts: any RuleFacts
    ) throws -> Bool {
        for other in try facts.sources() where other.id != source {
            guard let known = try facts.node(node.number, in: other.id), let heard = known.lastHeard else { continue }
            if known.createdAt < node.createdAt - Self.minute || heard * 1000 < time - Self.minute { return true }
        }
        return false
    }

    mutating func waypoint(
        _ id: UInt32, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment
    ) throws {
        for index in active.indices
        where active[index].rule.when.isWaypoint && change.number > active[index].row.change {
            let rule = active[index].rule
            guard let row = try facts.waypoint(id, in: change.source), try !facts.isOwn(row.node),
                !row.value.isExpired(at: now.at), let node = try facts.node(row.node, in: change.source)
            else { continue }
            let channel = row.channel.map { Int($0) }
            if let failed = try failed(rule, node, channel, change.source, facts)
                ?? failed(rule, row, change.source, facts, at: now)
            {
                let need = FeedRow.Need.waypoint(channel: channel)
                miss(index, failed, in: change.source, node: row.node, need: need, at: row.at)
                continue
            }
            var telling = Telling(nil, .node(row.node), Matter(source: change.source, node: node))
            telling.waypoint = row
            // A waypoint that is sent again unchanged is not news.
            let value = row.value
            let key =
                "waypoint \(id) \(value.latitudeI ?? 0) \(value.longitudeI ?? 0) \(value.expire) "
                + "\(value.name) \(value.description)"
            try tell(event: index, telling, keys: [key], at: row.at, facts, now: now)
        }
    }

    /// Why the rule does not count a waypoint, although it counts its node.
    private func failed(
        _ rule: Rule, _ row: Record<Waypoint>, _ source: SourceID, _ facts: any RuleFacts, at now: Moment
    ) throws -> FailedCondition? {
        if !rule.conditions.hearsMuted {
            let conversation = row.channel.map { Conversation.channel(Int($0)) } ?? .direct(row.node)
            if let mute = try facts.mute(of: conversation, in: source, at: now.at) { return .muted(until: mute.end) }
        }
        if let failed = rule.conditions.failed(text: row.value.text) { return failed }
        guard case .waypointWithin(let metres) = rule.when else { return nil }
        guard let own = try facts.source(source)?.nodeNumber, let radio = try facts.node(own, in: source),
            let latitude = radio.latitude, let longitude = radio.longitude
        else { return .noOwnPlace }
        guard let north = row.value.latitudeI, let east = row.value.longitudeI else { return .noPlace }
        let distance = Circle.distance((latitude, longitude), (Double(north) / 1e7, Double(east) / 1e7))
        return distance <= metres ? nil : .distance
    }

    mutating func happenedOnce(
        _ index: Int, _ happening: Happening, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment
    ) throws {
        let rule = active[index].rule
        var matter = Matter(source: happening.source, text: happening.text)
        var keys = ["\(rule.when.type) \(happening.source.rawValue) \(happening.at)"]
        var subject = Subject.radio(happening.source)
        switch rule.when {
        case .nameChanged:
            guard change.origin == .live, let number = happening.node,
                let node = try facts.node(number, in: happening.source),
                try counts(index, node, node.channel, happening.source, facts, at: happening.at)
            else { return }
            (matter.node, matter.channel, subject) = (node, node.channel, .node(number))
            // Each radio hears it for itself, a moment apart.
            let names = "named \(number.id) \(node.longName ?? "") \(node.shortName ?? "")"
            keys = Self.keys(names, around: happening.at)
        case .rebooted:
            guard let number = try facts.source(happening.source)?.nodeNumber,
                let node = try facts.node(number, in: happening.source),
                try counts(index, node, node.channel, happening.source, facts, at: happening.at)
            else { return }
            (matter.node, matter.channel) = (node, node.channel)
        case .gatewayStarted:
            // Not at the start that first read the rule, neither now nor when that start is read again after a kill.
            guard !active[index].isOfThisRun else {
                active[index].row.change = change.number
                outcome.rules.insert(rule.name)
                return
            }
            subject = .gateway
        default: return
        }
        try tell(event: index, Telling(nil, subject, matter), keys: keys, at: happening.at, facts, now: now)
    }

    /// Keys of an event that several radios notice at slightly different times. The firing is stored under the first key; a firing
    /// under any of them means that the event was reported.
    static func keys(_ words: String, around time: Int64) -> [String] {
        let minute = time / Self.minute
        return [minute, minute - 1, minute + 1].map { "\(words) \($0)" }
    }
}

extension Waypoint {
    /// The author's text, with the description on a line of its own.
    fileprivate var text: String { [name, description].filter { !$0.isEmpty }.joined(separator: "\n") }
}
