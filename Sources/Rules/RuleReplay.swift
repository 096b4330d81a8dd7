import MeshModel
import Store

// Replays the change log for one rule, as if the rule had existed when the log began.
//
// The log has no times, so the rows that it names are the clock: times of texts, of reports, of happenings. Changes between two of
// them happen at the earlier one.

struct RuleReplay {
    /// The most deadlines that are run: a rule for each minute on a log of years ends here.
    private static let mostSteps = 50_000
    private static let page = 500

    private let reader: Reader
    private let rule: Rule
    private let facts: PastFacts
    private let start: Int64
    /// The present. A row that seems to be later was stored while the clock was ahead.
    private let end: Int64
    private var engine: Engine
    private var now: Moment
    private var steps = 0
    private var near = NearMisses()
    private var found: RuleTest
    private let trial: ActTrial
    /// Nodes that have reported their position.
    private var placed: Set<NodeNumber> = []

    private static let kinds: Set<StoredChange.Kind> = [
        .message, .node, .nodeHeard, .nodeIntroduced, .nodeDeleted, .position, .telemetry, .waypoint, .happened,
    ]

    /// nil if nothing in the log has a time.
    init?(_ rule: Rule, _ reader: Reader, at end: Int64, on host: TestingHost) throws {
        guard let start = try Self.start(reader, before: end) else { return nil }
        (self.reader, self.rule, self.start, self.end) = (reader, rule, start, end)
        facts = PastFacts(reader, heard: try reader.heardNodes(), from: start)
        trial = try ActTrial(facts, host, at: end)
        found = RuleTest(rule, reach: rule.when.reach + (rule.acting == nil ? "" : " \(ActTrial.reach)"))
        found.since = start
        // It has run long enough for silence to count.
        engine = try Self.engine(reader, at: Moment(at: start - Engine.settling, uptime: 0), before: start)
        now = Moment(at: start, uptime: Engine.settling)
        try engine.use([rule], stored: [], newest: 0, facts, at: now)
        engine.active[0].isOfThisRun = false
        engine.goOn()
        // Where nodes are now says nothing about where they were.
        if rule.when.circle != nil { engine.episodes = [:] }
        engine.clear()
    }

    mutating func run() throws {
        var place: Int64 = 0
        while true {
            let (changes, last, _) = try reader.changes(after: place, kinds: Self.kinds, limit: Self.page)
            for change in changes { try take(change) }
            if last == place { return }
            place = last
        }
    }

    mutating func result() throws -> RuleTest {
        try advance(to: end)
        var result = found
        if steps >= Self.mostSteps { result.reach += " It has too many times: the last ones are left out." }
        result.finish(near.all(of: rule))
        return result
    }

    // MARK: changes

    private mutating func take(_ change: StoredChange) throws {
        let happening: Happening? = if case .happened(let row) = change.what { try facts.happening(row) } else { nil }
        // A run that was killed ended with what is known of it, not with the next start.
        if happening?.kind == .started { engine.links.endAll(at: now.at) }
        if let time = try Self.time(of: change, facts) { try advance(to: min(time, end)) }
        if change.origin == .live, case .node(let number) = change.what { facts.hear(number, in: change.source) }
        switch happening?.kind {
        case .disk: return try diskFailed(happening!)
        case .clockSet: return try setClock(to: min(happening!.at, end))
        default: break
        }
        if case .position(let number, let row) = change.what, rule.when.circle != nil,
            placed.insert(number).inserted
        {
            try engine.adoptPosition(number, row, in: change.source, facts)
        } else {
            try engine.take(change, facts, at: now)
        }
        try settle()
    }

    /// Replays the failure from beginning to end.
    private mutating func diskFailed(_ happening: Happening) throws {
        for time in [happening.since ?? happening.at, nil] {
            facts.storageFailingSince = time
            try engine.gatewayChanged(facts, at: now)
            try settle()
        }
    }

    /// Somebody has set the host's clock: no time has gone by.
    private mutating func setClock(to time: Int64) throws {
        now.at = time
        facts.now = time
        try engine.pass(facts, at: now)
        try settle()
    }

    /// Lets time pass, and runs the engine at each of its deadlines.
    private mutating func advance(to end: Int64) throws {
        while steps < Self.mostSteps, let deadline = engine.deadline(at: now), deadline <= end {
            steps += 1
            move(to: max(deadline, now.at))
            try engine.pass(facts, at: now)
            try settle()
            // Work that cannot be done now waits for the next change.
            if let next = engine.deadline(at: now), next <= now.at { break }
        }
        move(to: max(end, now.at))
    }

    private mutating func move(to time: Int64) {
        now = Moment(at: time, uptime: now.uptime + time - now.at)
        facts.now = time
    }

    private mutating func settle() throws {
        for firing in engine.outcome.firings {
            facts.fired.insert(firing.key)
            facts.lastFiredAt = firing.row.createdAt
        }
        for act in engine.outcome.acts { facts.fired.insert(act.key) }
        near.take(engine.outcome)
        found.add(engine.outcome, try trial.tested(engine.outcome.acts, behind: found.acts, at: now), of: rule)
        engine.clear()
    }
}

// MARK: times

extension RuleReplay {
    private static func start(_ reader: Reader, before end: Int64) throws -> Int64? {
        let facts = TestFacts(reader)
        var place: Int64 = 0
        while true {
            let (changes, last, _) = try reader.changes(after: place, kinds: kinds, limit: page)
            for change in changes {
                if let time = try time(of: change, facts), time >= PlausibleTime.earliestMilliseconds {
                    return min(time, end)
                }
            }
            if last == place { return nil }
            place = last
        }
    }

    /// In host milliseconds; nil if the change has no time.
    private static func time(of change: StoredChange, _ facts: TestFacts) throws -> Int64? {
        switch change.what {
        case .message(_, let time): time
        case .position(_, let row): try facts.position(inRow: row, in: change.source)?.at
        case .telemetry(_, let row): try facts.telemetryTime(ofRow: row)
        case .happened(let row): try facts.happening(row).map { $0.kind == .clockSet ? $0.since ?? $0.at : $0.at }
        default: nil
        }
    }

    /// An engine that knows which radios were connected, and which were away.
    private static func engine(_ reader: Reader, at moment: Moment, before start: Int64) throws -> Engine {
        // Without history: a start of the gateway would end all links, which go on here.
        var engine = Engine(episodes: [], history: [], lastRunAt: 0, known: 0, at: moment)
        var place: Int64 = 0
        while true {
            let page = try reader.happenings(after: place, limit: 1_000)
            for happening in page where happening.at < start {
                if happening.kind == .started || happening.kind == .stopped { engine.links.endAll(at: happening.at) }
                engine.fold(happening)
            }
            guard let end = page.last?.id else { return engine }
            place = end
        }
    }
}
