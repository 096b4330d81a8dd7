import Store

// One target of the queue, and what waits for it.

extension SendQueue {
    /// A notification that waits.
    struct Entry: Hashable {
        /// The row's number; below 0 for one that the disk cannot take.
        var id: Int64
        let uuid: String
        /// Since when it has been waiting to be sent, in milliseconds of uptime; may be below 0.
        var since: Int64
        let kind: Allowance.Kind
        /// It may have arrived, so it is no longer summed up.
        var mayBeThere = false
        /// Failed attempts of this run.
        var tries = 0
        /// How many of those a part of the target's services has taken.
        var partly = 0
        /// It has waited for the allowance long enough.
        var isReleased = false
        /// It was too long as it is.
        var isShort = false

        init(id: Int64, uuid: String, since: Int64, kind: Allowance.Kind) {
            (self.id, self.uuid, self.since, self.kind) = (id, uuid, since, kind)
        }
    }

    struct Line {
        var target: Target
        var entries: [Entry] = []
        var row: TargetRow
        /// Milliseconds of uptime before which nothing is sent.
        var notBefore: Int64
        /// The entry that is under way, or a call without one; nil if none is.
        var running: Int64??
        /// The request under way goes to the address that the target had before it was changed.
        var isOutdated = false
        /// Since when nobody has subscribed there, in host milliseconds.
        var unheardSince: Int64?
        /// It has answered with a refusal, and nothing has arrived since.
        var isRefused: Bool
        var sends: RecentSends
        /// Since when something waits for the allowance, in milliseconds of uptime; nil if nothing does.
        var heldSince: Int64?
        /// When something that had waited for the allowance went last.
        var releasedAt: Int64?

        init(target: Target, row: TargetRow, notBefore: Int64, sends: RecentSends) {
            (self.target, self.row, self.notBefore, self.sends) = (target, row, notBefore, sends)
            // After a failure that is tried again there is a time.
            isRefused = !target.isAlive && row.failingSince != nil && row.nextAt == nil
        }

        var isRunning: Bool { running != nil }
        /// Whether the last attempt of this run, or of an earlier one, has succeeded.
        var isProven: Bool { row.succeededAt != nil && row.attempts == 0 }

        /// It has accepted something.
        mutating func succeed(at now: SendTime) {
            row.attempts = 0
            (row.nextAt, row.failingSince, row.error, row.isTold) = (nil, nil, nil, false)
            row.succeededAt = now.at
            isRefused = false
            unheardSince = nil
        }

        /// It has got one, or may have.
        mutating func count(at now: SendTime) {
            guard !target.allowance.isUnlimited, !target.isAlive else { return }
            sends.add(at: now)
            row.sent = sends.stored(at: now)
        }
    }
}

extension SendQueue.Line {
    enum Move: Hashable { case call, send(Int64), fold, release }

    /// What it does next; nil if it has to wait.
    func move(at now: SendTime, isFromMemory: Bool) -> Move? {
        if target.isAlive { return isFromMemory ? nil : .call }
        // Receivers refuse signatures with a wrong time.
        guard !entries.isEmpty, now.isSure || !target.needsTime else { return nil }
        if isFromMemory { return entries.first { $0.id < 0 }.map { .send($0.id) } }
        let next = entries.first { mayGo($0, at: now) }
        // It goes past what would only be summed up.
        if heldSince != nil, let next { return .send(next.id) }
        if entries.count(where: { $0.id > 0 }) > SendQueue.oneByOne { return .fold }
        if let next { return .send(next.id) }
        return summaryAt.map { $0 <= now.uptime } == true ? .release : nil
    }

    /// Those that stay what they are.
    var spared: Set<Int64> { Set(entries.filter(\.mayBeThere).map(\.id)) }

    // MARK: allowance

    /// Whether something begins or ceases to wait for the allowance.
    func isHeldAnew(at now: SendTime) -> Bool {
        guard !target.allowance.isUnlimited, !isRunning else { return false }
        return heldSince == nil ? entries.contains { !mayGo($0, at: now) } : !entries.contains(where: mayBeHeld)
    }

    mutating func holdWhatIsOver(at now: SendTime) {
        let first = entries.first { !mayGo($0, at: now) }
        heldSince = heldSince == nil ? first.map { max($0.since, releasedAt ?? .min) } : nil
    }

    /// When what waits for the allowance goes, in milliseconds of uptime; nil if nothing does.
    var summaryAt: Int64? { heldSince.map { $0 + target.allowance.summaryInterval } }

    private func mayGo(_ entry: SendQueue.Entry, at now: SendTime) -> Bool {
        if !mayBeHeld(entry) { return true }
        // What comes while something waits is told with it.
        if entry.kind == .ordinary, heldSince != nil { return false }
        return target.allowance.allows(entry.kind, after: sends, at: now.uptime)
    }

    private func mayBeHeld(_ entry: SendQueue.Entry) -> Bool {
        !target.allowance.isUnlimited && entry.tries == 0 && !entry.isReleased && entry.kind != .exempt
    }

    /// When it is given up, in milliseconds of uptime: waiting for the allowance uses up none of its time.
    func end(of entry: SendQueue.Entry) -> Int64 {
        heldSince != nil && mayBeHeld(entry) ? .max : entry.since + target.retryFor
    }

    // MARK: failing

    /// Milliseconds for which a target that has never accepted anything may fail unreported: it may have been set up offline.
    static let patience: Int64 = 3_600_000

    /// Whether it really fails: it has worked before, or had an hour. A single failed attempt may mean anything.
    func isFailing(at now: SendTime) -> Bool {
        guard let since = row.failingSince else { return false }
        // Push services and phones come and go, and the registration stays. One without a subscriber is not wrong at all.
        if target.registration != nil { return unheardSince == nil && now.at - since >= Self.patience }
        if row.succeededAt == nil, !isRefused { return now.at - since >= Self.patience }
        return row.attempts > 1 || isRefused
    }

    /// Milliseconds until it counts as failing by time alone; nil if it does already, or never will by time.
    func timeToFailing(at now: SendTime) -> Int64? {
        guard let since = row.failingSince, !isFailing(at: now) else { return nil }
        let isByTime = target.registration == nil ? row.succeededAt == nil && !isRefused : unheardSince == nil
        guard isByTime else { return nil }
        return since + Self.patience - now.at
    }
}
