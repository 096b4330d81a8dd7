import Log
import MeshModel
import Platform
import Store

// The targets' thread: reads rows, does the queue's steps, and commits what follows from answers before the next step. While the
// disk fails it sends only what tells of that, from memory: what became of anything else could not be recorded.

extension RunningTargets {
    func run() {
        var queue = SendQueue(at: clock())
        var (read, limit): (Int64, Int64) = (0, -1)
        var effects: [@Sendable (Writer) throws -> Void] = []
        var (isNew, isWaiting) = (false, false)
        var proven: [Target] = []
        var (ended, otherHosts): ([Target], [Target]) = ([], [])
        signals.withLock { $0.isNew = true }
        while true {
            sayWhoFails()
            let now = clock()
            // While the disk fails, until the thread is woken when that is over, or for a minute.
            let deadline =
                isWaiting
                ? min(now.uptime + 60_000, queue.deadlineFromMemory(at: now) ?? .max) : queue.deadline(at: now)
            guard let found = wait(until: deadline) else { return }
            isNew = isNew || found.isNew
            proven += found.proven
            ended += found.ended
            otherHosts += found.otherHosts
            // Before anything that can fail: an answer comes once.
            for answer in found.answers { effects += take(answer, &queue) }
            for dispatch in found.unstored { queue.add(unstored: dispatch, at: clock()) }
            do {
                if isNew {
                    // Rows that an earlier run left may have been sent.
                    if limit < 0 {
                        limit = try gateway.store.readCommitted { try $0.waitingDispatches(after: 0) }.last?.id ?? 0
                    }
                    // A registration that has ended is not read again. While the disk fails it may be, and once more then.
                    let isStored = (try? commit(&effects)) != nil
                    effects += try use(found.state, &queue, read)
                    isNew = !isStored && signals.withLock { !$0.devices.isEmpty }
                }
                // Only once their targets are active.
                for target in proven { effects += proved(target, &queue) }
                proven = []
                for target in ended { effects += end(target, &queue) }
                ended = []
                for target in otherHosts { effects += noteOtherHost(of: target) }
                otherHosts = []
                try commit(&effects)
                for row in try gateway.store.readCommitted({ try $0.waitingDispatches(after: read) }) {
                    read = row.id
                    if !queue.add(row, isOfBefore: row.id <= limit, at: clock()) {
                        effects.append { try $0.removeDispatch(row.id) }
                    }
                }
                queue.isAlive = isAlive
                while let step = queue.step(at: clock()) { try perform(step, upTo: read, &queue, &effects) }
                for line in queue.lines.values { say(line, line, at: clock(), &queue, &effects) }
                try commit(&effects)
                isWaiting = false
            } catch {
                if !isWaiting { logger.warning("targets wait: \(error)") }
                isWaiting = true
                while let step = queue.step(at: clock(), isFromMemory: true) { sendFromMemory(step, &queue) }
            }
            report(queue, found.state.files)
            // While the disk fails, a target's removal is not on disk yet.
            if !isWaiting, signals.withLock({ endsUnneeded(&$0) }) { return }
        }
    }

    /// Ends the thread when there are no targets any more, and their rows are gone.
    private func endsUnneeded(_ signals: inout Signals) -> Bool {
        guard signals.state.files.isEmpty, signals.state.inForce.isEmpty, signals.devices.isEmpty, !signals.isNew,
            !signals.isStopping, signals.running == 0, signals.answers.isEmpty
        else { return false }
        // No other thread joins it: here it detaches itself.
        signals.thread?.join()
        signals.thread = nil
        return true
    }

    /// All radios are connected, and the disk takes writes.
    private var isAlive: Bool {
        guard gateway.store.health.failingSince == nil else { return false }
        let sources = (try? gateway.store.readCommitted { try $0.sources() }) ?? []
        let present = sources.filter(\.source.isEnabled).map { gateway.status(of: $0.id) }.filter { $0.device != nil }
        return !present.isEmpty && present.allSatisfy { $0.link.name == LinkState.live.name }
    }

    private func commit(_ effects: inout [@Sendable (Writer) throws -> Void]) throws {
        guard !effects.isEmpty else { return }
        let all = effects
        try gateway.store.commit { writer in for effect in all { try effect(writer) } }
        effects = []
    }

    // MARK: targets

    private func use(
        _ state: State, _ queue: inout SendQueue, _ read: Int64
    ) throws -> [@Sendable (Writer) throws -> Void] {
        let (rows, counts, waiting, registrations) = try gateway.store.readCommitted {
            (try $0.targets(), try $0.dispatchCounts(), try $0.waitingDispatches(after: 0), try $0.registrations())
        }
        let devices = try devices(registrations)
        signals.withLock { signals in
            signals.devices = devices
            signals.forgetTests()
        }
        // What waits for a registration that cannot be told any more goes.
        let known = Set(devices.map(\.name)).union(state.inForce.map(\.name)).union(state.files.map(\.name))
        let before = Set(queue.lines.keys)
        _ = queue.use(state.inForce + devices, kept: known, rows: rows, at: clock())
        for one in registrations { queue.lines[one.target]?.unheardSince = one.unheardSince }
        // The rows of a target that has only now become active are read once more.
        for name in queue.lines.keys where !before.contains(name) {
            for row in waiting where row.target == name && row.id <= read {
                queue.add(row, isOfBefore: true, at: clock())
            }
        }
        // A folder that could never be read says nothing about what was removed.
        let left = Set(rows.map(\.name)).union(counts.keys).subtracting(known)
        let gone = left.filter { state.folder.isKnown || PushRegistration.id(ofTarget: $0) != nil }
        return gone.sorted().map { name in
            if let count = counts[name], PushRegistration.id(ofTarget: name) == nil {
                logger.notice(
                    "\(count == 1 ? "1 notification was" : "\(count) notifications were") never sent: there is no target \(name) any more"
                )
            }
            return { try $0.removeTarget(name) }
        }
    }

    // MARK: steps

    private func perform(
        _ step: SendQueue.Step, upTo read: Int64, _ queue: inout SendQueue,
        _ effects: inout [@Sendable (Writer) throws -> Void]
    ) throws {
        switch step {
        case .fold(let name, let spared):
            let now = clock().at
            try commit(&effects)
            try gateway.store.commit { _ = try $0.foldDispatches(of: name, sparing: spared, at: now) }
            // At a thousand, the writer itself has summed up rows that the queue still knows one by one.
            let rows = try gateway.store.readCommitted { try $0.dispatches(of: name) }
            queue.folded(rows.filter { $0.id <= read }, of: name, at: clock())
        case .release(let name, let spared):
            let now = clock().at
            try commit(&effects)
            try gateway.store.commit { try $0.releaseDispatches(of: name, sparing: spared, upTo: read, at: now) }
            let rows = try gateway.store.readCommitted { try $0.dispatches(of: name) }
            queue.released(rows.filter { $0.id <= read }, of: name, at: clock())
            let who = queue.lines[name]?.target.shown ?? name
            logger.info("\(who): what was over its allowance goes as one", fields: ["target": name])
        case .giveUp(let name, let id, let fallback):
            let fate = fallback.map { SendQueue.Fate.moves(to: $0) } ?? .givenUp
            settle(id, of: name, fate, "its time was over", &queue, &effects)
            try commit(&effects)
        case .call(let name):
            guard let target = queue.lines[name]?.target else { return }
            guard queue.isAlive else {
                queue.skipped(name, at: clock())
                return
            }
            send(target, nil, nil)
        case .send(_, let id) where id < 0: sendFromMemory(step, &queue)
        case .send(let name, let id):
            guard let target = queue.lines[name]?.target else { return }
            var isRead = false
            defer { if !isRead { queue.release(name) } }
            let (dispatch, sources) = try gateway.store.readCommitted { (try $0.dispatch(id), try $0.sources()) }
            isRead = true
            guard let dispatch else { return queue.drop(id, of: name) }
            if let registration = target.registration {
                isRead = false
                let told = try shown(dispatch, to: registration, sources, queue.isShort(id, of: name))
                isRead = true
                guard let told else {
                    // Its token is not shown it any more.
                    effects.append { try $0.removeDispatch(id) }
                    return queue.drop(id, of: name)
                }
                return send(target, id, told)
            }
            send(target, id, Outgoing(dispatch, link: link(dispatch, sources)))
        }
    }

    /// The disk fails: only what the queue has in memory goes out, and its link is left out if nothing can be read.
    private func sendFromMemory(_ step: SendQueue.Step, _ queue: inout SendQueue) {
        guard case .send(let name, let id) = step, let target = queue.lines[name]?.target else { return }
        guard let dispatch = queue.unstored[id] else { return queue.drop(id, of: name) }
        let sources = try? gateway.store.readCommitted { try $0.sources() }
        if let registration = target.registration {
            // Nobody is told what cannot be looked at.
            guard let told = try? shown(dispatch, to: registration, sources ?? [], queue.isShort(id, of: name)) else {
                return queue.drop(id, of: name)
            }
            return send(target, id, told)
        }
        send(target, id, Outgoing(dispatch, link: link(dispatch, sources ?? [])))
    }

    private func send(_ target: Target, _ id: Int64?, _ told: Outgoing?) {
        begin(target, told, at: clock()) { [self] verdict in
            signals.notify { signals in
                signals.answers.append(Answer(target: target.name, id: id, verdict: verdict))
                signals.running -= 1
            }
        }
    }

    private func take(_ answer: Answer, _ queue: inout SendQueue) -> [@Sendable (Writer) throws -> Void] {
        let (now, name) = (clock(), answer.target)
        let before = queue.lines[name]
        let fate = queue.answered(name, answer.id, answer.verdict, at: now, jitter: .random(in: 1...1.25))
        guard let line = queue.lines[name], let before else {
            // The target was removed meanwhile.
            return []
        }
        var effects: [@Sendable (Writer) throws -> Void] = []
        if let id = answer.id { settle(id, of: name, fate, line.row.error ?? "", &queue, &effects) }
        if let registration = line.target.registration {
            if fate == .ends { return effects + end(line.target, &queue) }
            effects += changes(of: registration, before, line, fate)
        }
        // A call that went well again is not news, and writes nothing.
        let isNews =
            !line.target.isAlive || before.row.failingSince != line.row.failingSince || before.row.succeededAt == nil
        if isNews, line.row != before.row { effects.append { [row = line.row] in try $0.store(row) } }
        say(before, line, at: now, &queue, &effects)
        return effects
    }

    /// A test has arrived.
    private func proved(_ target: Target, _ queue: inout SendQueue) -> [@Sendable (Writer) throws -> Void] {
        let (now, before) = (clock(), queue.lines[target.name])
        queue.proved(target, at: now)
        guard let before, let line = queue.lines[target.name], line.row != before.row else { return [] }
        var effects: [@Sendable (Writer) throws -> Void] = [{ [row = line.row] in try $0.store(row) }]
        say(before, line, at: now, &queue, &effects)
        return effects
    }

    /// Records what has become of a notification.
    ///
    /// - Parameter why: it was not taken.
    private func settle(
        _ id: Int64, of name: String, _ fate: SendQueue.Fate, _ why: String, _ queue: inout SendQueue,
        _ effects: inout [@Sendable (Writer) throws -> Void]
    ) {
        let now = clock()
        var fate = fate
        if case .moves(let fallback) = fate, names?.contains(fallback) != true { fate = .givenUp }
        // One from memory has a row only if the disk has taken it meanwhile.
        let row = id > 0 ? id : queue.settle(id, of: name, fate, at: now)
        switch fate {
        // What waits goes with the registration.
        case .stays, .ends, .changesHost: break
        case .gone: if let row { effects.append { try $0.removeDispatch(row) } }
        case .givenUp:
            let who = queue.lines[name]?.target.shown ?? "target \(name)"
            logger.warning("\(who): a notification was given up: \(why)", fields: ["target": name])
            if let row { effects.append { try $0.removeDispatch(row) } }
        case .moves(let fallback):
            logger.notice("target \(name): a notification goes to \(fallback): \(why)", fields: ["target": name])
            // The thread reads it again, after the others of its new target.
            signals.withLock { $0.isWoken = true }
            if let row { effects.append { try $0.moveDispatch(row, to: fallback, at: now.at) } }
        }
    }

    /// Reports once per outage, in the log and in the feed, but to no target.
    private func say(
        _ before: SendQueue.Line, _ line: SendQueue.Line, at now: SendTime, _ queue: inout SendQueue,
        _ effects: inout [@Sendable (Writer) throws -> Void]
    ) {
        if line.target.registration != nil { return sayOfRegistration(before, line, at: now, &queue, &effects) }
        let name = line.target.name
        if line.row.failingSince == nil, before.row.isTold {
            logger.notice(
                "\(Problem.Kind.targetFailing): \(name): that is over",
                fields: ["problem": Problem.Kind.targetFailing.rawValue])
        }
        guard line.isFailing(at: now), !line.row.isTold else { return }
        queue.markTold(name)
        let why = line.row.error ?? ""
        logger.warning(
            "\(Problem.Kind.targetFailing): \(name): \(why)", fields: ["problem": Problem.Kind.targetFailing.rawValue])
        let row = FeedRow(
            at: now.at, in: nil, type: Problem.Kind.targetFailing.rawValue, title: "\(name) is not told",
            body: "\(why).", needs: [.info])
        var told = line.row
        told.isTold = true
        effects.append { [told] writer in
            try writer.insert(row)
            try writer.store(told)
        }
    }

    // MARK: progress

    private func report(_ queue: SendQueue, _ files: [TargetFile]) {
        let now = clock()
        // What waits for broken targets keeps waiting.
        let others = files.map(\.name).filter { queue.lines[$0] == nil }
        let counts = others.isEmpty ? nil : try? gateway.store.readCommitted { try $0.waitingCounts() }
        signals.withLock { signals in
            var progress: [String: Progress] = [:]
            for (name, line) in queue.lines {
                var one = Progress(row: line.row, waiting: line.entries.count, isFailing: line.isFailing(at: now))
                one.summaryAt = line.summaryAt.map { now.at + $0 - now.uptime }
                progress[name] = one
            }
            for name in others {
                guard let count = counts?[name] else { continue }
                progress[name] = Progress(row: TargetRow(name), waiting: count)
            }
            signals.state.progress = progress
        }
    }

    /// How delivery to a target goes.
    public func progress(of name: String) -> Progress? {
        signals.withLock { signals in
            guard var progress = signals.state.progress[name] else {
                return signals.tests[name].map { Progress(row: TargetRow(name), test: $0) }
            }
            progress.test = signals.tests[name]
            return progress
        }
    }
}
