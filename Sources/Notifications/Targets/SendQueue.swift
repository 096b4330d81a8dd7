import MeshModel
import Store

// Decides what is sent to which target, and when. A value without clock and I/O: the time and the answers go in, steps come out.
//
//     rows --add--> line of each target --step(now)--> send the first one | sum up | give up
//                                        <--answered--
//
// 1. A target gets its notifications in order: while the first one fails, the others wait.
// 2. At most three requests are under way, one per target; the third place is for targets whose last attempt succeeded, so
//    that two that hang do not keep the others waiting.
// 3. A target that fails is tried again after 5 s, 30 s, 2, 10 and 30 minutes, then hourly, and up to a quarter later, so that
//    many gateways do not come at once; later still if the target asks for it.
// 4. Times are from the clock that is never set. What is known from before a start counts by the host's clock.

/// A time by both clocks.
struct SendTime: Hashable, Sendable {
    /// Host milliseconds since 1970. The host's clock may be set at any time.
    var at: Int64
    /// Milliseconds of a clock that is never set.
    var uptime: Int64

    init(at: Int64, uptime: Int64) { (self.at, self.uptime) = (at, uptime) }

    /// Whether the host's clock has been set at all.
    var isSure: Bool { at >= PlausibleTime.earliestMilliseconds }
}

struct SendQueue {
    /// A row that waits.
    struct Entry: Hashable {
        let id: Int64
        let uuid: String
        /// Since when it has been waiting, in milliseconds of uptime; may be below 0.
        let since: Int64
    }

    /// A target and what waits for it.
    struct Line {
        var target: Target
        var entries: [Entry] = []
        var row: TargetRow
        /// Milliseconds of uptime before which nothing is sent.
        var notBefore: Int64
        var isRunning = false
        /// The request under way goes to the address that the target had before it was changed.
        var isOutdated = false
        /// The first entry may have arrived, so it is no longer summed up.
        var firstMayBeThere = false
        /// Whether the last attempt of this run, or of an earlier one, has succeeded.
        var isProven: Bool { row.succeededAt != nil && row.attempts == 0 }
        /// It has answered with a refusal, and nothing has arrived since.
        var isRefused: Bool

        init(target: Target, row: TargetRow, notBefore: Int64) {
            (self.target, self.row, self.notBefore) = (target, row, notBefore)
            // After a failure that is tried again there is a time.
            isRefused = !target.isAlive && row.failingSince != nil && row.nextAt == nil
        }

        /// It has accepted something.
        fileprivate mutating func succeed(at now: SendTime) {
            row.attempts = 0
            (row.nextAt, row.failingSince, row.error, row.isTold) = (nil, nil, nil, false)
            row.succeededAt = now.at
            isRefused = false
        }
    }

    enum Step: Hashable {
        /// Send the first entry, and pass the result to ``answered(_:_:_:at:jitter:)``.
        case send(target: String, id: Int64)
        /// Call the receiver that watches whether the gateway is alive; then likewise.
        case call(target: String)
        /// Sum up all but the newest after this row, and continue with ``folded(_:of:at:)``.
        case fold(target: String, after: Int64)
        /// Its time is over. Its fallback, if any, gets it.
        case giveUp(target: String, id: Int64, to: String?)
    }

    enum Verdict: Hashable {
        case arrived
        /// Another attempt would not help.
        case refused(String)
        /// - Parameter retryAfter: how long it asks to be left alone, in milliseconds; nil if it does not say.
        case failed(String, retryAfter: Int64?, mayHaveArrived: Bool)
    }

    static let places = 3
    /// Places for targets that are not proven.
    static let doubtfulPlaces = 2
    /// Up to this many are sent one by one.
    static let oneByOne = 20
    private static let delays: [Int64] = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
    /// The longest pause that a target may ask for, in milliseconds.
    static let longestWish: Int64 = 21_600_000
    private static let tolerance: Int64 = 10_000
    /// Milliseconds until a call that was skipped because not all was well is due again.
    static let afterSkipping: Int64 = 30_000

    private(set) var lines: [String: Line] = [:]
    private var last: SendTime
    /// Whether calls go out.
    var isAlive = false

    init(at now: SendTime) { last = now }

    // MARK: what comes in

    /// Replaces the active targets.
    ///
    /// - Parameters:
    ///   - rows: what is known of the targets.
    ///   - kept: names of targets whose file is broken: what waits for them keeps waiting.
    /// - Returns: names of targets that are gone.
    mutating func use(_ targets: [Target], kept: Set<String>, rows: [TargetRow], at now: SendTime) -> [String] {
        see(now)
        let gone = lines.keys.filter { name in !kept.contains(name) && !targets.contains { $0.name == name } }
        for name in gone { lines[name] = nil }
        for target in targets {
            if let line = lines[target.name] {
                guard line.target != target else { continue }
                // The change may have repaired it.
                lines[target.name]!.target = target
                lines[target.name]!.notBefore = now.uptime
                lines[target.name]!.isRefused = false
                lines[target.name]!.isOutdated = line.isRunning
            } else {
                let row = rows.first { $0.name == target.name } ?? TargetRow(target.name)
                let wait = now.isSure ? row.nextAt.map { min(max(0, $0 - now.at), Self.longestWish) } : nil
                lines[target.name] = Line(target: target, row: row, notBefore: now.uptime + (wait ?? 0))
            }
        }
        return gone.sorted()
    }

    /// - Parameter isOfBefore: whether an earlier run may have sent it.
    mutating func add(_ row: Reader.WaitingDispatch, isOfBefore: Bool, at now: SendTime) {
        guard let line = lines[row.target] else { return }
        if line.entries.isEmpty { lines[row.target]!.firstMayBeThere = isOfBefore }
        lines[row.target]!.entries.append(Entry(id: row.id, uuid: row.uuid, since: Self.since(row.at, at: now)))
    }

    /// A time from a clock that was not set, then or now, does not say how long it has waited: it starts to wait now.
    private static func since(_ at: Int64, at now: SendTime) -> Int64 {
        let isKnown = now.isSure && at >= PlausibleTime.earliestMilliseconds
        return now.uptime - (isKnown ? max(0, now.at - at) : 0)
    }

    /// The row is gone.
    mutating func drop(_ id: Int64, of target: String) {
        guard lines[target]?.entries.first?.id == id else { return }
        removeFirst(of: target)
        lines[target]?.isRunning = false
    }

    /// Replaces a target's entries by what waits now, including a summary.
    mutating func folded(_ rows: [Dispatch], of target: String, at now: SendTime) {
        guard let line = lines[target] else { return }
        var before: Int64 = .min
        lines[target]!.entries = rows.map { row in
            // A summary has waited as long as the oldest of those that it replaces, which came before it.
            let parts = line.entries.filter { $0.id == row.id || row.isSummary && before < $0.id && $0.id < row.id }
            before = row.id
            return Entry(id: row.id, uuid: row.uuid, since: parts.map(\.since).min() ?? Self.since(row.at, at: now))
        }
        if line.entries.first?.id != rows.first?.id { lines[target]!.firstMayBeThere = false }
    }

    /// It could not be sent, because nothing could be read.
    mutating func release(_ target: String) { lines[target]?.isRunning = false }

    // MARK: steps

    /// The next step; each one changes what comes after it.
    mutating func step(at now: SendTime) -> Step? {
        see(now)
        for (name, line) in lines where !line.isRunning {
            guard let first = line.entries.first, now.uptime - first.since >= line.target.retryFor else { continue }
            removeFirst(of: name)
            return .giveUp(target: name, id: first.id, to: line.target.fallback)
        }
        let running = lines.values.filter(\.isRunning)
        guard running.count < Self.places else { return nil }
        let doubtful = running.count { !$0.isProven }
        let ready = lines.values.filter { line in
            !line.isRunning && line.notBefore <= now.uptime && hasWork(line, at: now)
                && (line.isProven || doubtful < Self.doubtfulPlaces)
        }
        guard let line = ready.min(by: { ($0.notBefore, $0.target.name) < ($1.notBefore, $1.target.name) }) else {
            return nil
        }
        let name = line.target.name
        if line.target.isAlive {
            lines[name]!.isRunning = true
            return .call(target: name)
        }
        if line.entries.count > Self.oneByOne {
            let first = line.firstMayBeThere ? line.entries[0].id : 0
            return .fold(target: name, after: first)
        }
        lines[name]!.isRunning = true
        return .send(target: name, id: line.entries[0].id)
    }

    private func hasWork(_ line: Line, at now: SendTime) -> Bool {
        if line.target.isAlive { return true }
        // Receivers refuse signatures with a wrong time.
        return !line.entries.isEmpty && (now.isSure || !line.target.isWebhook)
    }

    /// When ``step(at:)`` has to be called again, in milliseconds of uptime; nil if only after new input.
    func deadline(at now: SendTime) -> Int64? {
        let waiting = lines.values.filter { !$0.isRunning && ($0.target.isAlive || !$0.entries.isEmpty) }
        let isFull = lines.values.count(where: \.isRunning) >= Self.places
        var all: [Int64] = []
        for line in waiting {
            // If all places are taken, the next answer frees one. What is due and not begun waits for that, or for the clock to be
            // set.
            if line.notBefore > now.uptime { all.append(line.notBefore) }
            if let first = line.entries.first { all.append(first.since + line.target.retryFor) }
        }
        // That it fails is reported after an hour, not at the next attempt.
        for line in lines.values {
            if let left = line.timeToFailing(at: now) { all.append(now.uptime + left) }
        }
        if !now.isSure, !isFull, waiting.contains(where: { $0.target.isWebhook }) { all.append(now.uptime + 60_000) }
        return all.min()
    }

    // MARK: answers

    /// What happens to the entry; ``Line/row`` is then the target's new row.
    enum Fate: Hashable { case stays, gone, moves(to: String), givenUp }

    /// - Parameters:
    ///   - id: nil for a call.
    ///   - jitter: from 1 to 1.25.
    mutating func answered(_ target: String, _ id: Int64?, _ verdict: Verdict, at now: SendTime, jitter: Double) -> Fate
    {
        see(now)
        // The answer may be that of an earlier target of this name.
        guard var line = lines[target], line.isRunning, id == nil || line.entries.first?.id == id else { return .stays }
        line.isRunning = false
        if line.isOutdated {
            // Says nothing about the target as it is now.
            line.isOutdated = false
            if case .failed(_, _, mayHaveArrived: true) = verdict { line.firstMayBeThere = true }
            lines[target] = line
            guard verdict == .arrived, id != nil else { return .stays }
            removeFirst(of: target)
            return .gone
        }
        var fate = Fate.stays
        switch verdict {
        case .arrived:
            line.succeed(at: now)
            line.notBefore = now.uptime
            fate = .gone
        case .refused(let why):
            fail(&line, why, at: now)
            // It is reachable, and has answered: the next failure begins with a short pause.
            line.row.attempts = 1
            line.row.nextAt = nil
            line.isRefused = true
            line.notBefore = now.uptime
            fate = line.target.fallback.map { .moves(to: $0) } ?? .givenUp
        case .failed(let why, let wish, let mayHaveArrived):
            let delay = Self.delays[min(line.row.attempts, Self.delays.count - 1)]
            fail(&line, why, at: now)
            let wait = max(Int64(Double(delay) * jitter), min(wish ?? 0, Self.longestWish))
            line.notBefore = now.uptime + wait
            line.row.nextAt = now.at + wait
            if mayHaveArrived { line.firstMayBeThere = true }
        }
        // A call repeats anyway, and has nothing to make up for.
        if case .alive(let every) = line.target.kind {
            line.notBefore = now.uptime + every
            line.row.nextAt = nil
            fate = .stays
        }
        lines[target] = line
        if fate != .stays, lines[target]?.entries.first?.id == id { removeFirst(of: target) }
        return fate
    }

    /// A test has arrived: what waits is sent at once.
    mutating func proved(_ target: Target, at now: SendTime) {
        see(now)
        guard var line = lines[target.name], line.target == target else { return }
        line.succeed(at: now)
        // An alive target is called at its own times.
        if !target.isAlive { line.notBefore = min(line.notBefore, now.uptime) }
        lines[target.name] = line
    }

    /// A call was due while not all was well: the receiver is to notice its absence.
    mutating func skipped(_ target: String, at now: SendTime) {
        guard case .alive(let every)? = lines[target]?.target.kind else { return }
        lines[target]!.isRunning = false
        // The trouble may be over in a moment, and a whole period more would look like a death.
        lines[target]!.notBefore = now.uptime + min(every, Self.afterSkipping)
    }

    private func fail(_ line: inout Line, _ why: String, at now: SendTime) {
        line.row.attempts += 1
        line.row.error = why
        line.row.failingSince = line.row.failingSince ?? now.at
    }

    /// The feed has reported that it fails.
    mutating func markTold(_ target: String) { lines[target]?.row.isTold = true }

    private mutating func removeFirst(of target: String) {
        guard lines[target]?.entries.isEmpty == false else { return }
        lines[target]!.entries.removeFirst()
        lines[target]!.firstMayBeThere = false
    }

    /// Notices when the host's clock has been set.
    private mutating func see(_ now: SendTime) {
        defer { last = now }
        let leap = now.at - (last.at + now.uptime - last.uptime)
        guard abs(leap) > Self.tolerance else { return }
        for name in lines.keys {
            if let since = lines[name]!.row.failingSince { lines[name]!.row.failingSince = since + leap }
        }
    }
}

extension SendQueue.Line {
    /// Milliseconds for which a target that has never accepted anything may fail unreported: it may have been set up offline.
    static let patience: Int64 = 3_600_000

    /// Whether it really fails: it has worked before, or had an hour. A single failed attempt may mean anything.
    func isFailing(at now: SendTime) -> Bool {
        guard let since = row.failingSince else { return false }
        if row.succeededAt == nil, !isRefused { return now.at - since >= Self.patience }
        return row.attempts > 1 || isRefused
    }

    /// Milliseconds until it counts as failing by time alone; nil if it does already, or never will by time.
    fileprivate func timeToFailing(at now: SendTime) -> Int64? {
        guard let since = row.failingSince, row.succeededAt == nil, !isRefused, !isFailing(at: now) else { return nil }
        return since + Self.patience - now.at
    }
}
