import MeshModel
import Store

// What a firing becomes: a row of the feed, a number in "and N more", or only a line of the log.

extension Engine {
    /// Reports an event, unless it was reported already.
    ///
    /// - Parameter keys: each of them identifies it.
    mutating func tell(
        event index: Int, _ telling: Telling, keys: [String], at time: Int64, _ facts: some RuleFacts, now: Moment
    ) throws {
        let rule = active[index].rule.name
        let pending = outcome.firings + (caught[rule] ?? [])
        for key in keys {
            if pending.contains(where: { $0.row.rule == rule && $0.key == key }) { return }
            if try facts.hasFired(rule, key: key) { return }
        }
        tell(index, telling, key: keys[0], at: time, now: now)
    }

    mutating func tell(_ index: Int, _ telling: Telling, key: String, at time: Int64, now: Moment) {
        let rule = active[index].rule
        let row = telling.row(of: rule, at: time)
        // A failing disk is reported at once, or never.
        if isCatchingUp, rule.when != .storageFailing {
            // A rule's log has no more than a thousand.
            if caught[rule.name, default: []].count >= 1_000 { caught[rule.name]!.removeFirst() }
            caught[rule.name, default: []].append(RuleFiring(key: key, fate: .told, row: row))
            return
        }
        guard now.at - time <= Self.stale else {
            return outcome.firings.append(RuleFiring(key: key, fate: .old, row: row))
        }
        var burst = active[index].row.burst ?? .init(at: now.at)
        if now.at - burst.at >= Self.minute || now.at < burst.at {
            endBurst(index, at: now, isOver: true)
            burst = .init(at: now.at)
        }
        burst.count += 1
        let isTold = burst.count <= Self.burst
        if !isTold { burst.needs.formUnion(row.needs) }
        active[index].row.burst = burst
        outcome.rules.insert(rule.name)
        outcome.firings.append(RuleFiring(key: key, fate: isTold ? .told : .counted, row: row))
    }

    /// Reports how many more there were, when the minute is over.
    mutating func endBurst(_ index: Int, at now: Moment, isOver: Bool = false) {
        guard let burst = active[index].row.burst, isOver || now.at - burst.at >= Self.minute || now.at < burst.at
        else { return }
        // Otherwise the burst simply expires: a rule that fires once a day needs no deadline.
        guard burst.count > Self.burst else { return }
        active[index].row.burst = nil
        let rule = active[index].rule
        outcome.rules.insert(rule.name)
        outcome.firings.append(
            RuleFiring(
                key: "more \(burst.at)", fate: .told,
                row: .summary(of: rule, count: burst.count - Self.burst, isMore: true, needs: burst.needs, at: now.at)))
    }

    /// Reports what was found while catching up with the log.
    mutating func tellCaught(of rule: Rule, at now: Moment) {
        let firings = caught[rule.name] ?? []
        let fresh = firings.filter { now.at - $0.row.createdAt <= Self.stale }
        let isSummed = fresh.count > Self.burst
        for firing in firings {
            let isOld = now.at - firing.row.createdAt > Self.stale
            outcome.firings.append(
                RuleFiring(key: firing.key, fate: isOld ? .old : isSummed ? .counted : .told, row: firing.row))
        }
        guard isSummed, let last = fresh.last else { return }
        let needs = fresh.reduce(into: Set()) { $0.formUnion($1.row.needs) }
        outcome.firings.append(
            RuleFiring(
                key: "caught \(last.key)", fate: .told,
                row: .summary(of: rule, count: fresh.count, isMore: false, needs: needs, at: now.at)))
    }
}

extension FeedRow {
    fileprivate static func summary(
        of rule: Rule, count: Int, isMore: Bool, needs: Set<Need>, at time: Int64
    ) -> FeedRow {
        FeedRow(
            at: time, in: nil, type: "more",
            title: isMore ? "\(rule.name): and \(count) more" : "\(rule.name): \(count) times",
            body: isMore
                ? "The rule's log has all of them." : "While the gateway was away. The rule's log has all of them.",
            needs: needs, priority: rule.priority, rule: rule.name)
    }
}
