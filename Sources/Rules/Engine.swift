import MeshModel
import Store

// Runs the rules: changes and the time go in, what to store and notify comes out. It is a value without clock or I/O: the caller
// keeps the old engine until the outcome is on disk.
//
//     take(change) -> episodes begin and end, events fire --.
//     pass(now)    -> silence, losses, repetitions, bursts --+--> outcome: rows of rules, episodes and firings
//
// 1. A state begins when its gate is open: the radio is there, the host's clock is set, and the gateway has run for two
//    minutes. Until then its episode waits. A lost radio and a failing disk have no gate.
// 2. Silence is measured in live time of the link. At the earliest deadline, the times of all nodes are read, and the next
//    deadline is calculated from them. A changed node is checked only for episodes that it ends.
// 3. After a start the engine catches up with the change log. It holds firings back until it has read all changes, and then
//    reports them one by one, or as one summary.

public struct Engine: Sendable {
    struct Key: Hashable {
        let rule: String
        let subject: Subject

        /// Of one subject there are few rules.
        func hash(into hasher: inout Hasher) { hasher.combine(subject) }
    }

    /// An enabled rule.
    struct Active {
        var rule: Rule
        var row: RuleRow
        /// When nodes' silence is checked next, in host milliseconds; nil if the rule does not check it.
        var look: Int64?
        /// When it was checked last.
        var lookedAt: Int64?
        /// When its timer runs next, in host milliseconds; nil if it has none.
        var run: Int64?
        /// This run of the gateway was the first to read it.
        var isOfThisRun = false
        /// Values beyond their limit that have not lasted long enough yet.
        var beyond: [Subject: Beyond] = [:]
        /// When events were told last, in host milliseconds, as far as a cool-down counts.
        var toldAt: [Subject: Int64] = [:]
        /// What came faster than the rule's pace.
        var growth: Growth?

        init(_ rule: Rule, _ row: RuleRow) { (self.rule, self.row) = (rule, row) }
    }

    /// Since when a radio has been away.
    struct Loss {
        var at: Int64
        /// Counted from the gateway's start, which takes its time to find the radio.
        var isOfStart: Bool
        /// It restarts as it was told.
        var isRestart = false
    }

    /// What to store, in one commit with the place in the change log.
    public struct Outcome: Sendable {
        public internal(set) var removedRules: [String] = []
        public internal(set) var rules: Set<String> = []
        var episodes: Set<Key> = []
        public internal(set) var firings: [RuleFiring] = []
        /// By the UUID of a firing that counts others: the last of those, oldest first.
        var counted: [String: [FeedRow]] = [:]
        /// What rules are to do. In memory only.
        var acts: [Act] = []
        /// What did not fire, and why. In memory only.
        public internal(set) var near = NearMisses()

        /// Nothing is to be stored; acts and near misses do not count.
        public var isEmpty: Bool { removedRules.isEmpty && rules.isEmpty && episodes.isEmpty && firings.isEmpty }
    }

    /// How long the gateway must have run before silence counts, in milliseconds.
    static let settling: Int64 = 120_000
    static let minute: Int64 = 60_000
    /// Age from which an event is no longer reported, in milliseconds.
    static let stale: Int64 = 3_600_000
    /// How far the clock may be off without counting as set, in milliseconds.
    static let tolerance: Int64 = 10_000

    var active: [Active] = []
    var episodes: [Key: Episode] = [:]
    var links = LinkTimes()
    var lost: [SourceID: Loss] = [:]
    /// Radios that restart as they were told. What is wrong with them meanwhile counts if it is still so when they are back.
    var restarting: Set<SourceID> = []
    var crossings: [Key: Crossing] = [:]
    /// The zone of the rules' times.
    var zone = LocalZone.host
    /// Radios that have been connected since the start.
    var cameUp: Set<SourceID> = []
    /// Firings found while catching up with the log, by rule.
    var caught: [String: [RuleFiring]] = [:]
    public private(set) var isCatchingUp = true
    public internal(set) var outcome = Outcome()
    let started: Moment
    /// When somebody has set the host's clock back last, by the new one.
    var setBackAt = Int64.min
    private var last: Moment
    /// The links' history covers changes up to this one.
    private let known: Int64
    /// Problems have been compared since the settling time ended; false again after missed changes.
    private(set) var hasSettled = false

    /// - Parameters:
    ///   - history: what happened before this run of the gateway, oldest first.
    ///   - run: what has happened in it so far.
    ///   - began: when it began; nil for now.
    ///   - lastRunAt: until when the previous run is known to have lasted, in host milliseconds.
    ///   - known: the newest change in the same state of the database.
    public init(
        episodes: [Episode], history: [Happening], run: [Happening] = [], began: Moment? = nil, lastRunAt: Int64,
        known: Int64, at now: Moment
    ) {
        (started, last, self.known) = (began ?? now, now, known)
        for episode in episodes {
            guard let subject = Subject(text: episode.subject) else { continue }
            self.episodes[Key(rule: episode.rule, subject: subject)] = episode
        }
        recall(history, lastRunAt: lastRunAt, at: now.at)
        recallRun(run)
        guard now.isSure else { return }
        // The clock was ahead then.
        for source in lost.keys { lost[source]!.at = min(lost[source]!.at, now.at) }
        for key in self.episodes.keys {
            self.episodes[key]!.toldAt = self.episodes[key]!.toldAt.map { min($0, now.at) }
        }
    }

    /// The kinds of changes that the rules need.
    public var kinds: Set<StoredChange.Kind> { Set(active.flatMap { $0.rule.when.kinds }) }

    public var names: [String] { active.map(\.rule.name) }
    public var rows: [RuleRow] { active.map(\.row) }

    /// The rule's states that have begun and still last.
    public func openEpisodes(of rule: String) -> [Episode] {
        episodes.values.filter { $0.rule == rule && !$0.isWaiting }
    }

    // MARK: changes

    /// - Parameter change: the next one of ``kinds``.
    public mutating func take(_ change: StoredChange, _ facts: any RuleFacts, at now: Moment) throws {
        try see(now, facts)
        let isNews = change.origin == .live || change.origin == .late && change.kind == .message
        switch change.what {
        case .message(let id, _) where isNews:
            try message(id, change, facts, at: now)
            try brokerText(id, change, facts, at: now)
        case .position(let number, let row) where isNews: try position(number, row, change, facts, at: now)
        case .telemetry(let number, let row) where isNews: try telemetry(number, row, change, facts, at: now)
        case .nodeHeard(let number) where isNews: try newNode(number, change, facts, at: now)
        case .nodeIntroduced(let number) where change.origin == .live:
            try nodeIntroduced(number, change, facts, at: now)
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
    public mutating func caughtUp(_ facts: any RuleFacts, at now: Moment) throws {
        guard isCatchingUp else { return }
        isCatchingUp = false
        for index in active.indices { tellCaught(index, at: now) }
        caught = [:]
        lost = try absences(facts)
        try compareCircles(facts)
        try pass(facts, at: now)
    }

    /// Continues in the middle of a run, as tests do, without the checks of a start.
    mutating func goOn() { isCatchingUp = false }

    /// Changes were missed: links, keys, silence and circles are checked again.
    ///
    /// - Parameter isUnknown: it is not known which, as after an import or a correction of the clock: what holds then is not news.
    public mutating func missed(isUnknown: Bool, _ facts: any RuleFacts, at now: Moment) throws {
        try see(now, facts)
        if !isCatchingUp { try compareLinks(facts, at: now) }
        try compareDoubts(facts, at: now)
        if isUnknown {
            for index in active.indices { try look(index, facts, at: now, isFirst: true) }
        }
        if !isCatchingUp || isUnknown { try compareCircles(facts, isFirst: isUnknown) }
        // Some of the reports between may have been missed.
        for index in active.indices { active[index].beyond = [:] }
        lookAgain(at: now)
        hasSettled = false
    }

    func isKnown(_ change: StoredChange) -> Bool { change.number <= known }

    // MARK: time

    /// When ``pass(_:at:)`` has something to do, in host milliseconds; nil if only after a change.
    public func deadline(at now: Moment) -> Int64? {
        guard !isCatchingUp else { return nil }
        var all: [Int64] = []
        let settled = now.at + max(0, Self.settling - (now.uptime - started.uptime))
        if !hasSettled, !active.isEmpty, settled > now.at, needsSettling { all.append(settled) }
        let isOpen = !links.live.isEmpty && now.isSure
        // By their places: each is a copy of a whole rule otherwise.
        for index in active.indices {
            if let look = active[index].look, isOpen { all.append(max(look, hasSettled ? .min : settled)) }
            if let run = active[index].run, now.isSure { all.append(run) }
            if let due = growthDue(active[index], at: now) { all.append(due) }
            if case .radioLost(let time) = active[index].rule.when {
                let name = active[index].rule.name
                for (source, loss) in lost where episodes[Key(rule: name, subject: .radio(source))] == nil {
                    let due = due(loss, after: time, at: now)
                    // A loss that is already due belongs to a radio that the rule does not cover.
                    if due > last.at { all.append(due) }
                }
            }
        }
        if let confirmation = confirmation(at: now) { all.append(confirmation) }
        if active.contains(where: { $0.rule.repeats != nil }) { all += repetitions(at: now) }
        return all.min()
    }

    /// When states that last are told again, in host milliseconds.
    private func repetitions(at now: Moment) -> [Int64] {
        episodes.values.compactMap { episode in
            guard let told = episode.toldAt, let rule = rule(episode.rule), let repeats = rule.repeats,
                isOpen(rule, episode.source, at: now)
            else { return nil }
            return told + repeats
        }
    }

    /// Something waits for the settling time to end.
    private var needsSettling: Bool {
        episodes.values.contains { $0.isWaiting }
            || active.contains { if case .problem = $0.rule.when { true } else { $0.look != nil } }
    }

    /// Does what is due by now.
    public mutating func pass(_ facts: any RuleFacts, at now: Moment) throws {
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
        for index in active.indices { tellWhatGrew(index, at: now) }
    }

    /// Whether the rule's states may begin.
    func isOpen(_ rule: Rule, _ source: SourceID, at now: Moment) -> Bool {
        switch rule.when {
        case .radioLost, .storageFailing: true
        default:
            now.isSure && now.uptime - started.uptime >= Self.settling
                && (source == .gateway || links.isLive(source))
        }
    }

    func rule(_ name: String) -> Rule? { active.first { $0.rule.name == name }?.rule }

    /// Checks silence again at once, because its deadlines have changed.
    mutating func lookAgain(at now: Moment) {
        for index in active.indices where active[index].look != nil { active[index].look = now.at }
    }

    /// Notices when the host's clock has been set since the last call.
    private mutating func see(_ now: Moment, _ facts: any RuleFacts) throws {
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
        for index in active.indices {
            for (subject, first) in active[index].beyond { active[index].beyond[subject]!.at = moved(first.at) }
            active[index].toldAt = active[index].toldAt.mapValues(moved)
            if let growth = active[index].growth { active[index].growth!.since = moved(growth.since) }
            guard let burst = active[index].row.burst, moved(burst.at) != burst.at else { continue }
            active[index].row.burst!.at = moved(burst.at)
            outcome.rules.insert(active[index].rule.name)
        }
    }
}

extension Engine {
    /// Stores the outcome, on the writer thread.
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

    /// The outcome is on disk.
    public mutating func clear() { outcome = Outcome() }
}

extension Trigger {
    /// The kinds of changes that it needs. All rules need those of links, which open and close gates.
    var kinds: Set<StoredChange.Kind> {
        switch self {
        case .directMessage, .message, .conversations, .mention, .detection: [.message, .happened]
        case .value: [.telemetry, .nodeDeleted, .happened]
        case .rebooted: [.telemetry, .happened]
        case .silent, .nodeBack, .keyChanged: [.node, .nodeDeleted, .happened]
        case .newNode: [.nodeHeard, .happened]
        case .nodeIntroduced: [.nodeIntroduced, .happened]
        case .waypoint, .waypointWithin: [.waypoint, .happened]
        case .entersCircle, .leavesCircle: [.position, .nodeDeleted, .happened]
        case .radioLost, .radioBack, .storageFailing, .problem, .nameChanged, .gatewayStarted, .at: [.happened]
        }
    }

    /// It checks all nodes when a deadline has come.
    var looks: Bool {
        switch self {
        case .silent, .nodeBack: true
        default: false
        }
    }
}
