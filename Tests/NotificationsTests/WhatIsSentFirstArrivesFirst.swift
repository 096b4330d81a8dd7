import MeshModel
import Store
import Testing

@testable import Notifications

private let second: Int64 = 1_000
private let hour: Int64 = 3_600_000
private let noon: Int64 = 1_760_000_000_000

/// The queue in virtual time: what it wants sent, at which second, and what is answered to it.
private struct Rig {
    var now = SendTime(at: noon, uptime: 0)
    var queue: SendQueue
    var next: Int64 = 0
    /// What was sent: target and row.
    var sent: [String] = []
    var gone: [String] = []

    init(_ targets: [Target], rows: [TargetRow] = []) {
        queue = SendQueue(at: now)
        _ = queue.use(targets, kept: [], rows: rows, at: now)
    }

    mutating func add(_ count: Int, to target: String, isOfBefore: Bool = false, at: Int64? = nil) {
        for _ in 0..<count {
            next += 1
            queue.add(
                .init(id: next, target: target, at: at ?? now.at, uuid: "\(next)"), isOfBefore: isOfBefore, at: now)
        }
    }

    /// Lets all steps out that are possible now.
    mutating func steps() -> [SendQueue.Step] {
        var all: [SendQueue.Step] = []
        while let step = queue.step(at: now) {
            all.append(step)
            if case .fold = step { return all }
        }
        return all
    }

    mutating func pass(_ time: Int64) { (now.at, now.uptime) = (now.at + time, now.uptime + time) }

    private mutating func take(_ step: SendQueue.Step, _ verdict: (String, Int64, Rig) -> SendQueue.Verdict) {
        switch step {
        case .send(let target, let id):
            sent.append("\(target) \(id)")
            let fate = queue.answered(target, id, verdict(target, id, self), at: now, jitter: 1)
            if fate != .stays { gone.append("\(target) \(id) \(fate)") }
        case .giveUp(let target, let id, let fallback): gone.append("\(target) \(id) late \(fallback ?? "-")")
        default: break
        }
    }

    /// Goes on until nothing is to be done any more, or the time is over; all requests are answered at once.
    mutating func run(for time: Int64, _ verdict: (String, Int64, Rig) -> SendQueue.Verdict) {
        let end = now.uptime + time
        while true {
            // An answer may be what the next step has waited for.
            while true {
                let due = steps()
                guard !due.isEmpty else { break }
                for step in due { take(step, verdict) }
            }
            guard let deadline = queue.deadline(at: now), deadline <= end else { break }
            pass(max(1, deadline - now.uptime))
        }
        if now.uptime < end { pass(end - now.uptime) }
    }
}

private func target(_ name: String, kind: Target.Kind = .ntfy(token: nil), fallback: String? = nil) throws -> Target {
    var target = Target(name, kind, try WebAddress("https://example.org/topic"))
    target.fallback = fallback
    return target
}

private let failure = SendQueue.Verdict.failed("no", retryAfter: nil, mayHaveArrived: false)

@Test func withinATargetTheOrderIsKept() throws {
    var rig = Rig([try target("phone")])
    rig.add(10, to: "phone")
    #expect(rig.steps() == [.send(target: "phone", id: 1)])
    _ = rig.queue.answered("phone", 1, failure, at: rig.now, jitter: 1)
    var tries = 0
    rig.run(for: hour) { _, id, _ in
        tries += 1
        return tries < 3 ? failure : .arrived
    }
    #expect(rig.sent == ["phone 1", "phone 1"] + (1...10).map { "phone \($0)" })
}

@Test func aTargetThatFailsIsTriedLessAndLess() throws {
    var rig = Rig([try target("phone")])
    rig.add(1, to: "phone")
    var times: [Int64] = []
    rig.run(for: 5 * hour) { _, _, rig in
        times.append(rig.now.uptime / second)
        return failure
    }
    #expect(times == [0, 5, 35, 155, 755, 2_555, 6_155, 9_755, 13_355, 16_955])
}

@Test func itsTimeEnds() throws {
    var rig = Rig([try target("phone", fallback: "mail"), try target("mail")])
    rig.add(2, to: "phone")
    rig.run(for: 25 * hour) { _, _, _ in failure }
    #expect(rig.gone == ["phone 1 late mail", "phone 2 late mail"])
}

/// Its fallback gets what it does not take, or nobody does.
@Test func whatIsRefusedIsNotTriedAgain() throws {
    var rig = Rig([try target("phone", fallback: "mail"), try target("mail")])
    rig.add(1, to: "phone")
    rig.add(1, to: "mail")
    rig.run(for: hour) { _, _, _ in .refused("404") }
    #expect(Set(rig.gone) == ["phone 1 moves(to: \"mail\")", "mail 2 givenUp"] && rig.sent.count == 2)
}

@Test func threeAreUnderWayAndTwoOfThemMayBeDoubtful() throws {
    var proven = TargetRow("good")
    proven.succeededAt = noon - hour
    var rig = Rig(
        [try target("a"), try target("b"), try target("c"), try target("good"), try target("better")], rows: [proven])
    for name in ["a", "b", "c", "good"] { rig.add(2, to: name) }
    let first = rig.steps()
    #expect(first.count == 3 && first.contains(.send(target: "good", id: 7)))
    #expect(rig.queue.deadline(at: rig.now) == 24 * hour, "nobody is woken for a place that is taken")
    _ = rig.queue.answered("good", 7, .arrived, at: rig.now, jitter: 1)
    #expect(rig.steps() == [.send(target: "good", id: 8)])
}

@Test func whoAsksToBeLeftAloneIs() throws {
    var rig = Rig([try target("phone")])
    rig.add(1, to: "phone")
    var times: [Int64] = []
    rig.run(for: hour + second) { _, _, rig in
        times.append(rig.now.uptime / second)
        // 429 for an hour, with two minutes each time.
        return rig.now.uptime >= hour ? .arrived : .failed("429", retryAfter: 120 * second, mayHaveArrived: false)
    }
    #expect(times.prefix(4) == [0, 120, 240, 360], "two minutes, where it would have been tried sooner")
    var greedy = Rig([try target("phone")])
    greedy.add(1, to: "phone")
    times = []
    greedy.run(for: 20 * hour) { _, _, rig in
        times.append(rig.now.uptime / hour)
        return .failed("429", retryAfter: 1_000 * hour, mayHaveArrived: false)
    }
    #expect(times == [0, 6, 12, 18], "at most six hours")
}

@Test func retryAfterIsReadInBothForms() {
    let now: Int64 = 784_111_700_000
    #expect(SendQueue.Verdict.milliseconds("120", at: now) == 120_000)
    #expect(SendQueue.Verdict.milliseconds("Sun, 06 Nov 1994 08:49:37 GMT", at: now) == 77_000)
    #expect(SendQueue.Verdict.milliseconds("Sun, 06 Nov 1990 08:49:37 GMT", at: now) == 0)
    for text in ["", "soon", "-5", "Sun, 06 Nix 1994 08:49:37 GMT", "1e9", "Sun, 99 Nov 1994 08:49:37 GMT"] {
        #expect(SendQueue.Verdict.milliseconds(text, at: now) == nil || text.isEmpty, "\(text)")
    }
}

@Test func moreThanTwentyAreSummedUp() throws {
    var rig = Rig([try target("phone")])
    rig.add(21, to: "phone")
    #expect(rig.steps() == [.fold(target: "phone", sparing: [])])
    // One that an earlier run may have sent stays what it is.
    var later = Rig([try target("phone")])
    later.add(21, to: "phone", isOfBefore: true)
    #expect(later.steps() == [.fold(target: "phone", sparing: [1])])
    // So does one of which nobody knows whether it arrived.
    var doubtful = Rig([try target("phone")])
    doubtful.add(1, to: "phone")
    _ = doubtful.steps()
    _ = doubtful.queue.answered(
        "phone", 1, .failed("30 s", retryAfter: nil, mayHaveArrived: true), at: doubtful.now, jitter: 1)
    doubtful.add(20, to: "phone")
    doubtful.pass(5 * second)
    #expect(doubtful.steps() == [.fold(target: "phone", sparing: [1])])
    // Twenty are told one by one.
    var few = Rig([try target("phone")])
    few.add(20, to: "phone")
    few.run(for: second) { _, _, _ in .arrived }
    #expect(few.sent.count == 20)
}

@Test func aClockThatLeapsEndsNobodysTime() throws {
    var rig = Rig([try target("phone")])
    rig.add(1, to: "phone")
    rig.run(for: hour) { _, _, _ in failure }
    rig.now.at += 100 * 24 * hour
    rig.run(for: hour) { _, _, _ in failure }
    rig.now.at -= 300 * 24 * hour
    rig.run(for: hour) { _, _, _ in .arrived }
    #expect(rig.gone == ["phone 1 gone"])
}

/// What was told while the clock was unset, or by one that goes ahead, has its whole time before it.
@Test(arguments: [0, 1_000_000, noon + 100 * 24 * hour])
func aRowWithATimeThatCannotBeIsNotTooOld(at: Int64) throws {
    var rig = Rig([try target("phone")])
    rig.add(1, to: "phone", isOfBefore: true, at: at)
    rig.run(for: 23 * hour) { _, _, _ in failure }
    #expect(rig.gone.isEmpty)
    rig.run(for: 2 * hour) { _, _, _ in failure }
    #expect(rig.gone == ["phone 1 late -"])
}

/// The gateway was off for a day.
@Test func timeBeforeAStartCounts() throws {
    var rig = Rig([try target("phone")])
    rig.add(1, to: "phone", isOfBefore: true, at: noon - 25 * hour)
    rig.add(1, to: "phone", isOfBefore: true, at: noon - 23 * hour)
    rig.run(for: 2 * hour) { _, _, _ in failure }
    #expect(rig.gone == ["phone 1 late -", "phone 2 late -"] && Set(rig.sent) == ["phone 2"])
}

/// A summary has waited as long as the oldest in it, the others as long as before.
@Test func whatIsSummedUpKeepsItsTime() throws {
    var rig = Rig([try target("phone")])
    rig.add(21, to: "phone", at: noon - hour)
    #expect(rig.steps() == [.fold(target: "phone", sparing: [])])
    func row(_ id: Int64, _ counts: [DispatchCount]) -> Dispatch {
        var row = Dispatch(
            to: "phone", at: noon - hour, FeedRow(at: noon, in: nil, type: "x", title: "", body: "", needs: []))
        (row.id, row.counts) = (id, counts)
        return row
    }
    rig.queue.folded(
        [row(16, [DispatchCount(rule: "a", count: 16)]), row(17, [])], of: "phone", at: rig.now)
    #expect(rig.queue.lines["phone"]!.entries.map(\.since) == [-hour, -hour])
}

/// Receivers would refuse its signature.
@Test func noWebhookGoesOutByAnUnsetClock() throws {
    var rig = Rig([try target("hook", kind: .webhook(secret: [])), try target("phone")])
    rig.now.at = 0
    rig.add(1, to: "hook")
    rig.add(1, to: "phone")
    rig.run(for: hour) { _, _, _ in .arrived }
    #expect(rig.sent == ["phone 2"])
    rig.now.at = noon
    rig.run(for: 2 * 60 * second) { _, _, _ in .arrived }
    #expect(rig.sent == ["phone 2", "hook 1"])
}

/// What is due is sent at once after a start, what is not then.
@Test func aStartKeepsWhatATargetHasAskedFor() throws {
    var row = TargetRow("phone")
    (row.attempts, row.nextAt, row.failingSince) = (3, noon + 60 * second, noon - hour)
    var rig = Rig([try target("phone"), try target("mail")], rows: [row])
    rig.add(1, to: "phone", isOfBefore: true)
    rig.add(1, to: "mail", isOfBefore: true)
    #expect(rig.steps() == [.send(target: "mail", id: 2)])
    rig.pass(60 * second)
    #expect(rig.steps() == [.send(target: "phone", id: 1)])
    row.nextAt = noon - second
    var due = Rig([try target("phone")], rows: [row])
    due.add(1, to: "phone", isOfBefore: true)
    #expect(due.steps() == [.send(target: "phone", id: 1)])
}

@Test func aTargetFailsInEarnestAfterItHasWorkedOrAnHour() throws {
    var rig = Rig([try target("phone")])
    rig.add(1, to: "phone")
    rig.run(for: hour - 60 * second) { _, _, _ in failure }
    #expect(!rig.queue.lines["phone"]!.isFailing(at: rig.now))
    #expect(rig.queue.deadline(at: rig.now) == hour, "it is said at the next attempt only")
    rig.run(for: 2 * 60 * second) { _, _, _ in failure }
    #expect(rig.queue.lines["phone"]!.isFailing(at: rig.now))
    rig.run(for: 2 * hour) { _, _, _ in .arrived }
    #expect(!rig.queue.lines["phone"]!.isFailing(at: rig.now))
    rig.add(1, to: "phone")
    rig.run(for: second) { _, _, _ in failure }
    #expect(!rig.queue.lines["phone"]!.isFailing(at: rig.now), "a single attempt may be anything")
    rig.run(for: 10 * second) { _, _, _ in failure }
    #expect(rig.queue.lines["phone"]!.isFailing(at: rig.now))
}

@Test func withNothingToTellNobodyIsWoken() throws {
    var rig = Rig([try target("phone"), try target("box", kind: .alive(every: 300_000))])
    rig.queue.isAlive = true
    #expect(rig.steps() == [.call(target: "box")])
    #expect(rig.queue.deadline(at: rig.now) == nil)
    _ = rig.queue.answered("box", nil, failure, at: rig.now, jitter: 1)
    #expect(rig.queue.deadline(at: rig.now) == 300_000)
}

/// A radio that comes a moment after the gateway is no reason to be silent for a whole period.
@Test func aCallThatWasNotMadeIsDueAgainSoon() throws {
    var rig = Rig([try target("box", kind: .alive(every: 24 * hour))])
    #expect(rig.steps() == [.call(target: "box")])
    rig.queue.skipped("box", at: rig.now)
    #expect(rig.queue.deadline(at: rig.now) == SendQueue.afterSkipping)
}

/// Five that are refused say that it is there: the next failure is tried again after seconds.
@Test func aRefusalLengthensNoPause() throws {
    var rig = Rig([try target("phone")])
    rig.add(6, to: "phone")
    for number in 1...6 {
        let steps = rig.steps()
        guard case .send(let name, let id)? = steps.first else {
            Issue.record("\(steps)")
            return
        }
        let verdict = number < 6 ? SendQueue.Verdict.refused("it says 400") : failure
        _ = rig.queue.answered(name, id, verdict, at: rig.now, jitter: 1)
    }
    #expect(rig.queue.lines["phone"]!.notBefore == rig.now.uptime + 30 * second)
}

/// A target was mended while its old address had not answered yet.
@Test func theAnswerOfAnOldAddressSaysNothingOfTheNewOne() throws {
    let (wrong, right) = (
        try target("phone"), Target("phone", .ntfy(token: nil), try WebAddress("https://right/topic"))
    )
    let failures = [SendQueue.Verdict.refused("404"), .failed("no", retryAfter: hour, mayHaveArrived: true)]
    for verdict in failures {
        var rig = Rig([wrong])
        rig.add(1, to: "phone")
        #expect(rig.steps() == [.send(target: "phone", id: 1)])
        _ = rig.queue.use([right], kept: [], rows: [], at: rig.now)
        #expect(rig.steps().isEmpty, "two requests at once")
        #expect(rig.queue.answered("phone", 1, verdict, at: rig.now, jitter: 1) == .stays)
        #expect(rig.steps() == [.send(target: "phone", id: 1)])
        #expect(rig.queue.lines["phone"]?.row == TargetRow("phone"))
    }
    // What has arrived there has arrived.
    var rig = Rig([wrong])
    rig.add(2, to: "phone")
    _ = rig.steps()
    _ = rig.queue.use([right], kept: [], rows: [], at: rig.now)
    #expect(rig.queue.answered("phone", 1, .arrived, at: rig.now, jitter: 1) == .gone)
    #expect(rig.steps() == [.send(target: "phone", id: 2)])
}

/// It was removed, and another one has its name.
@Test func theAnswerOfATargetThatIsGoneSaysNothingOfTheNextOne() throws {
    let phone = try target("phone")
    var rig = Rig([phone])
    rig.add(1, to: "phone")
    _ = rig.steps()
    _ = rig.queue.use([], kept: [], rows: [], at: rig.now)
    _ = rig.queue.use([phone], kept: [], rows: [], at: rig.now)
    rig.add(1, to: "phone")
    #expect(rig.steps() == [.send(target: "phone", id: 2)])
    #expect(rig.queue.answered("phone", 1, .refused("404"), at: rig.now, jitter: 1) == .stays)
    #expect(rig.queue.lines["phone"]?.row == TargetRow("phone") && rig.queue.lines["phone"]?.isRunning == true)
}

@Test func aTestThatArrivesEndsThePause() throws {
    let phone = try target("phone")
    var rig = Rig([phone])
    rig.add(1, to: "phone")
    rig.run(for: 2 * hour) { _, _, _ in failure }
    #expect(rig.steps().isEmpty && rig.queue.lines["phone"]!.isFailing(at: rig.now))
    // That of the address of before says nothing.
    rig.queue.proved(Target("phone", .ntfy(token: nil), try WebAddress("https://old/topic")), at: rig.now)
    #expect(rig.steps().isEmpty)
    rig.queue.proved(phone, at: rig.now)
    #expect(!rig.queue.lines["phone"]!.isFailing(at: rig.now))
    #expect(rig.steps() == [.send(target: "phone", id: 1)])
}

/// The calls of one that says that the gateway is alive keep their times.
@Test func aTestIsNoReasonToCallSooner() throws {
    let box = try target("box", kind: .alive(every: 24 * hour))
    var rig = Rig([box])
    rig.queue.isAlive = true
    _ = rig.steps()
    _ = rig.queue.answered("box", nil, .arrived, at: rig.now, jitter: 1)
    rig.pass(hour)
    rig.queue.proved(box, at: rig.now)
    #expect(rig.queue.deadline(at: rig.now) == 24 * hour)
}

/// It is as old as what it sums up, and that grows older by the clock that nobody sets.
@Test func aSummaryIsNoOlderAfterTheClockHasLeapt() throws {
    var rig = Rig([try target("phone")])
    rig.add(21, to: "phone")
    rig.pass(hour)
    rig.now.at += 3 * 24 * hour
    #expect(rig.steps() == [.fold(target: "phone", sparing: [])])
    var summary = Dispatch(
        to: "phone", at: noon, FeedRow(at: noon, in: nil, type: "summary", title: "", body: "", needs: []))
    (summary.id, summary.counts) = (16, [DispatchCount(rule: "a", count: 16)])
    rig.queue.folded([summary], of: "phone", at: rig.now)
    #expect(rig.queue.lines["phone"]!.entries.map(\.since) == [0])
    #expect(rig.steps() == [.send(target: "phone", id: 16)])
}

/// That it wants a token is known after a restart, too; a single attempt that came to nothing may be anything.
@Test func aRefusalIsRememberedOverARestart() throws {
    for (verdict, isFailing) in [(SendQueue.Verdict.refused("401"), true), (failure, false)] {
        var rig = Rig([try target("phone")])
        rig.add(1, to: "phone")
        _ = rig.steps()
        _ = rig.queue.answered("phone", 1, verdict, at: rig.now, jitter: 1)
        let later = Rig([try target("phone")], rows: [rig.queue.lines["phone"]!.row])
        #expect(later.queue.lines["phone"]!.isFailing(at: later.now) == isFailing)
    }
}

/// Waiting for the allowance uses up none of the time in which delivery is tried, nor does a restart meanwhile.
@Test func whatWaitsForItsAllowanceOutlivesARestart() throws {
    var phone = try target("phone")
    (phone.retryFor, phone.allowance) = (900 * second, Allowance(perHour: 3))
    var row = TargetRow("phone")
    row.succeededAt = noon - 1_800 * second
    row.sent = [SentCount(at: noon - 1_800 * second, count: 3)]
    var rig = Rig([phone], rows: [row])
    rig.add(2, to: "phone", isOfBefore: true, at: noon - 1_200 * second)
    #expect(rig.steps() == [])
    // Likewise when its file is changed.
    phone.retryFor += 1
    _ = rig.queue.use([phone], kept: [], rows: [row], at: rig.now)
    #expect(rig.steps() == [])
}
