import Gateway
import Log
import MeshModel
import Store

/// The run of the gateway, in which rules may begin later.
struct GatewayRun: Sendable {
    /// Milliseconds of the clock that is never set, when it began.
    var uptime: Int64
    /// The newest row of what happened before it.
    var happened: Int64
}

/// Runs the engine on the change log: reads changes, and stores what follows from them together with its place. For one thread at
/// a time.
final class WorkingRules {
    /// The name of its place in the change log.
    static let reader = "rules"

    private let gateway: Gateway
    private let wake: @Sendable () -> Void
    private let logger: Logger
    private var engine: Engine
    private var reader: ChangeReader
    /// Takes notifications for the feed that a failing disk cannot store.
    private let unstored: (FeedRow) -> Void
    private let done: (Engine.Outcome) -> Void
    private let nobody: () -> Void
    private let acting: ActingRules
    /// nil if there are none.
    private let targets: RuleTargets?
    /// ``FeedRow/uuid`` of what targets have from memory, because the disk fails.
    private var handed: Set<String> = []
    /// When the first quiet hours that hold something end, in host milliseconds; nil if nothing is held.
    private var quietEnd: Int64?
    /// When ``work(at:)`` ran last.
    private var last: Moment

    private var store: Store { gateway.store }

    /// - Parameters:
    ///   - run: nil if it begins now.
    ///   - wake: there may be something to do; called on the writer thread.
    ///   - targets: where rules send notifications, beside the feed.
    ///   - zone: the zone of the rules' times.
    ///   - version: of this program, for texts.
    ///   - limits: how much of the air rules may have.
    ///   - tally: counts what they do.
    ///   - done: called when an outcome is on disk.
    ///   - nobody: called when a rule tells something while nobody is registered.
    ///   - unstored: takes a notification that waits for the disk.
    init(
        _ rules: [Rule], of gateway: Gateway, at now: Moment, run: GatewayRun? = nil, logger: Logger,
        wake: @escaping @Sendable () -> Void, targets: RuleTargets? = nil,
        zone: LocalZone = .host, version: String = "", limits: ActLimits = ActLimits(), tally: ActTally = ActTally(),
        done: @escaping (Engine.Outcome) -> Void = { _ in }, nobody: @escaping () -> Void = {},
        unstored: @escaping (FeedRow) -> Void
    ) throws {
        (self.gateway, self.wake) = (gateway, wake)
        (self.logger, self.targets, last) = (logger, targets, now)
        (self.done, self.nobody, self.unstored) = (done, nobody, unstored)
        acting = ActingRules(
            gateway, began: run?.uptime ?? now.uptime, version: version, tally: tally, logger: logger, wake: wake)
        acting.limits = limits
        let store = gateway.store
        let lastRunAt = store.lastRunAt
        // Before the place, which for a new reader is the newest change.
        engine = try store.readCommitted { reader in
            let happened = try Self.happened(reader)
            let began = run.map { Moment(at: now.at - (now.uptime - $0.uptime), uptime: $0.uptime) }
            return Engine(
                episodes: try reader.episodes(), history: happened.filter { $0.id <= run?.happened ?? .max },
                run: happened.filter { $0.id > run?.happened ?? .max }, began: began, lastRunAt: lastRunAt,
                known: try reader.newestChange(), at: now)
        }
        zone.refresh()
        engine.zone = zone
        try engine = Self.using(rules, engine, gateway, at: now)
        if let first = rules.compactMap(\.since).min() {
            try store.commit { try $0.openCursor(Self.reader, at: first) }
        }
        reader = try gateway.reader(named: Self.reader, kinds: engine.kinds, wake: wake)
        try acting.use(rules, at: now)
        try commit(engine, upTo: reader.place, at: now)
        try release(at: now, isFirst: true)
    }

    /// What the engine has to know of all that happened, oldest first.
    private static func happened(_ reader: Reader) throws -> [Happening] {
        var (found, last) = ([Happening](), Int64(0))
        while true {
            let page = try reader.happenings(after: last, limit: 1_000)
            found += page.filter { [.link, .started, .stopped, .clockSet].contains($0.kind) }
            guard let end = page.last?.id else { return found }
            last = end
        }
    }

    private static func using(
        _ rules: [Rule], _ engine: Engine, _ gateway: Gateway, at now: Moment
    ) throws -> Engine {
        var next = engine
        try gateway.store.readCommitted { reader in
            let stored = engine.names.isEmpty ? try reader.rules() : engine.rows
            try next.use(
                rules, stored: stored, newest: try reader.newestChange(), StoreFacts(reader, gateway), at: now)
        }
        return next
    }

    /// Replaces the active rules.
    func use(_ rules: [Rule], at now: Moment) throws {
        try work(at: now)
        engine.zone.refresh()
        var next = try Self.using(rules, engine, gateway, at: now)
        try recall(&next, at: now)
        reader.follow(next.kinds)
        try acting.use(rules, at: now)
        try commit(next, upTo: reader.place, at: now)
        try release(at: now)
    }

    /// A new rule may begin before the place, at which all others are.
    private func recall(_ next: inout Engine, at now: Moment) throws {
        for row in next.rows where row.change < reader.place && next.outcome.rules.contains(row.name) {
            guard next.rule(row.name)?.since == row.change else { continue }
            var (place, isThrough) = (row.change, false)
            while !isThrough {
                try store.readCommitted { store in
                    let (changes, last, _) = try store.changes(after: place, kinds: [.message])
                    let missed = changes.filter { $0.number <= reader.place }
                    try next.recall(missed, for: row.name, StoreFacts(store, gateway), at: now)
                    isThrough = last == place || last >= reader.place
                    place = last
                }
            }
        }
    }

    /// Does what is due. When this returns, it is on disk.
    ///
    /// - Throws: the ``StoreError`` of a failing disk: what was found waits, and is found again.
    func work(at now: Moment) throws {
        // Released first, so that targets get the held notifications before new ones.
        if let quietEnd, now.isSure, quietEnd <= now.at || now.isSet(since: last) { try release(at: now) }
        last = now
        if engine.isCatchingUp { try catchUp(at: now) }
        var isThrough = false
        while !isThrough {
            var next = engine
            // In one transaction: a second one for each packet would cost as much as processing it.
            let step = try reader.next { reader, changes, isAll in
                let facts = StoreFacts(reader, gateway)
                for change in changes { try next.take(change, facts, at: now) }
                if isAll { try next.pass(facts, at: now) }
                isThrough = isAll
            }
            switch step {
            case .missed(let count, _, let last): try miss(count, upTo: last, at: now)
            case .changes(_, let last): try commit(next, upTo: last, at: now)
            }
        }
        try acting.work(at: now, zone: engine.zone)
    }

    func deadline(at now: Moment) -> Int64? {
        [engine.deadline(at: now), now.isSure ? quietEnd : nil, acting.deadline(at: now)].compactMap { $0 }.min()
    }

    /// From now on rules may have so much of the air.
    func apply(_ limits: ActLimits) { acting.limits = limits }

    /// Acts that wait come to nothing.
    func stop(because why: Skipped, at now: Moment) { acting.stop(because: why, at: now) }

    /// The disk has begun or stopped failing, or the gateway's problems have changed.
    func gatewayChanged(at now: Moment) throws {
        let known = engine.outcome.firings.count
        try store.readCommitted { try engine.gatewayChanged(StoreFacts($0, gateway), at: now) }
        // In memory until the next commit.
        guard store.health.failingSince != nil else { return }
        let told = engine.outcome.firings.dropFirst(known).filter { $0.fate == .told }
        for firing in told { unstored(firing.row) }
        let dispatches = try dispatches(of: told, of: engine, at: now).filter { $0.heldUntil == nil }
        guard !dispatches.isEmpty else { return }
        handed.formUnion(dispatches.map(\.uuid))
        targets?.tell(dispatches)
    }

    func storePlace() { reader.storePlace() }

    // MARK: changes

    /// The place stays where it is until all changes are known: what is reported depends on how many there are.
    private func catchUp(at now: Moment) throws {
        var (next, place) = (engine, reader.place)
        var isThrough = false
        while !isThrough {
            try store.readCommitted { reader in
                let forgotten = try reader.forgottenChanges(after: place)
                guard forgotten == 0 else {
                    try next.missed(isUnknown: forgotten == nil, StoreFacts(reader, gateway), at: now)
                    place = try reader.newestChange()
                    return sayMissed(forgotten)
                }
                let (changes, last, _) = try reader.changes(after: place, kinds: engine.kinds, limit: 500)
                let facts = StoreFacts(reader, gateway)
                for change in changes { try next.take(change, facts, at: now) }
                isThrough = last == place
                place = last
                if isThrough { try next.caughtUp(facts, at: now) }
            }
        }
        try commit(next, upTo: place, at: now)
    }

    private func miss(_ count: Int64?, upTo last: Int64, at now: Moment) throws {
        sayMissed(count)
        var next = engine
        try store.readCommitted { try next.missed(isUnknown: count == nil, StoreFacts($0, gateway), at: now) }
        try commit(next, upTo: last, at: now)
    }

    private func sayMissed(_ count: Int64?) {
        let what = count.map { "\($0) changes are" } ?? "what has changed is"
        logger.warning(
            "rules have missed something: \(what) no longer in the change log; they go on with the newest one")
    }

    private func dispatches(of firings: [RuleFiring], of engine: Engine, at now: Moment) throws -> [Dispatch] {
        guard let targets, firings.contains(where: { $0.fate == .told }) else { return [] }
        let ofTargets = try engine.dispatches(of: firings, to: targets.names(), at: now) { row in
            guard let number = row.node, let source = row.source else { return nil }
            return try store.readCommitted { try $0.node(number, in: source)?.shown }
        }
        let devices = targets.devices()
        guard !devices.isEmpty else {
            nobody()
            return ofTargets
        }
        return try ofTargets
            + store.readCommitted { engine.dispatches(of: firings, to: devices, $0, at: now) }
    }

    /// Lets targets have what quiet hours hold no longer: they are over, or the rules or the host's zone are others.
    ///
    /// - Parameter isFirst: what is over since before the start has waited since then; in a backup of last week for too long.
    private func release(at now: Moment, isFirst: Bool = false) throws {
        engine.zone.refresh()
        var held = try store.readCommitted { try $0.heldDispatches() }
        let changed = held.map { (id: $0.id, end: engine.quietEnd(of: $0, at: now), before: $0.heldUntil) }
            .filter { $0.end != $0.before }
        if !changed.isEmpty {
            try store.commit { writer in
                for one in changed {
                    let time = isFirst ? min(now.at, one.before ?? now.at) : now.at
                    try writer.holdDispatch(one.id, until: one.end, at: time)
                }
            }
            if changed.contains(where: { $0.end == nil }) { targets?.wake() }
            held = try store.readCommitted { try $0.heldDispatches() }
        }
        quietEnd = held.first?.heldUntil
    }

    /// Stores the outcome of `next`, which then replaces the engine.
    private func commit(_ next: Engine, upTo change: Int64, at now: Moment) throws {
        var next = next
        if next.outcome.isEmpty {
            if change != reader.place { reader.pass(change) }
        } else {
            let engine = next
            let dispatches = try dispatches(of: engine.outcome.firings, of: engine, at: now).map { dispatch in
                guard handed.contains(dispatch.uuid) else { return dispatch }
                // Quiet hours that have begun meanwhile do not put it into their summary.
                var known = dispatch
                known.heldUntil = nil
                return known
            }
            try reader.act(upTo: change) { writer in
                try engine.store(writer)
                for dispatch in dispatches { try writer.insert(dispatch) }
            }
            if dispatches.contains(where: { $0.heldUntil == nil }) { targets?.wake() }
            quietEnd = (dispatches.map(\.heldUntil) + [quietEnd]).compactMap { $0 }.min()
            for firing in next.outcome.firings where firing.fate == .told {
                logger.info(
                    "rule \(firing.row.rule ?? ""): \(firing.row.title)", fields: ["rule": firing.row.rule ?? ""])
            }
        }
        handed = []
        // When nobody can read, nobody acts: what was heard is old then.
        try? acting.take(next.outcome.acts, at: now)
        done(next.outcome)
        next.clear()
        engine = next
    }
}
