import MeshModel
import Store

// Triggers by the clock. The next time is in memory; that a time has come is in the rule's log, by its key. So a service that
// starts a few minutes late makes up for it, once; one that starts more than an hour late does not.

extension Engine {
    /// When the rule runs next, in host milliseconds.
    func nextRun(_ rule: Rule, since time: Int64, at now: Moment) -> Int64? {
        guard case .at(let cron) = rule.when, now.isSure else { return nil }
        return cron.next(after: max(time, now.at - Self.stale), in: zone)
    }

    mutating func runTimers(_ facts: some RuleFacts, at now: Moment) throws {
        guard now.isSure else { return }
        for index in active.indices {
            guard case .at(let cron) = active[index].rule.when, let next = active[index].run, next <= now.at else {
                continue
            }
            active[index].run = cron.next(after: now.at, in: zone)
            // If several were missed, only the last one counts.
            guard var due = now.at - next > Self.stale ? cron.next(after: now.at - Self.stale, in: zone) : next else {
                continue
            }
            while let later = cron.next(after: due, in: zone), later <= now.at { due = later }
            if due <= now.at { try run(index, due, facts, at: now) }
        }
    }

    private mutating func run(_ index: Int, _ time: Int64, _ facts: some RuleFacts, at now: Moment) throws {
        let rule = active[index].rule
        var telling = Telling(nil, .gateway, Matter(source: .gateway))
        if rule.say == nil {
            let day: Int64 = 86_400_000
            let since = max(try facts.lastFired(rule.name) ?? time - day, time - 7 * day)
            telling.digest = try facts.digest(since: min(since, time), until: time)
        }
        try tell(event: index, telling, keys: ["at \(time)"], at: time, facts, now: now)
    }

    /// The host's clock was set. Times that were skipped are made up for; times that come again do not run again.
    mutating func setTimers(leap: Int64, at now: Moment) {
        for index in active.indices where leap < 0 || active[index].run == nil {
            active[index].run = nextRun(active[index].rule, since: now.at, at: now)
        }
    }
}
