import MeshModel
import Store

// Decides what is sent to which target, and when. A value without clock and I/O: the time and the answers go in, steps come out.
//
//     rows --add--> line of each target --step(now)--> send one | sum up | let the allowance's summary go | give up
//                                        <--answered--   (SendAnswers.swift)
//
// 1. A target gets its notifications in order: while the first one fails, the others wait. Only what waits for the target's
//    allowance is overtaken (SendLine.swift, Allowance.swift).
// 2. At most three requests are under way, one per target; the third place is for targets whose last attempt succeeded, so
//    that two that hang do not keep the others waiting.
// 3. A target that fails is tried again after 5 s, 30 s, 2, 10 and 30 minutes, then hourly, and up to a quarter later, so that
//    many gateways do not come at once; later still if the target asks for it.
// 4. Times are from the clock that is never set. What is known from before a start counts by the host's clock.
// 5. While the disk fails, only what it cannot take goes out, from memory (UnstoredDispatches.swift).

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
    enum Step: Hashable {
        /// Send an entry, and pass the result to ``answered(_:_:_:at:jitter:)``.
        case send(target: String, id: Int64)
        /// Call the receiver that watches whether the gateway is alive; then likewise.
        case call(target: String)
        /// Sum up all but the newest and those that may have been sent, and continue with ``folded(_:of:at:)``.
        case fold(target: String, sparing: Set<Int64>)
        /// Let what has waited for the allowance go as one, and continue with ``released(_:of:at:)``.
        case release(target: String, sparing: Set<Int64>)
        /// Its time is over. Its fallback, if any, gets it.
        case giveUp(target: String, id: Int64, to: String?)
    }

    enum Verdict: Hashable {
        case arrived
        /// Another attempt would not help.
        case refused(String)
        /// A part of its services has it already, and would get it again with each attempt.
        case partly(String)
        /// It will never be there again.
        case gone(String)
        /// It takes something shorter only.
        case tooLong(String)
        /// Nobody has subscribed there yet.
        case unheard(String, retryAfter: Int64?)
        /// Another host may know it.
        case otherHost(String)
        /// - Parameter retryAfter: how long it asks to be left alone, in milliseconds; nil if it does not say.
        case failed(String, retryAfter: Int64?, mayHaveArrived: Bool)
    }

    static let places = 3
    /// Places for targets that are not proven.
    static let doubtfulPlaces = 2
    /// Up to this many are sent one by one.
    static let oneByOne = 20
    private static let tolerance: Int64 = 10_000
    /// Milliseconds until a call that was skipped because not all was well is due again.
    static let afterSkipping: Int64 = 30_000
    /// The longest pause that a target may ask for, in milliseconds.
    static let longestWish: Int64 = 21_600_000

    var lines: [String: Line] = [:]
    var unstored = UnstoredDispatches()
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
        for name in gone { forget(name) }
        for target in targets {
            if let line = lines[target.name] {
                guard line.target != target else { continue }
                // The change may have repaired it, or may let more through.
                lines[target.name]!.target = target
                lines[target.name]!.notBefore = now.uptime
                lines[target.name]!.isRefused = false
                lines[target.name]!.isOutdated = line.isRunning
                lines[target.name]!.heldSince = nil
            } else {
                let row = rows.first { $0.name == target.name } ?? TargetRow(target.name)
                let wait = now.isSure ? row.nextAt.map { min(max(0, $0 - now.at), Self.longestWish) } : nil
                lines[target.name] = Line(
                    target: target, row: row, notBefore: now.uptime + (wait ?? 0),
                    sends: RecentSends(row.sent, at: now))
            }
        }
        return gone.sorted()
    }

    /// There is no such target any more.
    mutating func forget(_ target: String) {
        for entry in lines[target]?.entries ?? [] where entry.id < 0 { unstored.remove(entry.id) }
        lines[target] = nil
    }

    /// - Parameter isOfBefore: whether an earlier run may have sent it.
    /// - Returns: false if it has arrived already, from memory: its row can go.
    @discardableResult
    mutating func add(_ row: Reader.WaitingDispatch, isOfBefore: Bool, at now: SendTime) -> Bool {
        guard !unstored.hasArrived(row.uuid, at: row.target) else { return false }
        guard let line = lines[row.target] else { return true }
        var entry = Entry(
            id: row.id, uuid: row.uuid, since: Self.since(row.at, at: now),
            kind: Allowance.Kind(type: row.type, priority: row.priority))
        entry.mayBeThere = isOfBefore && line.entries.isEmpty
        let twin = line.entries.firstIndex { $0.id < 0 && $0.uuid == row.uuid && line.running != .some($0.id) }
        if let twin {
            // The disk has taken what was to be sent from memory.
            unstored.remove(line.entries[twin].id)
            lines[row.target]!.entries[twin].id = row.id
        } else {
            lines[row.target]!.entries.append(entry)
        }
        return true
    }

    /// A time from a clock that was not set, then or now, does not say how long it has waited: it starts to wait now.
    static func since(_ at: Int64, at now: SendTime) -> Int64 {
        let isKnown = now.isSure && at >= PlausibleTime.earliestMilliseconds
        return now.uptime - (isKnown ? max(0, now.at - at) : 0)
    }

    /// The row is gone, or what the disk has not taken is not to be sent.
    mutating func drop(_ id: Int64, of target: String) {
        unstored.remove(id)
        lines[target]?.entries.removeAll { $0.id == id }
        release(target)
    }

    /// Replaces a target's entries by what waits now, including a new summary.
    mutating func folded(_ rows: [Dispatch], of target: String, at now: SendTime) {
        guard let line = lines[target] else { return }
        let listed = Set(rows.map(\.id))
        let fromMemory = line.entries.filter { $0.id < 0 }
        lines[target]!.entries =
            fromMemory
            + rows.map { row in
                let known = line.entries.first { $0.id == row.id }
                if let known, !row.isSummary || known.uuid == row.uuid { return known }
                // A summary has waited as long as the oldest of those that it replaces.
                let parts = line.entries.filter {
                    $0.id == row.id || 0 < $0.id && $0.id < row.id && !listed.contains($0.id)
                }
                return Entry(
                    id: row.id, uuid: row.uuid, since: parts.map(\.since).min() ?? Self.since(row.at, at: now),
                    kind: Allowance.Kind(type: row.row.type, priority: row.row.priority))
            }
    }

    /// What has waited for the allowance goes now, and has its whole time before it.
    mutating func released(_ rows: [Dispatch], of target: String, at now: SendTime) {
        folded(rows, of: target, at: now)
        guard var line = lines[target] else { return }
        for index in line.entries.indices where line.entries[index].id > 0 && line.entries[index].tries == 0 {
            line.entries[index].isReleased = true
            line.entries[index].since = now.uptime
        }
        (line.heldSince, line.releasedAt) = (nil, now.uptime)
        lines[target] = line
    }

    /// Whether it was too long as it is.
    func isShort(_ id: Int64, of target: String) -> Bool {
        lines[target]?.entries.first { $0.id == id }?.isShort ?? false
    }

    /// It could not be sent, because nothing could be read.
    mutating func release(_ target: String) { lines[target]?.running = nil }

    // MARK: steps

    /// The next step; each one changes what comes after it.
    ///
    /// - Parameter isFromMemory: only what the disk cannot take.
    mutating func step(at now: SendTime, isFromMemory: Bool = false) -> Step? {
        see(now)
        // First, so that what has to wait for its allowance is not given up for having waited.
        for name in Array(lines.keys) where lines[name]!.isHeldAnew(at: now) { lines[name]!.holdWhatIsOver(at: now) }
        if !isFromMemory, let step = giveUp(at: now) { return step }
        let running = lines.values.filter(\.isRunning)
        guard running.count < Self.places else { return nil }
        let doubtful = running.count { !$0.isProven }
        var ready: [(line: Line, move: Line.Move)] = []
        for line in lines.values {
            guard !line.isRunning, line.notBefore <= now.uptime, line.isProven || doubtful < Self.doubtfulPlaces,
                let move = line.move(at: now, isFromMemory: isFromMemory)
            else { continue }
            ready.append((line, move))
        }
        let next = ready.min {
            ($0.line.notBefore, $0.line.target.name) < ($1.line.notBefore, $1.line.target.name)
        }
        guard let (line, move) = next else { return nil }
        let name = line.target.name
        switch move {
        case .call:
            lines[name]!.running = .some(nil)
            return .call(target: name)
        case .send(let id):
            lines[name]!.running = .some(id)
            return .send(target: name, id: id)
        case .fold: return .fold(target: name, sparing: line.spared)
        case .release: return .release(target: name, sparing: line.spared)
        }
    }

    private mutating func giveUp(at now: SendTime) -> Step? {
        for (name, line) in lines where !line.isRunning {
            guard let late = line.entries.first(where: { line.end(of: $0) <= now.uptime }) else { continue }
            lines[name]!.entries.removeAll { $0.id == late.id }
            return .giveUp(target: name, id: late.id, to: line.target.fallback)
        }
        return nil
    }

    /// When ``step(at:isFromMemory:)`` has to be called again, in milliseconds of uptime; nil if only after new input.
    func deadline(at now: SendTime) -> Int64? {
        let waiting = lines.values.filter { !$0.isRunning && ($0.target.isAlive || !$0.entries.isEmpty) }
        let isFull = lines.values.count(where: \.isRunning) >= Self.places
        var all: [Int64] = []
        for line in waiting {
            // If all places are taken, the next answer frees one. What is due and not begun waits for that, or for the clock to be
            // set.
            if line.notBefore > now.uptime { all.append(line.notBefore) }
            if let summary = line.summaryAt, summary > now.uptime { all.append(summary) }
            if let end = line.entries.map({ line.end(of: $0) }).min(), end < .max { all.append(end) }
        }
        // That it fails is reported after an hour, not at the next attempt.
        for line in lines.values {
            if let left = line.timeToFailing(at: now) { all.append(now.uptime + left) }
        }
        if !now.isSure, !isFull, waiting.contains(where: { $0.target.needsTime }) { all.append(now.uptime + 60_000) }
        return all.min()
    }

    /// Likewise while the disk fails.
    func deadlineFromMemory(at now: SendTime) -> Int64? {
        lines.values.filter { line in !line.isRunning && line.entries.contains { $0.id < 0 } }
            .map(\.notBefore).filter { $0 > now.uptime }.min()
    }

    /// Notices when the host's clock has been set.
    mutating func see(_ now: SendTime) {
        defer { last = now }
        let leap = now.at - (last.at + now.uptime - last.uptime)
        guard abs(leap) > Self.tolerance else { return }
        for name in lines.keys {
            if let since = lines[name]!.row.failingSince { lines[name]!.row.failingSince = since + leap }
            if let since = lines[name]!.unheardSince { lines[name]!.unheardSince = since + leap }
            lines[name]!.sends.place(at: now)
        }
    }
}
