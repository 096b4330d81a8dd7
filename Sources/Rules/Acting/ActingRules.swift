import Gateway
import Log
import MeshModel
import Store

// Runs the acts: what fires waits in a queue in memory, leaves when its port is free, and is a line of its rule's log with what became
// of it. For the rules' thread.
//
// 1. A text's rows and its line are one commit, so that nothing is sent that is not in the log, and nothing twice: what is in the log
//    is not sent, whoever fires again. The line of a request is on disk before it is made.
// 2. Nothing waits over a kill, and a stop drops what waits. A text that was heard less than a minute before a kill may be answered
//    by the next run.

final class ActingRules {
    private let gateway: Gateway
    private let logger: Logger
    private let wake: @Sendable () -> Void
    private let tally: ActTally
    private let version: String
    /// When the gateway began, in milliseconds of the clock that is never set.
    private let began: Int64
    private var queue = ActQueue()
    /// The rules whose acts of before are known; nil: there was no rule yet that acts.
    private var recalled: Set<String>?
    /// When a port opens, in milliseconds of the clock that is never set.
    private var opening: Int64?

    private var store: Store { gateway.store }

    init(
        _ gateway: Gateway, began: Int64, version: String, tally: ActTally, logger: Logger,
        wake: @escaping @Sendable () -> Void
    ) {
        (self.gateway, self.began, self.version, self.tally) = (gateway, began, version, tally)
        (self.logger, self.wake) = (logger, wake)
    }

    var limits: ActLimits {
        get { queue.limits }
        set { queue.limits = newValue }
    }

    /// These are the rules in force. What waits for another one is dropped.
    func use(_ rules: [Rule], at now: Moment) throws {
        for act in queue.keep(rules.filter(\.isEnabled)) { skip(act, .changed, at: now) }
        let acting = rules.filter { $0.isEnabled && $0.acting != nil && recalled?.contains($0.name) != true }
        guard !acting.isEmpty else { return }
        try store.readCommitted { reader in
            if recalled == nil {
                for sent in try reader.sentActs(since: now.at - ActQueue.window) {
                    queue.recall(sentAt: now.uptime(of: sent.at), airtime: sent.airtime)
                }
            }
            for rule in acting {
                let passesOn = rule.when.isText && rule.acting?.text != nil
                for line in try reader.sentActs(of: rule.name, limit: 1_000) {
                    queue.recall(
                        rule.name, of: line.row.node, at: now.uptime(of: line.row.createdAt), passesOn: passesOn)
                }
            }
        }
        recalled = (recalled ?? []).union(acting.map(\.name))
    }

    /// These have fired, and the place behind them is kept.
    func take(_ acts: [Act], at now: Moment) throws {
        guard !acts.isEmpty else { return }
        try store.readCommitted { reader in
            for act in acts where !queue.waits(act.key, of: act.rule.name) {
                guard try !reader.hasFired(act.rule.name, key: act.key) else { continue }
                var skipped: Skipped?
                if act.acting.isOnce, let node = act.node, try reader.hasActed(act.rule.name, for: node) {
                    skipped = .once
                }
                if let skipped = skipped ?? queue.take(act, at: now.uptime) { skip(act, skipped, at: now) }
            }
        }
    }

    /// When there is something to do, in host milliseconds; nil: nothing waits.
    func deadline(at now: Moment) -> Int64? {
        [queue.deadline(at: now.uptime), opening].compactMap(\.self).min().map { now.at + max(0, $0 - now.uptime) }
    }

    /// Lets what is due leave, as far as it may.
    func work(at now: Moment, zone: LocalZone) throws {
        opening = nil
        var blocked: Set<SourceID> = []
        for act in queue.due(at: now.uptime) {
            do {
                guard let plan = try plan(act, at: now, zone) else {
                    queue.remove(act)
                    continue
                }
                if let skipped = queue.obstacle(to: act, plan.claim, at: now.uptime) { throw skipped }
                // Who goes first waits for its port, and the others behind it.
                guard !blocked.contains(plan.source) else { continue }
                switch gateway.opening(for: plan.port, in: plan.source, wake: wake) {
                case .now: try leave(act, plan, at: now)
                case .later(let time):
                    blocked.insert(plan.source)
                    opening = min(opening ?? .max, now.uptime + time)
                case .unknown: blocked.insert(plan.source)
                case .absent: throw Skipped.noRadio
                }
            } catch let skipped as Skipped {
                queue.remove(act)
                skip(act, skipped, at: now)
            }
        }
    }

    private func plan(_ act: Act, at now: Moment, _ zone: LocalZone) throws -> ActPlan? {
        try store.readCommitted { reader in
            try ActPlanner(
                reader: reader, facts: StoreFacts(reader, gateway), radio: { ActRadio(of: $0, self.gateway) }, now: now,
                began: began, version: version, zone: zone
            ).plan(act)
        }
    }

    /// What waits comes to nothing.
    func stop(because why: Skipped, at now: Moment) {
        for act in queue.waiting {
            queue.remove(act)
            skip(act, why, at: now)
        }
    }

    // MARK: leaving

    private func leave(_ act: Act, _ plan: ActPlan, at now: Moment) throws {
        guard let accepted = try commit(act, plan, at: now) else { return queue.remove(act) }
        for text in accepted { gateway.queue(text) }
        let refusals = plan.requests.compactMap { ask($0, in: plan.source) }
        // What has left counts, also where something else was refused.
        if let refused = refusals.last, plan.texts.isEmpty, refusals.count == plan.requests.count {
            queue.remove(act)
            return takeBack(act, refused)
        }
        queue.leaves(act, plan.claim, at: now.uptime)
        tally.sent(act.rule.name)
        logger.info("rule \(act.rule.name) has acted: \(act.row.title)", fields: ["rule": act.rule.name])
    }

    /// Makes the rows of its texts and its line in the log.
    ///
    /// - Returns: nil: the log has it already.
    private func commit(_ act: Act, _ plan: ActPlan, at now: Moment) throws -> [AcceptedText]? {
        var sent = act.line(.sent)
        (sent.row.createdAt, sent.airtime) = (now.at, plan.claim.airtime)
        do {
            return try store.commit { [gateway, sent] writer in
                let rule = act.rule.name
                if try writer.hasFired(rule, key: act.key) { return nil }
                if act.acting.isOnce, let node = act.node, try !writer.keepActed(rule, for: node, at: now.at) {
                    throw Skipped.once
                }
                var line = sent
                let texts = try plan.texts.map { text in
                    try writer.accept(text, by: Sender(.rule, rule), to: plan.source, of: gateway)
                }
                line.sent = texts.first?.messages.first?.id
                try writer.store(line)
                return texts
            }
        } catch let refusal as SendRefusal {
            throw Skipped(refusal)
        } catch is StoreError {
            throw Skipped.disk
        }
    }

    /// - Returns: why nobody was asked.
    private func ask(_ request: ActPlan.Request, in source: SourceID) -> Skipped? {
        do throws(RequestRefusal) {
            switch request {
            case .ask(let kind, let node, let channel):
                _ = try gateway.request(kind, of: node, channel: channel, lifetime: Act.lifetime, in: source)
            case .ownPosition(let channel):
                _ = try gateway.sendPosition(to: .broadcast, channel: channel, lifetime: Act.lifetime, in: source)
            }
            return nil
        } catch {
            return Skipped(error)
        }
    }

    // MARK: what comes to nothing

    /// Its line is written with the next group: nobody waits for it.
    private func skip(_ act: Act, _ why: Skipped, at now: Moment) {
        var line = act.line(.skipped, why: why)
        line.row.createdAt = now.at
        store.enqueue(.grouped, { [line] in try $0.store(line) })
        count(act, why)
    }

    /// It was logged as sent, and was refused.
    private func takeBack(_ act: Act, _ why: Skipped) {
        store.enqueue(
            .grouped,
            { writer in
                try writer.skipAct(of: act.rule.name, key: act.key, why: why.rawValue)
                if act.acting.isOnce, let node = act.node { try writer.forgetActed(act.rule.name, for: node) }
            })
        count(act, why)
    }

    private func count(_ act: Act, _ why: Skipped) {
        if why != .once { tally.skipped(act.rule.name) }
        logger.debug("rule \(act.rule.name) does not act: \(why.words)", fields: ["rule": act.rule.name])
    }
}

extension Moment {
    /// A time of the host's clock by the one that is never set: one that is to come is now.
    fileprivate func uptime(of time: Int64) -> Int64 { uptime - max(0, at - time) }
}

extension Skipped {
    init(_ refusal: SendRefusal) {
        self =
            switch refusal {
            case .notConnected: .noRadio
            case .transmitDisabled: .transmitterOff
            case .tooLong: .refused
            case .keyInDoubt: .keyInDoubt
            case .storage: .disk
            }
    }

    init(_ refusal: RequestRefusal) {
        self =
            switch refusal {
            case .notConnected: .noRadio
            case .transmitDisabled: .transmitterOff
            case .notHeardDirectly, .tooSoon, .tooMany, .noPosition: .refused
            case .storage: .disk
            }
    }
}
