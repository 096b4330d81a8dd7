import Store

// What becomes of an entry after its answer, and when its target is tried again.

extension SendQueue {
    private static let delays: [Int64] = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
    /// Where a part of the services would get it again each time.
    private static let delaysOfPart = Array(delays.prefix(4))

    /// What happens to the entry; ``Line/row`` is then the target's new row.
    enum Fate: Hashable {
        case stays, gone, moves(to: String), givenUp
        /// Its registration is to be removed.
        case ends
        /// It stays; which of two hosts knows its registration has to be noted.
        case changesHost
    }

    /// A registration's notification is given up after an hour, and has to be tried in it, whenever it comes.
    private static let longestDelayOfRegistration: Int64 = 600_000
    /// Milliseconds.
    static let untilHostIsNoted: Int64 = 5_000
    /// Milliseconds after which a registration ends that nobody has ever subscribed to.
    static let longestUnheard: Int64 = 7 * 86_400_000

    /// - Parameters:
    ///   - id: nil for a call.
    ///   - jitter: from 1 to 1.25.
    mutating func answered(_ target: String, _ id: Int64?, _ verdict: Verdict, at now: SendTime, jitter: Double) -> Fate
    {
        see(now)
        // The answer may be that of an earlier target of this name.
        guard var line = lines[target], line.running == .some(id) else { return .stays }
        let index = id.flatMap { id in line.entries.firstIndex { $0.id == id } }
        guard id == nil || index != nil else { return .stays }
        line.running = nil
        let fate = line.isOutdated ? line.ofBefore(verdict, index) : line.take(verdict, index, at: now, jitter: jitter)
        line.isOutdated = false
        if fate == .gone, let index { unstored.note(line.entries[index], arrivedAt: target) }
        if fate != .stays, fate != .changesHost, let index { line.entries.remove(at: index) }
        lines[target] = line
        return fate
    }

    /// A test has arrived: what waits is sent at once.
    mutating func proved(_ target: Target, at now: SendTime) {
        see(now)
        guard var line = lines[target.name], line.target == target else { return }
        line.succeed(at: now)
        line.count(at: now)
        // An alive target is called at its own times.
        if !target.isAlive { line.notBefore = min(line.notBefore, now.uptime) }
        lines[target.name] = line
    }

    /// A call was due while not all was well: the receiver is to notice its absence.
    mutating func skipped(_ target: String, at now: SendTime) {
        guard let every = lines[target]?.target.kind.receiver.every else { return }
        lines[target]!.running = nil
        // The trouble may be over in a moment, and a whole period more would look like a death.
        lines[target]!.notBefore = now.uptime + min(every, Self.afterSkipping)
    }

    /// The feed has reported that it fails.
    mutating func markTold(_ target: String) { lines[target]?.row.isTold = true }

    /// - Parameter attempts: failed ones before this one.
    fileprivate static func delay(after attempts: Int, of target: Target) -> Int64 {
        let delay = delays[min(attempts, delays.count - 1)]
        return target.registration == nil ? delay : min(delay, longestDelayOfRegistration)
    }

    /// - Parameter attempts: those before, of which a part was taken.
    /// - Returns: nil if there were enough of them.
    fileprivate static func delayOfPart(after attempts: Int) -> Int64? {
        attempts < delaysOfPart.count ? delaysOfPart[attempts] : nil
    }
}

extension SendQueue.Line {
    /// The answer of the address that the target had before it was changed: it says nothing about the target as it is now.
    fileprivate mutating func ofBefore(_ verdict: SendQueue.Verdict, _ index: Int?) -> SendQueue.Fate {
        if case .failed(_, _, mayHaveArrived: true) = verdict, let index { entries[index].mayBeThere = true }
        return verdict == .arrived && index != nil ? .gone : .stays
    }

    fileprivate mutating func take(
        _ verdict: SendQueue.Verdict, _ index: Int?, at now: SendTime, jitter: Double
    ) -> SendQueue.Fate {
        var fate = SendQueue.Fate.stays
        switch verdict {
        case .arrived:
            succeed(at: now)
            notBefore = now.uptime
            count(at: now)
            fate = .gone
        case .refused(let why): fate = refuse(why, at: now)
        case .gone(let why):
            note(why, at: now)
            fate = .ends
        case .tooLong(let why):
            if let index, !entries[index].isShort {
                entries[index].isShort = true
                notBefore = now.uptime
            } else {
                fate = refuse(why, at: now)
            }
        case .unheard(let why, let wish):
            let delay = Int64(Double(SendQueue.delay(after: row.attempts, of: target)) * jitter)
            fail(why, for: max(delay, min(wish ?? 0, SendQueue.longestWish)), at: now)
            let since = unheardSince ?? now.at
            unheardSince = since
            if now.at - since >= SendQueue.longestUnheard { fate = .ends }
        case .otherHost(let why):
            note(why, at: now)
            // It is asked at once where its host has been noted.
            notBefore = now.uptime + SendQueue.untilHostIsNoted
            fate = .changesHost
        case .partly(let why):
            count(at: now)
            let before = index.map { entries[$0].partly } ?? 0
            if let delay = SendQueue.delayOfPart(after: before) {
                fail(why, for: Int64(Double(delay) * jitter), at: now)
            } else {
                fate = refuse(why, at: now)
            }
            if let index { entries[index].partly += 1 }
        case .failed(let why, let wish, let mayHaveArrived):
            let delay = Int64(Double(SendQueue.delay(after: row.attempts, of: target)) * jitter)
            fail(why, for: max(delay, min(wish ?? 0, SendQueue.longestWish)), at: now)
            if mayHaveArrived {
                count(at: now)
                if let index { entries[index].mayBeThere = true }
            }
        }
        if fate == .stays, let index {
            entries[index].tries += 1
            if case .partly = verdict { entries[index].mayBeThere = true }
        }
        // A call repeats anyway, and has nothing to make up for.
        if let every = target.kind.receiver.every {
            notBefore = now.uptime + every
            row.nextAt = nil
            fate = .stays
        }
        return fate
    }

    private mutating func fail(_ why: String, for wait: Int64, at now: SendTime) {
        note(why, at: now)
        notBefore = now.uptime + wait
        row.nextAt = now.at + wait
    }

    private mutating func refuse(_ why: String, at now: SendTime) -> SendQueue.Fate {
        note(why, at: now)
        unheardSince = nil
        // It is reachable, and has answered: the next failure begins with a short pause.
        row.attempts = 1
        row.nextAt = nil
        isRefused = true
        notBefore = now.uptime
        return target.fallback.map { .moves(to: $0) } ?? .givenUp
    }

    private mutating func note(_ why: String, at now: SendTime) {
        row.attempts += 1
        row.error = why
        row.failingSince = row.failingSince ?? now.at
    }
}
