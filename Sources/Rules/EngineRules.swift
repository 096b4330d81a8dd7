import MeshModel
import Store

// Which rules are active, and what holds already when one is first read.

extension Engine {
    /// Replaces the active rules. One that is new, or whose text has changed, begins at the newest change: what holds then is not
    /// news.
    ///
    /// - Parameter stored: the rules' rows so far.
    public mutating func use(
        _ rules: [Rule], stored: [RuleRow], newest: Int64, _ facts: any RuleFacts, at now: Moment
    ) throws {
        let rules = rules.filter(\.isEnabled)
        let before = Dictionary(stored.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let running = Dictionary(active.map { ($0.rule.name, $0) }, uniquingKeysWith: { first, _ in first })
        for row in stored where !rules.contains(where: { $0.name == row.name && $0.text == row.settings }) {
            outcome.removedRules.append(row.name)
            episodes = episodes.filter { $0.key.rule != row.name }
        }
        crossings = crossings.filter { crossing in
            rules.contains { $0.name == crossing.key.rule && before[$0.name]?.settings == $0.text }
        }
        active = []
        for rule in rules {
            let look = rule.when.looks ? now.at : nil
            if let row = before[rule.name], row.settings == rule.text {
                var kept = running[rule.name] ?? Active(rule, row)
                (kept.rule, kept.row, kept.look) = (rule, row, kept.look ?? look)
                kept.run = nextRun(rule, since: row.at, at: now)
                if running[rule.name] == nil {
                    try kept.recallTold(facts, at: now)
                    try recallGrowth(&kept, facts, at: now)
                }
                active.append(kept)
                continue
            }
            let row = RuleRow(rule.name, settings: rule.text, change: min(rule.since ?? newest, newest), at: now.at)
            outcome.rules.insert(rule.name)
            var new = Active(rule, row)
            (new.look, new.run, new.isOfThisRun) = (look, nextRun(rule, since: now.at, at: now), true)
            active.append(new)
            try adopt(active.count - 1, facts, at: now)
        }
    }

    /// Opens an episode for what holds when a rule is first read, without a notification.
    private mutating func adopt(_ index: Int, _ facts: any RuleFacts, at now: Moment) throws {
        let rule = active[index].rule
        func open(_ subject: Subject, _ source: SourceID, channel: Int? = nil) {
            let key = Key(rule: rule.name, subject: subject)
            episodes[key] = Episode(rule.name, subject.text, in: source, at: now.at)
            outcome.episodes.insert(key)
            miss(index, subject, .known, Matter(source: source, channel: channel), at: now.at)
        }
        switch rule.when {
        case .silent, .nodeBack: try look(index, facts, at: now, isFirst: true)
        case .keyChanged:
            for (source, number) in try facts.doubtedNodes() {
                open(.node(number), source, channel: try facts.node(number, in: source)?.channel)
            }
        case .radioLost(let time):
            for (source, loss) in try absences(facts) where due(loss, after: time, at: now) <= now.at {
                open(.radio(source), source)
            }
        case .problem(let name):
            for (source, names) in facts.problems() {
                for found in names where name == nil || name == found { open(.problem(source, found), source) }
            }
        case .value(let threshold):
            for found in try beyondLimit(rule, threshold, facts, at: now) {
                open(found.subject, found.source, channel: found.node.channel)
            }
        case .entersCircle, .leavesCircle: try compareCircles(facts, only: index, isFirst: true)
        case .storageFailing: if facts.storageFailingSince != nil { open(.gateway, .gateway) }
        default: break
        }
    }
}
