import MeshModel
import Store

// Triggers by the clock. The next time is in memory; that a time has come is in the rule's log, by its key. So a service that
// starts a few minutes late makes up for it, once; one that starts more than an hour late does not.

extension Engine {
    /// When the rule runs next, in host milliseconds.
    ///
    /// - Parameter time: when it was read first; by a clock that was ahead perhaps.
    func nextRun(_ rule: Rule, since time: Int64, at now: Moment) -> Int64? {
        guard case .at(let cron) = rule.when, now.isSure else { return nil }
        return cron.next(after: max(min(time, now.at), now.at - Self.stale), in: zone)
    }

    mutating func runTimers(_ facts: any RuleFacts, at now: Moment) throws {
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

    private mutating func run(_ index: Int, _ time: Int64, _ facts: any RuleFacts, at now: Moment) throws {
        let rule = active[index].rule
        var telling = Telling(nil, .gateway, Matter(source: .gateway))
        if rule.say == nil {
            let day: Int64 = 86_400_000
            // One that seems to be to come was told while the clock was ahead.
            let last = try facts.lastFired(rule.name).flatMap { $0 < time ? $0 : nil }
            telling.digest = try facts.digest(since: max(last ?? time - day, time - 7 * day), until: time)
        }
        try tell(event: index, telling, keys: ["at \(time)"], at: time, facts, now: now)
    }

    /// The host's clock was set. Times that were skipped are made up for; times that come again do not run again.
    mutating func setTimers(leap: Int64, at now: Moment) {
        for index in active.indices where leap < 0 || active[index].run == nil {
            // While the clock was unset none came: those of a rule of before, as at a start.
            let since = leap < 0 || active[index].isOfThisRun ? now.at : active[index].row.at
            active[index].run = nextRun(active[index].rule, since: since, at: now)
        }
    }
}
