import Folders
import Gateway
import Log
import MeshModel
import Platform
import Store
import Synchronization

// The rules of a service, on a thread of their own, which sleeps until there is a change that a rule waits for, or until the
// earliest deadline. Without rules there is no thread, no place in the change log, and no row.

public final class RunningRules: Sendable {
    /// The folder's contents when it was last read, and the active rules.
    public typealias State = FolderOfFiles<RuleFile>

    private struct Signals {
        /// Of the folder alone.
        var folder = State()
        /// There are registrations.
        var hasDevices = false
        /// Where the built-in rule begins, if that is not when it is read.
        var builtInSince: Int64?
        /// Rules to activate.
        var rules: [Rule]?
        /// How much of the air rules may have.
        var limits = ActLimits()
        var isWoken = false
        var isHealthNew = false
        var isStopping = false
        var thread: Thread?
        /// They have work, and the system had no thread for them.
        var lacksThread = false

        /// With the built-in rule, if it is in force.
        var state: State { hasDevices ? folder.withBuiltInRule(since: builtInSince) : folder }

        /// Something other than a change.
        var isUrgent: Bool { rules != nil || isHealthNew || isStopping }
    }

    /// Milliseconds before a failed attempt is repeated.
    private static let patience: Int64 = 60_000
    /// Nanoseconds between two looks at the changes: in a busy mesh one look covers many packets.
    private static let pace: UInt64 = 250_000_000

    public let folder: RulesFolder
    private let gateway: Gateway
    private let logger: Logger
    private let clock: @Sendable () -> Moment
    private let targets: RuleTargets?
    private let gatewayRun: GatewayRun
    private let unstored: @Sendable (FeedRow) -> Void
    private let signals = Monitor(Signals())
    private let near = Monitor(NearMisses())
    /// One look for registrations after the other.
    private let looking = Mutex(())
    private let version: String
    /// What rules have done since the service started.
    public let tally = ActTally()

    /// Made when the gateway starts.
    ///
    /// - Parameters:
    ///   - version: of this program, for the texts of rules.
    ///   - targets: where rules send notifications, beside the feed.
    ///   - unstored: takes a notification that a failing disk cannot store.
    public init(
        _ gateway: Gateway, folder: RulesFolder, version: String = "", logger: Logger,
        clock: @escaping @Sendable () -> Moment = {
            Moment(at: WallClock.milliseconds(), uptime: MonotonicClock.milliseconds())
        },
        targets: RuleTargets? = nil, unstored: @escaping @Sendable (FeedRow) -> Void = { _ in }
    ) {
        (self.gateway, self.folder, self.version, self.logger) = (gateway, folder, version, logger)
        (self.clock, self.targets, self.unstored) = (clock, targets, unstored)
        // The first rule may come weeks later, and knows then how long the gateway has run.
        gatewayRun = GatewayRun(
            uptime: clock().uptime, happened: (try? gateway.store.read { try $0.newestHappening() }) ?? .max)
        gateway.problems.follow { [weak self] in self?.gatewayChanged() }
    }

    /// Near misses of the active rules since the service started, at most fifty per rule, newest first.
    public func nearMisses() -> [NearMiss] {
        let near = near.withLock { $0 }
        return state.inForce.flatMap { near.all(of: $0) }.sorted { $0.at > $1.at }
    }

    /// With the built-in rule, if it is in force.
    public var state: State { signals.withLock { $0.state } }

    /// Why active rules are not at work; nil if they are.
    public var obstacle: Obstacle? { signals.withLock { $0.lacksThread ? Self.withoutThread : nil } }

    private static let withoutThread = Obstacle.lacking(
        "the rules are not at work: the system has no thread for them")

    /// Reads the folder again and applies what it says.
    @discardableResult
    public func reload() -> FolderChanges {
        let reading = folder.read()
        say(reading)
        return apply(reading)
    }

    /// Logs what is wrong in the folder.
    public func say(_ reading: FolderReading<RuleFile>) {
        for mistake in signals.withLock({ $0.folder }).taking(reading).allMistakes {
            logger.warning(
                "\(Problem.Kind.ruleBroken): \(mistake)", fields: ["problem": Problem.Kind.ruleBroken.rawValue])
        }
    }

    /// How much of the air rules may have.
    public var limits: ActLimits { signals.withLock { $0.limits } }

    /// From now on rules may have so much of the air.
    public func apply(_ limits: ActLimits) {
        signals.notify { signals in
            guard signals.limits != limits else { return }
            (signals.limits, signals.isWoken) = (limits, true)
        }
    }

    /// Activates what was read. A rule whose file is broken stays as it was. Returns at once.
    ///
    /// - Returns: what has changed, which is logged.
    public func apply(_ reading: FolderReading<RuleFile>) -> FolderChanges {
        let hasRows = hasRows
        let changes = signals.notify { signals in
            let changes = signals.folder.take(reading)
            // After a file of its name it begins with what comes then.
            if signals.folder.isKnown, !signals.state.hasBuiltInRule { signals.builtInSince = nil }
            use(&signals, hasRows: hasRows)
            return changes
        }
        if !changes.isEmpty { logger.notice("rules: \(changes)") }
        // A file may have been broken or repaired, or name another target.
        gateway.problems.changed()
        return changes
    }

    /// Somebody has registered, or ended a registration. Returns at once.
    public func devicesChanged() {
        guard targets != nil else { return }
        let (hasRows, now) = (hasRows, clock().at)
        let isNew: Bool? = looking.withLock { _ in
            // What is not known stays as it is.
            let known = try? gateway.store.readCommitted { try $0.activeRegistrations(at: now) }
            guard let all = known else { return nil }
            return signals.notify { signals in
                guard signals.hasDevices == all.isEmpty else { return nil }
                let before = signals.state.hasBuiltInRule
                signals.hasDevices = !all.isEmpty
                // Nothing that came after the first registration is missed, however long the thread takes to begin. If there
                // has been one for longer, the rule has been in force.
                let isRecent = all.allSatisfy { now - $0.since < Engine.stale }
                signals.builtInSince = isRecent ? all.map(\.change).min() : nil
                let after = signals.state.hasBuiltInRule
                if before != after { use(&signals, hasRows: hasRows) }
                return before == after ? nil : after
            }
        }
        guard let isNew else { return }
        logger.notice(
            isNew
                ? "rules: the built-in rule \(RuleFile.builtIn.name) is in force, because somebody has registered"
                : "rules: the built-in rule \(RuleFile.builtIn.name) is no longer in force: nobody is registered")
        gateway.problems.changed()
    }

    /// A push service has ended the last registration, or its token has expired: nobody says so to the rules.
    private func nobodyIsRegistered() {
        if signals.withLock({ $0.hasDevices }) { devicesChanged() }
    }

    /// The rules are others now: the thread is to use them, and is started if there is something to do.
    private func use(_ signals: inout Signals, hasRows: Bool) {
        guard !signals.isStopping else { return }
        let rules = signals.state.inForce
        (signals.rules, signals.lacksThread) = (rules, false)
        if rules.contains(where: \.isEnabled) || hasRows { startThread(&signals) }
    }

    /// Without one, nothing is noticed until the next reload.
    private func startThread(_ signals: inout Signals) {
        guard signals.thread == nil else { return }
        signals.thread = Thread.start(named: "rules") { [self] in run() }
        signals.lacksThread = signals.thread == nil
        if signals.lacksThread { logger.error("\(Self.withoutThread.text)") }
    }

    /// Something is stored about earlier rules.
    private var hasRows: Bool {
        (try? gateway.store.readCommitted { try $0.cursor(WorkingRules.reader) != nil }) ?? false
    }

    /// The disk has begun or stopped failing, or the gateway's problems have changed. Returns at once.
    private func gatewayChanged() { signals.notify { $0.isHealthNew = true } }

    /// Ends the thread. Unread changes are caught up with after the next start.
    public func stop() {
        let thread = signals.notify { signals in
            signals.isStopping = true
            defer { signals.thread = nil }
            return signals.thread
        }
        thread?.join()
    }

    // MARK: the thread

    private func run() {
        var working: WorkingRules?
        var (isRetried, isHealthNew) = (false, false)
        var rules: [Rule]?
        var lookedAt: UInt64 = 0
        while true {
            let now = clock()
            let wanted = isRetried ? now.at + Self.patience : working?.deadline(at: now)
            let deadline = wanted.map { monotonic($0, from: now) }
            guard let step = wait(until: deadline, notBefore: lookedAt + Self.pace) else { break }
            lookedAt = MonotonicClock.nanoseconds()
            rules = step.rules ?? rules
            isHealthNew = isHealthNew || step.isHealthNew
            do {
                if let wanted = rules {
                    if !wanted.contains(where: \.isEnabled) {
                        working?.stop(because: .changed, at: clock())
                        working = nil
                        try forget()
                        near.withLock { $0 = NearMisses() }
                        if signals.withLock({ $0.rules == nil && end(&$0) }) { return }
                    } else if let working {
                        try working.use(wanted, at: clock())
                    } else {
                        working = try WorkingRules(
                            wanted, of: gateway, at: clock(), run: gatewayRun, logger: logger,
                            wake: { [self] in wake() }, targets: targets, version: version,
                            limits: signals.withLock { $0.limits }, tally: tally,
                            done: { [near] outcome in near.withLock { $0.take(outcome) } },
                            nobody: { [self] in nobodyIsRegistered() }, unstored: unstored)
                        // An episode of the previous run may be over.
                        isHealthNew = true
                    }
                    rules = nil
                }
                if let working {
                    working.apply(signals.withLock { $0.limits })
                    try working.work(at: clock())
                }
                isRetried = false
            } catch {
                // While the disk fails everything waits; ``gatewayChanged()`` follows when that is over.
                if !isRetried { logger.warning("rules wait: \(error)") }
                isRetried = true
            }
            guard isHealthNew, let working else { continue }
            do {
                try working.gatewayChanged(at: clock())
                isHealthNew = false
                if gateway.store.health.failingSince == nil { try working.work(at: clock()) }
            } catch {
                isRetried = true
            }
        }
        working?.stop(because: .stopped, at: clock())
        working?.storePlace()
    }

    /// No other thread joins it: here it detaches itself.
    private func end(_ signals: inout Signals) -> Bool {
        signals.thread?.join()
        signals.thread = nil
        return true
    }

    /// Removes what is stored about rules, and releases held dispatches: no rule is active any more.
    private func forget() throws {
        let (rows, held) = try gateway.store.readCommitted { (try $0.rules(), try $0.heldDispatches()) }
        let now = clock().at
        try gateway.store.commit { writer in
            for row in rows { try writer.removeRule(row.name) }
            for dispatch in held {
                try writer.holdDispatch(dispatch.id, until: nil, at: min(now, dispatch.heldUntil ?? now))
            }
        }
        if !held.isEmpty { targets?.wake() }
        try gateway.forget(reader: WorkingRules.reader)
    }

    /// - Parameter now: as the deadline was counted from. The host's clock may be set in between.
    private func monotonic(_ deadline: Int64, from now: Moment) -> UInt64 {
        let left = max(0, deadline - now.at)
        return MonotonicClock.nanoseconds() + UInt64(min(left, 86_400_000)) * 1_000_000
    }

    /// Notifies once for each look: commits may come much faster.
    private func wake() {
        if !signals.withLock({ $0.isWoken }) { signals.notify { $0.isWoken = true } }
    }

    /// nil if the thread is to end.
    ///
    /// - Parameter earliest: changes wait until then.
    private func wait(until deadline: UInt64?, notBefore earliest: UInt64) -> (rules: [Rule]?, isHealthNew: Bool)? {
        _ = signals.wait(until: deadline) { signals, isLate in
            signals.isWoken || signals.isUrgent || isLate ? true : nil
        }
        _ = signals.wait(until: earliest) { signals, isLate in
            !signals.isWoken || signals.isUrgent || isLate ? true : nil
        }
        return signals.withLock { signals in
            defer { (signals.rules, signals.isWoken, signals.isHealthNew) = (nil, false, false) }
            return signals.isStopping ? nil : (signals.rules, signals.isHealthNew)
        }
    }
}
