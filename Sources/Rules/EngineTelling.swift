import MeshModel
import Store

// What a firing becomes: a row of the feed, one of those that a row counts, or only a line of the log.

extension Engine {
    /// Reports an event, unless it was reported already.
    ///
    /// - Parameter keys: each of them identifies it.
    mutating func tell(
        event index: Int, _ telling: Telling, keys: [String], at time: Int64, _ facts: any RuleFacts, now: Moment
    ) throws {
        let rule = active[index].rule.name
        let pending = outcome.firings + (caught[rule] ?? [])
        let acts = active[index].rule.acting != nil
        for key in keys {
            if acts,
                try outcome.acts.contains(where: { $0.rule.name == rule && $0.key == Act.key(of: key) })
                    || facts.hasFired(rule, key: Act.key(of: key))
            {
                return
            }
            if pending.contains(where: { $0.row.rule == rule && $0.key == key }) { return }
            if try facts.hasFired(rule, key: key) { return }
        }
        tell(index, telling, key: keys[0], at: time, now: now)
    }

    mutating func tell(_ index: Int, _ telling: Telling, key: String, at time: Int64, now: Moment) {
        let rule = active[index].rule
        if rule.acting != nil { act(index, telling, key: key, at: time, now: now) }
        guard rule.tells else { return }
        let isOld = now.at - time > Self.stale
        guard isOld || isCool(index, telling, at: time) else { return }
        let row = telling.row(of: rule, at: time)
        // A failing disk is reported at once, or never.
        if isCatchingUp, rule.when != .storageFailing {
            // A rule's log has no more than a thousand.
            if caught[rule.name, default: []].count >= 1_000 { caught[rule.name]!.removeFirst() }
            caught[rule.name, default: []].append(RuleFiring(key: key, fate: .told, row: row))
            return
        }
        guard !isOld else {
            return outcome.firings.append(RuleFiring(key: key, fate: .old, row: row))
        }
        tellWhatGrew(index, at: now)
        pace(index, RuleFiring(key: key, fate: .told, row: row), at: now)
    }

    /// Reports what was found while catching up with the log: one by one as far as the rule's pace allows, else as one summary.
    mutating func tellCaught(_ index: Int, at now: Moment) {
        let rule = active[index].rule
        let firings = caught[rule.name] ?? []
        let fresh = firings.filter { now.at - $0.row.createdAt <= Self.stale }
        tellWhatGrew(index, at: now)
        let left = rule.pause == nil ? .max : rule.atOnce - (active[index].row.burst?.count ?? 0)
        let isSummed = left > 0 && fresh.count > left
        for var firing in firings {
            if now.at - firing.row.createdAt > Self.stale {
                firing.fate = .old
                outcome.firings.append(firing)
            } else if isSummed {
                firing.fate = .counted
                outcome.firings.append(firing)
            } else {
                pace(index, firing, at: now)
            }
        }
        guard isSummed, let last = fresh.last else { return }
        let row = FeedRow(
            counting: fresh.map(\.row), count: fresh.count, of: rule.name, at: now.at, priority: rule.priority,
            needs: fresh.reduce(into: Set()) { $0.formUnion($1.row.needs) })
        active[index].row.burst = .init(at: now.at, count: rule.atOnce)
        outcome.rules.insert(rule.name)
        tell(row, key: "caught \(last.key)", of: fresh.map(\.row))
    }
}
