import MeshModel
import MeshProtocol

// What is wrong with a radio that can be used all the same, or that is being tried again: told when it begins and when
// it is over, and in ``RadioSession/problems`` in between. Each ends by itself: when the radio shows that it is over, or,
// where nothing can show it, when its time has come.

/// What outlives a handshake, and some of it the port.
struct SessionWatch: Sendable {
    /// When the radio has restarted, or was gone for a moment, in the last ten minutes.
    var restarts: [MonotonicTime] = []
    /// The last start, of which all signs that follow shortly are.
    var lastStart: MonotonicTime?
    /// Until then one restart is what an order or a change of settings brings with it.
    var restartExpectedUntil: MonotonicTime?
    /// A sign of the start that the handshake under way belongs to was heard.
    var heardRestart = false
    /// The port went away by itself while it was in use.
    var wasCut = false
    var numberChangedAt: MonotonicTime?
    /// Since the last packet: how often the radio answered heartbeats, but not with a packet that it owed.
    var fruitlessProbes = 0
    /// The settings are asked for again, on suspicion, once in so many minutes only.
    var refreshAfter: MonotonicTime = 0

    static let restartWindow = 600 * RadioSession.second
    static let tooManyRestarts = 4
    /// All signs of one start come within this time; a radio that fails while it starts prints them again and again.
    static let longestStart = 15 * RadioSession.second
    static let noticeTime = 24 * 3600 * RadioSession.second

    /// When the restarts of the window are few again, or a notice has been shown long enough.
    var deadline: MonotonicTime? {
        let notice = numberChangedAt.map { $0 + Self.noticeTime }
        guard restarts.count >= Self.tooManyRestarts else { return notice }
        return min(notice ?? .max, restarts[restarts.count - Self.tooManyRestarts] + Self.restartWindow)
    }
}

extension RadioSession {
    /// Problems of attempts: only a handshake, or another device, shows that they are over.
    static let ofAttempts: Set<Problem.Kind?> = [.notResponding, .wrongDevice, .serialAPIDisabled]
    /// These know their end without a radio.
    private static let ofTheLink: Set<Problem.Kind?> = [.keepsRestarting, .nodeNumberChanged, .hostClockUnset]
    /// Nothing to act upon at once: shown after everything else.
    private static let notices: Set<Problem.Kind?> = [.nodeNumberChanged]

    mutating func note(_ problem: Problem) {
        guard place(problem) else { return }
        emit(.problem(problem))
    }

    /// Without an event: the owner of the session tells of the attempt that has failed.
    mutating func keep(_ problem: Problem) { _ = place(problem) }

    /// - Returns: whether there was no problem of that name before.
    private mutating func place(_ problem: Problem) -> Bool {
        if let index = problems.firstIndex(where: { $0.name == problem.name }) {
            problems[index] = problem
            return false
        }
        let end = Self.notices.contains(problem.kind) ? nil : problems.firstIndex { Self.notices.contains($0.kind) }
        problems.insert(problem, at: end ?? problems.endIndex)
        return true
    }

    mutating func solve(where isSolved: (Problem) -> Bool) {
        for problem in problems where isSolved(problem) { emit(.solved(problem)) }
        problems.removeAll(where: isSolved)
    }

    mutating func solve(_ problem: Problem) { solve { $0.name == problem.name } }

    func has(_ problem: Problem) -> Bool { problems.contains { $0.name == problem.name } }

    /// The radio is gone, and with it what was wrong with it. Without events: nothing was solved.
    mutating func forgetRadioProblems() { problems.removeAll { !Self.ofTheLink.contains($0.kind) } }

    /// The port is opened again; why the attempt before has failed stays true until this one succeeds.
    mutating func forgetSettingProblems() {
        problems.removeAll { !Self.ofTheLink.contains($0.kind) && !Self.ofAttempts.contains($0.kind) }
    }

    /// The settings are there: what they do not show any more is over.
    mutating func judge(_ new: RadioSnapshot, after old: RadioSnapshot?, at now: MonotonicTime) {
        var found: [Problem] = []
        if new.lora?.region == 0 {
            if has(.factoryReset) || wasReset(old, new) { found.append(.factoryReset) }
            found.append(.regionUnset)
        }
        if !new.missing.isEmpty { found.append(.handshakeIncomplete(new.missing)) }
        solve { problem in
            let isOfSettings = !Self.ofTheLink.contains(problem.kind) && problem.kind != .packetsWithheld
            return isOfSettings && !found.contains { $0.name == problem.name }
        }
        for problem in found { note(problem) }

        if old?.firmwareVersion != new.firmwareVersion { live.answersAdmin = false }
        guard let old, old.isSameDevice(as: new) else { return }
        if old.number != new.number {
            emit(.nodeNumberChanged(from: old.number, to: new.number))
            // The first region brings the key, and from 2.8 on the number is made of it. Nobody has heard the one before.
            if old.lora?.region != 0 {
                watch.numberChangedAt = now
                note(.nodeNumberChanged(from: old.number, to: new.number))
            }
        }
        let (before, after) = (old.myInfo.rebootCount, new.myInfo.rebootCount)
        if before > 0, after > before, !watch.heardRestart {
            emit(.rebooted("its count of restarts went up"))
            countRestart(at: now)
        }
    }

    /// A factory reset takes region and node list; the device id is the hardware's.
    private func wasReset(_ old: RadioSnapshot?, _ new: RadioSnapshot) -> Bool {
        guard let old, old.isSameDevice(as: new), let region = old.lora?.region, region != 0 else { return false }
        return new.myInfo.nodeDBCount <= 1
    }

    /// A sign of a start; the ones that follow shortly belong to the same.
    mutating func countRestart(at now: MonotonicTime) {
        watch.heardRestart = true
        guard watch.lastStart.map({ now >= $0 + SessionWatch.longestStart }) ?? true else { return }
        watch.lastStart = now
        let isExpected = watch.restartExpectedUntil.map { now <= $0 } ?? false
        watch.restartExpectedUntil = nil
        if isExpected { return }
        forgetOldRestarts(at: now)
        watch.restarts.append(now)
        if watch.restarts.count >= SessionWatch.tooManyRestarts { note(.keepsRestarting(watch.restarts.count)) }
    }

    private mutating func forgetOldRestarts(at now: MonotonicTime) {
        watch.restarts.removeAll { $0 + SessionWatch.restartWindow <= now }
    }

    mutating func expireProblems(at now: MonotonicTime) {
        guard let deadline = watch.deadline, now >= deadline else { return }
        forgetOldRestarts(at: now)
        if watch.restarts.count < SessionWatch.tooManyRestarts { solve(.keepsRestarting(0)) }
        if let changed = watch.numberChangedAt, now >= changed + SessionWatch.noticeTime {
            watch.numberChangedAt = nil
            solve { $0.kind == .nodeNumberChanged }
        }
    }
}

extension RadioSnapshot {
    /// By the hardware's id: node numbers change (SerialReference 5.6).
    func isSameDevice(as other: RadioSnapshot) -> Bool {
        !myInfo.deviceID.isEmpty && myInfo.deviceID == other.myInfo.deviceID
    }
}
