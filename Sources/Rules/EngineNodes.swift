import MeshModel
import Store

// Nodes: their measured values, their silence, and their keys.

extension Engine {
    // MARK: values

    mutating func telemetry(
        _ number: NodeNumber, _ row: Int64, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment
    ) throws {
        for index in active.indices where change.number > active[index].row.change {
            switch active[index].rule.when {
            case .value(let threshold):
                guard let value = try facts.measurement(threshold.name, inRow: row) else { continue }
                try measured(index, threshold, value, row, change, facts, at: now)
            case .rebooted:
                guard let value = try facts.measurement("uptimeSeconds", inRow: row) else { continue }
                try rebooted(index, value, row, change, facts, at: now)
            default: break
            }
        }
    }

    private mutating func measured(
        _ index: Int, _ threshold: Threshold, _ point: Reader.Measurement, _ row: Int64, _ change: StoredChange,
        _ facts: any RuleFacts, at now: Moment
    ) throws {
        let isOwn = threshold.isOwnByItself && active[index].rule.conditions.nodes == nil
        let subject = isOwn ? Subject.radio(change.source) : .node(point.node)
        let key = Key(rule: active[index].rule.name, subject: subject)
        let isBeyond = !active[index].beyond.isEmpty && active[index].beyond[subject] != nil
        // Most values change nothing and need no further reads.
        guard threshold.holds(point.value) || isBeyond || episodes[key] != nil else { return }
        try crossed(index, key, threshold, point, row, change, isOwn: isOwn, facts, at: now)
    }

    /// A value that is beyond its limit, or may be the end of what was.
    private mutating func crossed(
        _ index: Int, _ key: Key, _ threshold: Threshold, _ point: Reader.Measurement, _ row: Int64,
        _ change: StoredChange, isOwn: Bool, _ facts: any RuleFacts, at now: Moment
    ) throws {
        let (subject, episode) = (key.subject, episodes[key])
        if isOwn, try facts.source(change.source)?.nodeNumber != point.node { return }
        guard episode != nil || threshold.holds(point.value) else {
            active[index].beyond[subject] = nil
            return
        }
        let rule = active[index].rule
        if let episode {
            let isOver = episode.isWaiting && !threshold.holds(point.value)
            guard isOver || rule.ends(threshold).holds(point.value) else {
                // In memory only, for repeated notifications: a commit for each value would cost more than the packet.
                episodes[key]!.value = point.value
                if threshold.holds(point.value), !episode.isWaiting {
                    let node = try facts.node(point.node, in: change.source)
                    let matter = Matter(source: change.source, node: node, channel: node?.channel)
                    let failed = episode.toldAt == nil ? .known : FailedCondition.episode(since: episode.beganAt)
                    miss(index, subject, failed, matter, at: point.at)
                }
                return
            }
        }
        guard let node = try facts.node(point.node, in: change.source) else { return }
        let matter = Matter(source: change.source, node: node, value: point.value, channel: node.channel)
        guard episode == nil else { return end(key, matter, at: point.at, now: now) }
        guard try counts(index, node, node.channel, change.source, facts, isOwn: isOwn, at: point.at) else { return }
        var isKnown = active[index].beyond[subject]?.isKnown ?? false
        if active[index].beyond[subject] == nil {
            let before = try facts.pointBefore(
                row: row, at: point.at, threshold.name, of: point.node, in: change.source)
            // Whether it held already when the rule was read.
            isKnown = before.map { $0.at <= active[index].row.at && threshold.holds($0.value) } ?? false
        }
        if threshold.lasting > 0 {
            // Reports from before a start, which are read again after a kill, say nothing about now.
            guard !self.isKnown(change) else { return }
            let since = active[index].exceeded(subject, at: point.at, in: change.source, isKnown: isKnown)
            guard point.at - since >= threshold.lasting else {
                return miss(index, subject, .brief(since: since), matter, at: point.at)
            }
            active[index].beyond[subject] = nil
        }
        try begin(index, subject, matter, at: point.at, isKnown: isKnown, facts, now: now)
    }

    private mutating func rebooted(
        _ index: Int, _ point: Reader.Measurement, _ row: Int64, _ change: StoredChange, _ facts: any RuleFacts,
        at now: Moment
    ) throws {
        // Our radios report their own restarts, in the handshake.
        guard try !facts.isOwn(point.node), let node = try facts.node(point.node, in: change.source),
            let before = try facts.pointBefore(
                row: row, at: point.at, "uptimeSeconds", of: point.node, in: change.source),
            point.value < before.value, try counts(index, node, node.channel, change.source, facts, at: point.at)
        else { return }
        let matter = Matter(source: change.source, node: node, value: point.value, channel: node.channel)
        // Keyed by when the node started, because another radio may have heard the same.
        let keys = Self.keys("rebooted \(node.number.id)", around: point.at - Int64(point.value) * 1000)
        try tell(
            event: index, Telling(nil, .node(point.node), matter), keys: keys, at: point.at, facts, now: now)
    }

    // MARK: silence and keys

    mutating func nodeChanged(
        _ number: NodeNumber, _ change: StoredChange, _ facts: any RuleFacts, at now: Moment
    ) throws {
        if change.origin == .ours {
            // A new favourite may have been silent for long.
            for index in active.indices where active[index].look != nil && active[index].rule.heedsFavourites {
                active[index].look = min(active[index].look!, now.at)
            }
        }
        let keys = statesOfRow(number)
        guard !keys.isEmpty else { return }
        let node = try facts.node(number, in: change.source)
        for key in keys {
            guard let rule = rule(key.rule), let episode = episodes[key] else { continue }
            let matter = Matter(source: change.source, node: node, value: episode.value, channel: node?.channel)
            switch rule.when {
            case .silent, .nodeBack:
                let heard = (node?.lastHeard ?? 0) * 1000
                // An earlier time from the same radio: the host's clock was ahead before.
                let isSet = episode.source == change.source && Double(heard) != episode.value
                guard isSet || Double(heard) > episode.value ?? 0 else { continue }
                if change.origin == .corrected {
                    var moved = episode
                    moved.value = Double(heard)
                    set(moved, key)
                } else {
                    end(key, matter, isNews: change.origin == .live, at: min(heard, now.at), now: now)
                }
            case .keyChanged where episode.source == change.source && node?.isKeyInDoubt != true:
                end(key, matter, at: now.at, now: now)
            default: break
            }
        }
    }

    /// What is open of a node and may end because its row says something else. Looked up rule by rule: hundreds may last of others.
    private func statesOfRow(_ number: NodeNumber) -> [Key] {
        var found: [Key] = []
        for index in active.indices {
            switch active[index].rule.when {
            case .silent, .nodeBack, .keyChanged: break
            default: continue
            }
            let key = Key(rule: active[index].rule.name, subject: .node(number))
            if episodes[key] != nil { found.append(key) }
        }
        return found.count > 1 ? found.sorted { $0.rule < $1.rule } : found
    }

    /// Drops the states of a node that its radio no longer has.
    mutating func nodeDeleted(_ number: NodeNumber, _ change: StoredChange, _ facts: any RuleFacts) throws {
        let subject = Subject.node(number)
        let gone = open { $0.subject == subject && $1.source == change.source }
        let reports = crossings.filter { $0.key.subject == subject && $0.value.source == change.source }
        for index in active.indices where active[index].beyond[subject]?.source == change.source {
            active[index].beyond[subject] = nil
        }
        // It may have come back since.
        guard !gone.isEmpty || !reports.isEmpty, try facts.node(number, in: change.source) == nil else { return }
        for key in gone {
            episodes[key] = nil
            outcome.episodes.insert(key)
        }
        // An unconfirmed crossing would report the opposite without the episode.
        for key in gone + reports.keys { crossings[key] = nil }
    }

    /// Compares which keys are in doubt after changes were missed. Doubts that a person has resolved end; the others are not news.
    mutating func compareDoubts(_ facts: any RuleFacts, at now: Moment) throws {
        guard active.contains(where: { $0.rule.when == .keyChanged }) else { return }
        let doubts = try facts.doubtedNodes()
        for key in open({ key, _ in rule(key.rule)?.when == .keyChanged }) {
            guard case .node(let number) = key.subject, let source = episodes[key]?.source,
                !doubts.contains(where: { $0.source == source && $0.number == number })
            else { continue }
            let node = try facts.node(number, in: source)
            end(key, Matter(source: source, node: node, channel: node?.channel), at: now.at, now: now)
        }
        for index in active.indices where active[index].rule.when == .keyChanged {
            for (source, number) in doubts {
                let node = try facts.node(number, in: source)
                let matter = Matter(source: source, node: node, channel: node?.channel)
                try begin(index, .node(number), matter, at: now.at, isKnown: true, facts, now: now)
            }
        }
    }

    /// Finds the nodes that are silent now, and when to check again.
    mutating func look(_ index: Int, _ facts: any RuleFacts, at now: Moment, isFirst: Bool = false) throws {
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
            // A node that was heard in the future was heard before the clock was set back, perhaps by an earlier run.
            let began = now.at - (now.uptime - started.uptime)
            let since = heard.at <= now.at ? heard.at : max(setBackAt, began)
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
            guard let node = try facts.node(heard.number, in: heard.source) else { continue }
            if let failed = try failed(rule, node, node.channel, heard.source, facts) {
                // Only once per silence.
                let before = active[index].lookedAt ?? now.at
                if rule.when.isState, links.liveTime(of: heard.source, since: since, at: before) < time {
                    miss(index, node, failed, in: heard.source, at: now.at)
                }
                continue
            }
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
        (active[index].look, active[index].lookedAt) = (max(next, now.at + 1_000), now.at)
    }

    mutating func keyChanged(
        _ index: Int, _ happening: Happening, _ facts: any RuleFacts, at now: Moment
    ) throws {
        guard let number = happening.node, let node = try facts.node(number, in: happening.source),
            try counts(index, node, node.channel, happening.source, facts, at: happening.at)
        else { return }
        let matter = Matter(source: happening.source, node: node, channel: node.channel)
        try begin(index, .node(number), matter, at: happening.at, facts, now: now)
    }
}
