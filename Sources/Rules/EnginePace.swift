import MeshModel
import Store

// A rule's pace: so many notifications at once, then one in a while, which counts what came meanwhile and grows.
//
//     told, told, told, told, told | counted, counted -> "and 2 more" | counted -> "and 3 more" | nothing new: all again
//                                  |<---- a pause ---->|              |<- a pause ->|
//
// 1. The log has every firing. The rule's row says when it told something last, and how many came since the pace began;
//    the log says the rest, so that a restart goes on where the last run ended.
// 2. While the service runs, times move with the clock. A time that lies ahead after a start is of another clock: then it counts
//    how long the gateway has run, so that nothing waits for a year.

extension Engine {
    /// What a rule counts instead of telling it.
    struct Growth {
        /// The same of all notifications that count it.
        var episode = randomUUID()
        /// When the first one came, in host milliseconds.
        var since: Int64
        var count = 0
        /// How many the last notification has counted.
        var told = 0
        /// The last ones, oldest first.
        var recent: [FeedRow] = []

        fileprivate mutating func add(_ row: FeedRow) {
            count += 1
            recent = (recent + [row]).suffix(FeedRow.mostListed)
        }

        /// Unique in the log; from it ``Engine/recallGrowth(_:_:at:)`` has what no row has.
        fileprivate var key: String { "more \(episode) \(since) \(count)" }
    }

    /// Tells a firing if the rule's pace allows it, else counts it.
    mutating func pace(_ index: Int, _ firing: RuleFiring, at now: Moment) {
        let rule = active[index].rule
        guard rule.pause != nil else { return outcome.firings.append(firing) }
        var (burst, firing) = (active[index].row.burst ?? .init(at: now.at), firing)
        burst.count += 1
        if burst.count <= rule.atOnce {
            burst.at = now.at
        } else {
            firing.fate = .counted
            burst.needs.formUnion(firing.row.needs)
            var growth = active[index].growth ?? Growth(since: firing.row.createdAt)
            growth.add(firing.row)
            active[index].growth = growth
        }
        active[index].row.burst = burst
        outcome.rules.insert(rule.name)
        outcome.firings.append(firing)
    }

    /// Tells what was counted, if the time has come. If nothing was, the rule may tell as many at once again.
    mutating func tellWhatGrew(_ index: Int, at now: Moment) {
        let rule = active[index].rule
        guard let pause = rule.pause, let burst = active[index].row.burst, elapsed(since: burst.at, at: now) >= pause
        else { return }
        guard var growth = active[index].growth, growth.count > growth.told else {
            // Not stored: after a restart it is over as well.
            (active[index].row.burst, active[index].growth) = (nil, nil)
            return
        }
        growth.told = growth.count
        active[index].growth = growth
        active[index].row.burst!.at = now.at
        outcome.rules.insert(rule.name)
        let row = FeedRow(
            counting: growth.recent, count: growth.count, since: localTime(growth.since, from: now.at), of: rule.name,
            at: now.at, priority: rule.priority, needs: burst.needs, episode: growth.episode)
        tell(row, key: growth.key, of: growth.recent)
    }

    mutating func tell(_ row: FeedRow, key: String, of counted: [FeedRow]) {
        outcome.firings.append(RuleFiring(key: key, fate: .told, row: row))
        outcome.counted[row.uuid] = counted.suffix(FeedRow.mostListed)
    }

    /// When ``tellWhatGrew(_:at:)`` has something to tell, in host milliseconds.
    func growthDue(_ active: Active, at now: Moment) -> Int64? {
        guard let growth = active.growth, growth.count > growth.told, let pause = active.rule.pause,
            let burst = active.row.burst
        else { return nil }
        return now.at + max(0, pause - elapsed(since: burst.at, at: now))
    }

    /// Milliseconds since a time of the host's clock, by which something was told.
    private func elapsed(since time: Int64, at now: Moment) -> Int64 {
        if time <= now.at { return now.at - time }
        return time - now.at <= Self.tolerance ? 0 : now.uptime - started.uptime
    }

    /// Goes on with what the rule counted before a restart.
    func recallGrowth(_ active: inout Active, _ facts: any RuleFacts, at now: Moment) throws {
        guard var burst = active.row.burst else { return }
        if now.isSure { burst.at = min(burst.at, now.at) }
        active.row.burst = burst
        guard burst.count > active.rule.atOnce else { return }
        var (episode, since, pending) = (String?.none, String?.none, 0)
        var rows: [FeedRow] = []
        for firing in try facts.firings(of: active.rule.name) where firing.fate != .old && !firing.isAct {
            if firing.fate == .counted {
                rows.append(firing.row)
                if episode == nil { pending += 1 }
                continue
            }
            let words = firing.key.split(separator: " ").map(String.init)
            guard words.first == "more", words.count == 4, episode == nil || episode == words[1] else { break }
            (episode, since) = (words[1], since ?? words[2])
        }
        var growth = Growth(since: since.flatMap { Int64($0) } ?? rows.last?.createdAt ?? burst.at)
        growth.episode = episode ?? growth.episode
        growth.count = burst.count - active.rule.atOnce
        growth.told = max(0, growth.count - pending)
        growth.recent = rows.prefix(FeedRow.mostListed).reversed()
        if now.isSure { growth.since = min(growth.since, now.at) }
        active.growth = growth
    }
}
