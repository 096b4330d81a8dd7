import MeshModel
import Store

// What is sent to which target, and when. A value without clock and I/O: the time and the answers go in, steps come out.
//
//     rows --add--> line of each target --step(now)--> send the first one | sum up | give up
//                                        <--answered--
//
// 1. Within a target the first one goes out before the second: while it fails, the others wait.
// 2. At most three are under way, one a target; the third place is for targets whose last attempt has succeeded, so that two
//    that hang do not keep the others waiting.
// 3. A target that fails is tried again after 5 s, 30 s, 2, 10 and 30 minutes, then hourly, and up to a quarter later, so that
//    many gateways do not come at once; sooner or later if it says so itself.
// 4. Times are of the clock that nobody sets. What is known from before a start counts by the host's clock.

/// What the clocks say.
struct SendTime: Hashable, Sendable {
    /// Host milliseconds since 1970. Somebody may have set them.
    var at: Int64
    /// Milliseconds that nobody sets.
    var uptime: Int64

    init(at: Int64, uptime: Int64) { (self.at, self.uptime) = (at, uptime) }

    /// The host's clock has been set at all.
    var isSure: Bool { at >= PlausibleTime.earliestMilliseconds }
}

struct SendQueue {
    /// A row that waits.
    struct Entry: Hashable {
        let id: Int64
        let uuid: String
        /// Milliseconds of uptime since when it waits; before a start they are below 0.
        let since: Int64
    }

    /// A target with what waits for it.
    struct Line {
        var target: Target
        var entries: [Entry] = []
        var row: TargetRow
        /// Milliseconds of uptime before which nothing is sent.
        var notBefore: Int64
        var isRunning = false
        /// What is under way goes where the target pointed before it was changed.
        var isOutdated = false
        /// The first entry may have arrived: it is no longer summed up.
        var firstMayBeThere = false
        /// Whether the last attempt of this run, or of an earlier one, has succeeded.
        var isProven: Bool { row.succeededAt != nil && row.attempts == 0 }
        /// It was refused for good, by what it answered.
        var isRefused: Bool

        init(target: Target, row: TargetRow, notBefore: Int64) {
            (self.target, self.row, self.notBefore) = (target, row, notBefore)
            // What is to be tried again has a time.
            isRefused = !target.isAlive && row.failingSince != nil && row.nextAt == nil
        }

        /// It takes what it is sent.
        fileprivate mutating func succeed(at now: SendTime) {
            row.attempts = 0
            (row.nextAt, row.failingSince, row.error, row.isTold) = (nil, nil, nil, false)
            row.succeededAt = now.at
            isRefused = false
        }
    }

    enum Step: Hashable {
        /// The first entry is to be sent: answer with ``answered(_:_:_:at:jitter:)``.
        case send(target: String, id: Int64)
        /// The receiver of the gateway's life is to be called; the same.
        case call(target: String)
        /// All but the newest are to become a summary behind this row: go on with ``folded(_:of:at:)``.
        case fold(target: String, after: Int64)
        /// Its time is over. Its fallback, if any, gets it.
        case giveUp(target: String, id: Int64, to: String?)
    }

    enum Verdict: Hashable {
        case arrived
        /// It would not help to try again.
        case refused(String)
        /// - Parameter retryAfter: milliseconds that it wants to be left alone; nil: it says nothing.
        case failed(String, retryAfter: Int64?, mayHaveArrived: Bool)
    }

    static let places = 3
    /// Places for those that are not proven.
    static let doubtfulPlaces = 2
    /// As many at once are told one by one.
    static let oneByOne = 20
    private static let delays: [Int64] = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
    /// What a target may ask for at most.
    static let longestWish: Int64 = 21_600_000
    private static let tolerance: Int64 = 10_000
    /// Until a call is due again that was not made because not all was well.
    static let afterSkipping: Int64 = 30_000

    private(set) var lines: [String: Line] = [:]
    private var last: SendTime
    /// Calls go out.
    var isAlive = false

    init(at now: SendTime) { last = now }

    // MARK: what comes in

    /// These targets are in force from now on.
    ///
    /// - Parameters:
    ///   - rows: what is known of them.
    ///   - kept: names of those whose file is broken: what waits for them waits on.
    /// - Returns: names of those that are no longer there.
    mutating func use(_ targets: [Target], kept: Set<String>, rows: [TargetRow], at now: SendTime) -> [String] {
        see(now)
        let gone = lines.keys.filter { name in !kept.contains(name) && !targets.contains { $0.name == name } }
        for name in gone { lines[name] = nil }
        for target in targets {
            if let line = lines[target.name] {
                guard line.target != target else { continue }
                // Somebody has mended it, perhaps.
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

    /// - Parameter isOfBefore: an earlier run may have sent it.
    mutating func add(_ row: Reader.WaitingDispatch, isOfBefore: Bool, at now: SendTime) {
        guard let line = lines[row.target] else { return }
        if line.entries.isEmpty { lines[row.target]!.firstMayBeThere = isOfBefore }
        lines[row.target]!.entries.append(Entry(id: row.id, uuid: row.uuid, since: Self.since(row.at, at: now)))
    }

    /// A time of a clock that nobody had set, then or now, says nothing of how long it has waited: its time begins.
    private static func since(_ at: Int64, at now: SendTime) -> Int64 {
        let isKnown = now.isSure && at >= PlausibleTime.earliestMilliseconds
        return now.uptime - (isKnown ? max(0, now.at - at) : 0)
    }

    /// The row is no longer there.
    mutating func drop(_ id: Int64, of target: String) {
        guard lines[target]?.entries.first?.id == id else { return }
        removeFirst(of: target)
        lines[target]?.isRunning = false
    }

    /// What waits for a target by now, a summary among it.
    mutating func folded(_ rows: [Dispatch], of target: String, at now: SendTime) {
        guard let line = lines[target] else { return }
        var before: Int64 = .min
        lines[target]!.entries = rows.map { row in
            // A summary has waited as long as the oldest of what it is in the place of, which came before it.
            let parts = line.entries.filter { $0.id == row.id || row.isSummary && before < $0.id && $0.id < row.id }
            before = row.id
            return Entry(id: row.id, uuid: row.uuid, since: parts.map(\.since).min() ?? Self.since(row.at, at: now))
        }
        if line.entries.first?.id != rows.first?.id { lines[target]!.firstMayBeThere = false }
    }

    /// It could not be sent: nothing could be read.
    mutating func release(_ target: String) { lines[target]?.isRunning = false }

    // MARK: steps

    /// What is to be done now; each step changes what comes next.
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
        // Receivers refuse what was signed at another time.
        return !line.entries.isEmpty && (now.isSure || !line.target.isWebhook)
    }

    /// When ``step(at:)`` is to be asked again, in milliseconds of uptime; nil: only after something has come in.
    func deadline(at now: SendTime) -> Int64? {
        let waiting = lines.values.filter { !$0.isRunning && ($0.target.isAlive || !$0.entries.isEmpty) }
        let isFull = lines.values.count(where: \.isRunning) >= Self.places
        var all: [Int64] = []
        for line in waiting {
            // Full: the next answer brings a place. Due and not begun: likewise, or the clock has to be set.
            if line.notBefore > now.uptime { all.append(line.notBefore) }
            if let first = line.entries.first { all.append(first.since + line.target.retryFor) }
        }
        // That it fails is said after an hour, and not at the attempt behind that.
        for line in lines.values {
            if let left = line.timeToFailing(at: now) { all.append(now.uptime + left) }
        }
        if !now.isSure, !isFull, waiting.contains(where: { $0.target.isWebhook }) { all.append(now.uptime + 60_000) }
        return all.min()
    }

    // MARK: answers

    /// What follows for the row of the target, which is then ``Line/row``, and what is to be done with the entry.
    enum Fate: Hashable { case stays, gone, moves(to: String), givenUp }

    /// - Parameters:
    ///   - id: nil: it was a call.
    ///   - jitter: from 1 to 1.25.
    mutating func answered(_ target: String, _ id: Int64?, _ verdict: Verdict, at now: SendTime, jitter: Double) -> Fate
    {
        see(now)
        // A target of this name that is gone by now may have been asked.
        guard var line = lines[target], line.isRunning, id == nil || line.entries.first?.id == id else { return .stays }
        line.isRunning = false
        if line.isOutdated {
            // The target as it is now has not been asked yet.
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
            // It is there, and has answered: the next one that fails begins with the shortest pause.
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
        // It says every so often that the gateway is alive, and has nothing to make up for.
        if case .alive(let every) = line.target.kind {
            line.notBefore = now.uptime + every
            line.row.nextAt = nil
            fate = .stays
        }
        lines[target] = line
        if fate != .stays, lines[target]?.entries.first?.id == id { removeFirst(of: target) }
        return fate
    }

    /// Something else than what waits has arrived there: what waits is sent at once.
    mutating func proved(_ target: Target, at now: SendTime) {
        see(now)
        guard var line = lines[target.name], line.target == target else { return }
        line.succeed(at: now)
        // It is called at its own times.
        if !target.isAlive { line.notBefore = min(line.notBefore, now.uptime) }
        lines[target.name] = line
    }

    /// A call was due while not all was well: the receiver is to miss it.
    mutating func skipped(_ target: String, at now: SendTime) {
        guard case .alive(let every)? = lines[target]?.target.kind else { return }
        lines[target]!.isRunning = false
        // What is amiss may be over in a moment: a whole period later would look like a death.
        lines[target]!.notBefore = now.uptime + min(every, Self.afterSkipping)
    }

    private func fail(_ line: inout Line, _ why: String, at now: SendTime) {
        line.row.attempts += 1
        line.row.error = why
        line.row.failingSince = line.row.failingSince ?? now.at
    }

    /// The feed has said that it fails.
    mutating func markTold(_ target: String) { lines[target]?.row.isTold = true }

    private mutating func removeFirst(of target: String) {
        guard lines[target]?.entries.isEmpty == false else { return }
        lines[target]!.entries.removeFirst()
        lines[target]!.firstMayBeThere = false
    }

    /// Notices that somebody has set the host's clock.
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
    /// Milliseconds after which a target that has never taken anything is said to fail: it may have been set up offline.
    static let patience: Int64 = 3_600_000

    /// It fails in earnest: it has worked before, or was given an hour. A single attempt that failed may be anything.
    func isFailing(at now: SendTime) -> Bool {
        guard let since = row.failingSince else { return false }
        if row.succeededAt == nil, !isRefused { return now.at - since >= Self.patience }
        return row.attempts > 1 || isRefused
    }

    /// Milliseconds until it fails in earnest by time alone; nil: that is none of its cases, or it does already.
    fileprivate func timeToFailing(at now: SendTime) -> Int64? {
        guard let since = row.failingSince, row.succeededAt == nil, !isRefused, !isFailing(at: now) else { return nil }
        return since + Self.patience - now.at
    }
}
