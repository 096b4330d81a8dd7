import MeshModel
import Store

// The rules at work: changes and the time go in, what is to be stored and told comes out. It is a value without clock and
// I/O: the caller keeps the old engine until the outcome is on disk.
//
//     take(change) -> episodes begin and end, events fire --.
//     pass(now)    -> silence, losses, repetitions, bursts --+--> outcome: rows of rules, episodes and firings
//
// 1. A state begins when its gate is open: the radio is there, the host's clock is set, and the gateway has run for two
//    minutes. Until then its episode waits. A lost radio and a failing disk have no gate.
// 2. Silence is live time of the link. When the earliest deadline has come, all nodes' times are asked for, and the next
//    deadline is reckoned from them. A change of a node is looked at only for what it ends.
// 3. After a start the engine catches up with the change log. It holds firings back until it has read all changes, and then
//    tells them one by one, or as one summary.

public struct Engine: Sendable {
    struct Key: Hashable {
        let rule: String
        let subject: Subject
    }

    /// A rule in force.
    struct Active {
        let rule: Rule
        var row: RuleRow
        /// When nodes' silence is looked at next, in host milliseconds; nil: the rule does not ask.
        var look: Int64?
        /// When that was last.
        var lookedAt: Int64?
        /// When its time comes next, in host milliseconds; nil: it has none.
        var run: Int64?
        /// This run of the gateway has read it first.
        var isOfThisRun = false
    }

    /// Since when a radio is away.
    struct Loss {
        var at: Int64
        /// Only since the gateway's start, which takes its time to find the radio.
        var isOfStart: Bool
    }

    /// What is to be stored, in one commit with the place in the change log.
    public struct Outcome: Sendable {
        public internal(set) var removedRules: [String] = []
        public internal(set) var rules: Set<String> = []
        var episodes: Set<Key> = []
        public internal(set) var firings: [RuleFiring] = []
        /// What was not told, and why. For memory only.
        public internal(set) var near = NearMisses()

        /// There is nothing to store.
        public var isEmpty: Bool { removedRules.isEmpty && rules.isEmpty && episodes.isEmpty && firings.isEmpty }
    }

    /// Milliseconds that a gateway has to run before it believes what it does not hear.
    static let settling: Int64 = 120_000
    /// The feed gets so many firings of a rule in a minute one by one; the rest is counted.
    static let burst = 5
    static let minute: Int64 = 60_000
    /// Milliseconds after which what has happened is no longer told.
    static let stale: Int64 = 3_600_000
    /// Milliseconds by which a clock may be wrong without being set.
    private static let tolerance: Int64 = 10_000

    var active: [Active] = []
    var episodes: [Key: Episode] = [:]
    var links = LinkTimes()
    var lost: [SourceID: Loss] = [:]
    var crossings: [Key: Crossing] = [:]
    /// By which rules have their times.
    var zone = LocalZone.host
    /// Radios that have been there since the start.
    var cameUp: Set<SourceID> = []
    /// What came to light while the log was caught up with, by rule.
    var caught: [String: [RuleFiring]] = [:]
    public private(set) var isCatchingUp = true
    public internal(set) var outcome = Outcome()
    let started: Moment
    /// When somebody has set the host's clock back last, by the new one.
    private(set) var setBackAt = Int64.min
    private var last: Moment
    /// Changes up to this one had happened when the links' history was read.
    private let known: Int64
    /// Gates were opened for what waited.
    private(set) var hasSettled = false

    /// - Parameters:
    ///   - history: what happened, oldest first.
    ///   - lastRunAt: host milliseconds up to which the run before is known to have lasted.
    ///   - known: the newest change of the same state of the database.
    public init(
        episodes: [Episode], history: [Happening], lastRunAt: Int64, known: Int64, at now: Moment
    ) {
        (started, last, self.known) = (now, now, known)
        for episode in episodes {
            guard let subject = Subject(text: episode.subject) else { continue }
            self.episodes[Key(rule: episode.rule, subject: subject)] = episode
        }
        var seen: Int64 = 0
        for happening in history {
            // What a run has left open that was killed ended at the last that is known of it.
            if happening.kind == .started { links.endAll(at: seen) }
            fold(happening)
            seen = happening.at
        }
        links.endAll(at: min(max(seen, lastRunAt), now.at))
        guard now.isSure else { return }
        // The clock was ahead then.
        for source in lost.keys { lost[source]!.at = min(lost[source]!.at, now.at) }
        for key in self.episodes.keys {
            self.episodes[key]!.toldAt = self.episodes[key]!.toldAt.map { min($0, now.at) }
        }
    }

    /// What changes have to be told of.
    public var kinds: Set<StoredChange.Kind> { Set(active.flatMap { $0.rule.when.kinds }) }

    public var names: [String] { active.map(\.rule.name) }
    public var rows: [RuleRow] { active.map(\.row) }

    /// Which of its states last.
    public func openEpisodes(of rule: String) -> [Episode] {
        episodes.values.filter { $0.rule == rule && !$0.isWaiting }
    }

    // MARK: changes

    /// - Parameter change: the next one of its kinds.
    public mutating func take(_ change: StoredChange, _ facts: some RuleFacts, at now: Moment) throws {
        try see(now, facts)
        let isNews = change.origin == .live || change.origin == .late && change.kind == .message
        switch change.what {
        case .message(let id, _) where isNews: try message(id, change, facts, at: now)
        case .position(let number, let row) where isNews: try position(number, row, change, facts, at: now)
        case .telemetry(let number, let row) where isNews: try telemetry(number, row, change, facts, at: now)
        case .nodeHeard(let number) where isNews: try newNode(number, change, facts, at: now)
        case .waypoint(let id) where isNews: try waypoint(id, change, facts, at: now)
        case .node(let number): try nodeChanged(number, change, facts, at: now)
        case .nodeDeleted(let number, _): try nodeDeleted(number, change, facts)
        case .happened(let row):
            guard let happening = try facts.happening(row) else { return }
            try happened(happening, change, facts, at: now)
        default: break
        }
    }

    /// There are no more changes for now.
    public mutating func caughtUp(_ facts: some RuleFacts, at now: Moment) throws {
        guard isCatchingUp else { return }
        isCatchingUp = false
        for active in active { tellCaught(of: active.rule, at: now) }
        caught = [:]
        for found in try facts.sources() where found.source.isEnabled && !links.isLive(found.id) {
            if lost[found.id] == nil { lost[found.id] = Loss(at: started.at, isOfStart: true) }
        }
        try compareCircles(facts)
        try pass(facts, at: now)
    }

    /// It goes on in the middle of a run, as a test does: nothing is found out that a start finds out.
    mutating func goOn() { isCatchingUp = false }

    /// Changes were missed: what is known of links, keys and silence is looked at again.
    ///
    /// - Parameter isUnknown: nobody knows which, as after an import or a clock that was put right: what holds then is no news.
    public mutating func missed(isUnknown: Bool, _ facts: some RuleFacts, at now: Moment) throws {
        try see(now, facts)
        if !isCatchingUp { try compareLinks(facts, at: now) }
        try compareDoubts(facts, at: now)
        if isUnknown {
            for index in active.indices { try look(index, facts, at: now, isFirst: true) }
        }
        if !isCatchingUp || isUnknown { try compareCircles(facts, isFirst: isUnknown) }
        lookAgain(at: now)
        hasSettled = false
    }

    func isKnown(_ change: StoredChange) -> Bool { change.number <= known }

    // MARK: time

    /// When ``pass(_:at:)`` has something to do, in host milliseconds; nil: only after a change.
    public func deadline(at now: Moment) -> Int64? {
        guard !isCatchingUp else { return nil }
        var all: [Int64] = []
        let settled = now.at + max(0, Self.settling - (now.uptime - started.uptime))
        if !hasSettled, !active.isEmpty, settled > now.at, needsSettling { all.append(settled) }
        for active in active {
            let isOpen = !links.live.isEmpty && now.isSure
            if let look = active.look, isOpen { all.append(max(look, hasSettled ? .min : settled)) }
            if let run = active.run, now.isSure { all.append(run) }
            if let burst = active.row.burst, burst.count > Self.burst { all.append(burst.at + Self.minute) }
            if case .radioLost(let time) = active.rule.when {
                for (source, loss) in lost where episodes[Key(rule: active.rule.name, subject: .radio(source))] == nil {
                    let due = due(loss, after: time, at: now)
                    // One that has come already is of a radio that the rule does not mean.
                    if due > last.at { all.append(due) }
                }
            }
        }
        if let confirmation = confirmation(at: now) { all.append(confirmation) }
        for episode in episodes.values {
            guard let told = episode.toldAt, let rule = rule(episode.rule), let repeats = rule.repeats,
                isOpen(rule, episode.source, at: now)
            else { continue }
            all.append(told + repeats)
        }
        return all.min()
    }

    /// Something waits for the two minutes to be over.
    private var needsSettling: Bool {
        episodes.values.contains { $0.isWaiting }
            || active.contains { if case .problem = $0.rule.when { true } else { $0.look != nil } }
    }

    /// The time has gone on.
    public mutating func pass(_ facts: some RuleFacts, at now: Moment) throws {
        guard !isCatchingUp else { return }
        try see(now, facts)
        if !hasSettled, now.uptime - started.uptime >= Self.settling {
            hasSettled = true
            try comparePresentProblems(facts, at: now)
        }
        try openGates(facts, at: now)
        for index in active.indices {
            if let look = active[index].look, look <= now.at, hasSettled, now.isSure, !links.live.isEmpty {
                try self.look(index, facts, at: now)
            }
            try loseRadios(index, facts, at: now)
        }
        try confirmCrossings(facts, at: now)
        try runTimers(facts, at: now)
        try repeatWhatLasts(facts, at: now)
        for index in active.indices { endBurst(index, at: now) }
    }

    /// The rule's states may begin.
    func isOpen(_ rule: Rule, _ source: SourceID, at now: Moment) -> Bool {
        switch rule.when {
        case .radioLost, .storageFailing: true
        default:
            now.isSure && now.uptime - started.uptime >= Self.settling
                && (source == .gateway || links.isLive(source))
        }
    }

    func rule(_ name: String) -> Rule? { active.first { $0.rule.name == name }?.rule }

    /// Silence counts from now on: the deadlines are others.
    mutating func lookAgain(at now: Moment) {
        for index in active.indices where active[index].look != nil { active[index].look = now.at }
    }

    /// Notices that somebody has set the host's clock since the last look.
    private mutating func see(_ now: Moment, _ facts: some RuleFacts) throws {
        defer { last = now }
        let expected = last.at + (now.uptime - last.uptime)
        let leap = now.at - expected
        guard abs(leap) > Self.tolerance else { return }
        links.clockWasSet(from: expected, to: now.at)
        let began = expected - (now.uptime - started.uptime) - Self.tolerance
        /// A time of a run before was of another clock: a Raspberry Pi starts in 1970. But what has been is not to come.
        func moved(_ time: Int64) -> Int64 {
            let isOfThisRun = time >= began && time <= expected + Self.tolerance
            return min(isOfThisRun ? time + leap : time, now.isSure ? now.at : .max)
        }
        for source in lost.keys { lost[source]!.at = moved(lost[source]!.at) }
        for key in crossings.keys { crossings[key]!.at = moved(crossings[key]!.at) }
        if leap < 0 { setBackAt = now.at } else if setBackAt != .min { setBackAt += leap }
        setTimers(leap: leap, at: now)
        for (key, episode) in episodes {
            guard let told = episode.toldAt, moved(told) != told else { continue }
            episodes[key]!.toldAt = moved(told)
            outcome.episodes.insert(key)
        }
        lookAgain(at: now)
        for index in active.indices { active[index].row.burst?.at += leap }
    }
}

extension Engine {
    /// Stores what has come out, on the writer thread.
    public func store(_ writer: Writer) throws {
        for name in outcome.removedRules { try writer.removeRule(name) }
        for active in active where outcome.rules.contains(active.rule.name) { try writer.store(active.row) }
        for key in outcome.episodes {
            if let episode = episodes[key] {
                try writer.store(episode)
            } else {
                try writer.removeEpisode(of: key.rule, key.subject.text)
            }
        }
        for firing in outcome.firings { try writer.store(firing) }
    }

    /// What has come out is on disk.
    public mutating func clear() { outcome = Outcome() }
}

extension Trigger {
    /// Changes that it asks for. All rules hear what happens to links: it opens and closes gates.
    var kinds: Set<StoredChange.Kind> {
        switch self {
        case .directMessage, .message, .mention, .detection: [.message, .happened]
        case .value: [.telemetry, .nodeDeleted, .happened]
        case .rebooted: [.telemetry, .happened]
        case .silent, .nodeBack, .keyChanged: [.node, .nodeDeleted, .happened]
        case .newNode: [.nodeHeard, .happened]
        case .waypoint, .waypointWithin: [.waypoint, .happened]
        case .entersCircle, .leavesCircle: [.position, .nodeDeleted, .happened]
        case .radioLost, .radioBack, .storageFailing, .problem, .nameChanged, .gatewayStarted, .at: [.happened]
        }
    }

    /// It looks at all nodes when a deadline has come.
    var looks: Bool {
        switch self {
        case .silent, .nodeBack: true
        default: false
        }
    }
}
