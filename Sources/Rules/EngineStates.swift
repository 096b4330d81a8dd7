import MeshModel
import Store

// States: how their episodes begin and end.

extension Engine {
    /// What a state is about, for its title and for who may see it.
    struct Matter {
        var source: SourceID
        var node: Node?
        var value: Double?
        /// On which a node was heard.
        var channel: Int?
        /// A problem's name.
        var name: String?
    }

    /// The state holds.
    ///
    /// - Parameters:
    ///   - at: host milliseconds since when.
    ///   - isKnown: it held before the rule was read.
    mutating func begin(
        _ index: Int, _ subject: Subject, _ matter: Matter, at time: Int64, isKnown: Bool = false,
        _ facts: some RuleFacts, now: Moment
    ) throws {
        let rule = active[index].rule
        let key = Key(rule: rule.name, subject: subject)
        if var episode = episodes[key] {
            // What waits, waits with the latest value.
            guard episode.isWaiting, episode.value != matter.value else { return }
            episode.value = matter.value
            set(episode, key)
            return
        }
        var episode = Episode(rule.name, subject.text, in: matter.source, at: time, value: matter.value)
        if isKnown { return set(episode, key) }
        guard isOpen(rule, matter.source, at: now) else {
            episode.isWaiting = true
            return set(episode, key)
        }
        episode.toldAt = now.at
        set(episode, key)
        // The ends of these are told, not they.
        guard rule.when.isState else { return }
        tell(
            index, Telling(.begins, subject, matter, episode), key: "\(subject.text) begins \(episode.beganAt)",
            at: time,
            now: now)
    }

    /// The state holds no longer.
    ///
    /// - Parameter isNews: it ends just now.
    mutating func end(
        _ key: Key, _ matter: Matter, isNews: Bool = true, at time: Int64, now: Moment
    ) {
        guard let episode = episodes.removeValue(forKey: key) else { return }
        outcome.episodes.insert(key)
        guard !episode.isWaiting, let index = active.firstIndex(where: { $0.rule.name == key.rule }) else { return }
        let rule = active[index].rule
        let id = "\(key.subject.text) ends \(episode.beganAt)"
        if !rule.when.isState {
            if isNews { tell(index, Telling(nil, key.subject, matter, episode), key: id, at: time, now: now) }
        } else if rule.tellsEnd, episode.toldAt != nil {
            tell(index, Telling(.ends, key.subject, matter, episode), key: id, at: time, now: now)
        }
    }

    private mutating func set(_ episode: Episode, _ key: Key) {
        episodes[key] = episode
        outcome.episodes.insert(key)
    }

    private func open(_ test: (Key) -> Bool) -> [Key] {
        episodes.keys.filter(test).sorted { ($0.rule, $0.subject.text) < ($1.rule, $1.subject.text) }
    }

    // MARK: values

    mutating func telemetry(
        _ number: NodeNumber, _ row: Int64, _ change: StoredChange, _ facts: some RuleFacts, at now: Moment
    ) throws {
        let asking = active.indices.filter { index in
            guard change.number > active[index].row.change else { return false }
            switch active[index].rule.when {
            case .value, .rebooted: return true
            default: return false
            }
        }
        guard !asking.isEmpty else { return }
        let points = try facts.points(inRow: row, in: change.source)
        for index in asking {
            if case .value(let threshold) = active[index].rule.when {
                guard let point = points.first(where: { $0.name == threshold.name }) else { continue }
                try measured(index, threshold, point, row, change, facts, at: now)
            } else if let point = points.first(where: { $0.name == "uptimeSeconds" }) {
                try rebooted(index, point, row, change, facts, at: now)
            }
        }
    }

    private mutating func measured(
        _ index: Int, _ threshold: Threshold, _ point: TelemetryPoint, _ row: Int64, _ change: StoredChange,
        _ facts: some RuleFacts, at now: Moment
    ) throws {
        let rule = active[index].rule
        let isOwn = threshold.isOwnByItself && rule.conditions.nodes == nil
        let subject = isOwn ? Subject.radio(change.source) : .node(point.node)
        let key = Key(rule: rule.name, subject: subject)
        let isOpen = episodes[key] != nil
        // Most values change nothing, and ask for nothing more.
        guard isOpen || threshold.holds(point.value) else { return }
        guard let node = try facts.node(point.node, in: change.source) else { return }
        if isOwn, try facts.source(change.source)?.nodeNumber != point.node { return }
        let matter = Matter(source: change.source, node: node, value: point.value, channel: node.channel)
        if isOpen {
            let isOver = episodes[key]?.isWaiting == true && !threshold.holds(point.value)
            if isOver || rule.ends(threshold).holds(point.value) {
                end(key, matter, at: point.at, now: now)
            } else if threshold.holds(point.value) {
                try begin(index, subject, matter, at: point.at, facts, now: now)
            }
            // For what is told while it lasts. No value is worth a commit.
            episodes[key]?.value = point.value
            return
        }
        guard try failed(rule, node, node.channel, change.source, facts, isOwn: isOwn) == nil else { return }
        let before = try facts.pointBefore(row: row, at: point.at, threshold.name, of: point.node, in: change.source)
        // It held already when the rule was read.
        let isKnown = before.map { $0.at <= active[index].row.at && threshold.holds($0.value) } ?? false
        try begin(index, subject, matter, at: point.at, isKnown: isKnown, facts, now: now)
    }

    private mutating func rebooted(
        _ index: Int, _ point: TelemetryPoint, _ row: Int64, _ change: StoredChange, _ facts: some RuleFacts,
        at now: Moment
    ) throws {
        // Of an own radio its own word counts, which comes with the handshake.
        guard try !facts.isOwn(point.node), let node = try facts.node(point.node, in: change.source),
            let before = try facts.pointBefore(
                row: row, at: point.at, "uptimeSeconds", of: point.node, in: change.source),
            point.value < before.value, try failed(active[index].rule, node, node.channel, change.source, facts) == nil
        else { return }
        let matter = Matter(source: change.source, node: node, value: point.value, channel: node.channel)
        // By when it has started: another radio may have heard the same.
        let start = (point.at / 1000 - Int64(point.value)) / 300
        try tell(
            event: index, Telling(nil, .node(point.node), matter), keys: ["rebooted \(node.number.id) \(start)"],
            at: point.at,
            facts, now: now)
    }

    // MARK: nodes

    mutating func nodeChanged(
        _ number: NodeNumber, _ change: StoredChange, _ facts: some RuleFacts, at now: Moment
    ) throws {
        if change.origin == .ours {
            // A favourite more may have been silent for long.
            for index in active.indices where active[index].look != nil && active[index].rule.conditions.nodes != nil {
                active[index].look = min(active[index].look!, now.at)
            }
        }
        let keys = open { $0.subject == .node(number) }
        guard !keys.isEmpty else { return }
        let node = try facts.node(number, in: change.source)
        for key in keys {
            guard let rule = rule(key.rule), let episode = episodes[key] else { continue }
            let matter = Matter(source: change.source, node: node, value: episode.value, channel: node?.channel)
            switch rule.when {
            case .silent, .nodeBack:
                let heard = (node?.lastHeard ?? 0) * 1000
                guard Double(heard) > episode.value ?? 0 else { continue }
                end(key, matter, isNews: change.origin == .live, at: heard, now: now)
            case .keyChanged where episode.source == change.source && node?.announcedKey == nil:
                end(key, matter, at: now.at, now: now)
            default: break
            }
        }
    }

    /// Which nodes are silent now, and when to look again.
    mutating func look(_ index: Int, _ facts: some RuleFacts, at now: Moment, isFirst: Bool = false) throws {
        let rule = active[index].rule
        let time: Int64
        switch rule.when {
        case .silent(let value), .nodeBack(let value): time = value
        default: return
        }
        var next = now.at + time
        var seen: Set<NodeNumber> = []
        for heard in try facts.heardNodes() {
            seen.insert(heard.number)
            // What seems to come from later was heard before the clock was set back.
            let since = min(heard.at, now.at)
            let silence = links.liveTime(of: heard.source, since: since, at: now.at)
            let key = Key(rule: rule.name, subject: .node(heard.number))
            if let episode = episodes[key] {
                guard Double(heard.at) > episode.value ?? 0 else { continue }
                let node = try facts.node(heard.number, in: heard.source)
                let matter = Matter(source: heard.source, node: node, channel: node?.channel)
                end(key, matter, isNews: false, at: heard.at, now: now)
            }
            guard silence >= time else {
                if links.isLive(heard.source) { next = min(next, now.at + time - silence) }
                continue
            }
            guard let node = try facts.node(heard.number, in: heard.source),
                try failed(rule, node, node.channel, heard.source, facts) == nil
            else { continue }
            let matter = Matter(source: heard.source, node: node, value: Double(heard.at), channel: node.channel)
            try begin(index, key.subject, matter, at: now.at, isKnown: isFirst, facts, now: now)
        }
        // A node that was deleted is no longer silent.
        for key in episodes.keys where key.rule == rule.name {
            if case .node(let number) = key.subject, !seen.contains(number) {
                episodes[key] = nil
                outcome.episodes.insert(key)
            }
        }
        active[index].look = max(next, now.at + 1_000)
    }

    // MARK: radios

    mutating func happened(
        _ happening: Happening, _ change: StoredChange, _ facts: some RuleFacts, at now: Moment
    ) throws {
        let source = happening.source
        let wasLost = lost[source]
        if happening.kind == .link {
            if isKnown(change) {
                lost[source] = happening.name == "lost" ? Loss(at: happening.at, isOfStart: false) : nil
            } else {
                fold(happening)
                if happening.name == "live" { lookAgain(at: now) }
            }
        }
        for index in active.indices where change.number > active[index].row.change {
            let rule = active[index].rule
            let matter = Matter(source: source, name: happening.name)
            switch (rule.when, happening.kind, happening.name) {
            case (.radioLost(let time), .link, "live"):
                guard try rule.conditions.isOf(source, facts) else { continue }
                if let wasLost, !wasLost.isOfStart, happening.at - wasLost.at >= time {
                    try begin(index, .radio(source), matter, at: wasLost.at + time, facts, now: now)
                }
                end(Key(rule: rule.name, subject: .radio(source)), matter, at: happening.at, now: now)
            case (.radioLost(0), .link, "lost"):
                guard try rule.conditions.isOf(source, facts) else { continue }
                try begin(index, .radio(source), matter, at: happening.at, facts, now: now)
            case (.radioBack(let time), .link, "live"):
                guard let wasLost, happening.at - wasLost.at >= time, try rule.conditions.isOf(source, facts) else {
                    continue
                }
                try tell(
                    event: index, Telling(nil, .radio(source), matter),
                    keys: ["back \(source.rawValue) \(happening.at)"],
                    at: happening.at, facts, now: now)
            case (.problem(let wanted), .problem, let name?) where wanted == nil || wanted == name:
                guard try rule.conditions.isOf(source, facts) else { continue }
                try begin(index, .problem(source, name), matter, at: happening.at, facts, now: now)
            case (.problem, .solved, let name?):
                end(Key(rule: rule.name, subject: .problem(source, name)), matter, at: happening.at, now: now)
            case (.keyChanged, .key, "key-changed"): try keyChanged(index, happening, facts, at: now)
            case (.nameChanged, .renamed, _), (.rebooted, .restart, _), (.gatewayStarted, .started, _):
                try happenedOnce(index, happening, change, facts, at: now)
            default: break
            }
        }
        if happening.kind == .link, !isCatchingUp { try openGates(facts, at: now) }
    }

    private mutating func keyChanged(
        _ index: Int, _ happening: Happening, _ facts: some RuleFacts, at now: Moment
    ) throws {
        guard let number = happening.node, let node = try facts.node(number, in: happening.source),
            try failed(active[index].rule, node, node.channel, happening.source, facts) == nil
        else { return }
        let matter = Matter(source: happening.source, node: node, channel: node.channel)
        try begin(index, .node(number), matter, at: happening.at, facts, now: now)
    }

    /// Radios that have been away for long enough.
    mutating func loseRadios(_ index: Int, _ facts: some RuleFacts, at now: Moment) throws {
        guard case .radioLost(let time) = active[index].rule.when else { return }
        for (source, loss) in lost.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let due = due(loss, after: time, at: now)
            guard due <= now.at, try active[index].rule.conditions.isOf(source, facts) else { continue }
            try begin(index, .radio(source), Matter(source: source), at: due, facts, now: now)
        }
    }

    /// What ended while nobody looked, and what began.
    mutating func comparePresentProblems(_ facts: some RuleFacts, at now: Moment) throws {
        guard active.contains(where: { if case .problem = $0.rule.when { true } else { false } }) else { return }
        let present = facts.problems()
        for key in open({ if case .problem = $0.subject { true } else { false } }) {
            guard case .problem(let source, let name) = key.subject, present[source]?.contains(name) != true else {
                continue
            }
            end(key, Matter(source: source, name: name), at: now.at, now: now)
        }
        for index in active.indices {
            guard case .problem(let wanted) = active[index].rule.when else { continue }
            for (source, names) in present where try active[index].rule.conditions.isOf(source, facts) {
                for name in names.sorted() where wanted == nil || wanted == name {
                    try begin(
                        index, .problem(source, name), Matter(source: source, name: name), at: now.at, facts, now: now)
                }
            }
        }
    }

    /// The disk cannot be written any more, or can be again.
    public mutating func storageChanged(_ facts: some RuleFacts, at now: Moment) throws {
        let since = facts.storageFailingSince
        for index in active.indices where active[index].rule.when == .storageFailing {
            let matter = Matter(source: .gateway)
            if let since {
                try begin(index, .gateway, matter, at: since, facts, now: now)
            } else {
                end(Key(rule: active[index].rule.name, subject: .gateway), matter, at: now.at, now: now)
            }
        }
    }

    // MARK: time

    /// What has waited for its gate begins.
    mutating func openGates(_ facts: some RuleFacts, at now: Moment) throws {
        for key in open({ episodes[$0]?.isWaiting == true }) {
            guard var episode = episodes[key], let index = active.firstIndex(where: { $0.rule.name == key.rule }),
                isOpen(active[index].rule, episode.source, at: now)
            else { continue }
            (episode.isWaiting, episode.beganAt, episode.toldAt) = (false, now.at, now.at)
            set(episode, key)
            guard active[index].rule.when.isState else { continue }
            tell(
                index, Telling(.begins, key.subject, try matter(of: episode, key.subject, facts), episode),
                key: "\(key.subject.text) begins \(now.at)", at: now.at, now: now)
        }
    }

    mutating func repeatWhatLasts(_ facts: some RuleFacts, at now: Moment) throws {
        for key in open({ episodes[$0]?.toldAt != nil }) {
            guard var episode = episodes[key], let told = episode.toldAt,
                let index = active.firstIndex(where: { $0.rule.name == key.rule }),
                let repeats = active[index].rule.repeats, told + repeats <= now.at,
                isOpen(active[index].rule, episode.source, at: now)
            else { continue }
            // By the deadline, not by the time at which it was kept.
            let due = told + repeats
            episode.toldAt = max(due, now.at - repeats + 1)
            set(episode, key)
            tell(
                index, Telling(.lasts, key.subject, try matter(of: episode, key.subject, facts), episode),
                key: "\(key.subject.text) lasts \(due)", at: now.at, now: now)
        }
    }

    private func matter(of episode: Episode, _ subject: Subject, _ facts: some RuleFacts) throws -> Matter {
        var matter = Matter(source: episode.source, value: episode.value)
        switch subject {
        case .node(let number): matter.node = try facts.node(number, in: episode.source)
        case .radio:
            if let number = try facts.source(episode.source)?.nodeNumber {
                matter.node = try facts.node(number, in: episode.source)
            }
        case .problem(_, let name): matter.name = name
        case .gateway: break
        }
        matter.channel = matter.node?.channel
        return matter
    }

    /// Why the rule does not count a node.
    func failed(
        _ rule: Rule, _ node: Node, _ channel: Int?, _ source: SourceID, _ facts: some RuleFacts, isOwn: Bool = false
    ) throws -> FailedCondition? {
        guard let found = try facts.source(source) else { return .radio }
        if isOwn { return rule.conditions.failed(in: found) }
        let names = rule.conditions.channels.isEmpty ? [:] : try facts.channelNames(in: source)
        return rule.conditions.failed(for: node, on: channel, in: found, channels: names)
            ?? rule.conditions.failed(hops: node.hopsAway, viaMQTT: node.viaMQTT ?? false)
    }
}

extension Conditions {
    func isOf(_ source: SourceID, _ facts: some RuleFacts) throws -> Bool {
        if radios.isEmpty { return true }
        return try facts.source(source).map { failed(in: $0) == nil } ?? false
    }
}
