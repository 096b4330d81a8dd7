import MeshModel
import Store
import Testing

@testable import Notifications

/// While the disk fails, what tells of that goes out ahead of what waits, and nothing else does. The row that comes when the disk is
/// well is the same notification.
@Suite struct WhatTheDiskCannotTakeIsSentFromMemory {
    private let now = SendTime(at: 1_760_000_000_000, uptime: 0)
    private let failure = SendQueue.Verdict.failed("no", retryAfter: nil, mayHaveArrived: true)

    private func queue() throws -> SendQueue {
        var queue = SendQueue(at: now)
        let targets = try ["phone", "mail"].map {
            Target($0, .ntfy(token: nil), try WebAddress("https://example.org/topic"))
        }
        _ = queue.use(targets, kept: [], rows: [], at: now)
        queue.add(.init(id: 1, target: "phone", at: now.at, uuid: "waits"), isOfBefore: false, at: now)
        queue.add(unstored: dispatch, at: now)
        return queue
    }

    private var dispatch: Dispatch {
        Dispatch(
            to: "phone", at: now.at,
            FeedRow(uuid: "full", at: now.at, in: nil, type: "storage-failing", title: "x", body: "", needs: [.info]))
    }

    private func row(_ target: String = "phone") -> Reader.WaitingDispatch {
        .init(id: 2, target: target, at: now.at, uuid: "full", type: "storage-failing")
    }

    @Test func andItsRowIsNotSentAgain() throws {
        var queue = try queue()
        #expect(queue.step(at: now, isFromMemory: true) == .send(target: "phone", id: -1))
        #expect(queue.unstored[-1]?.uuid == "full")
        let fate = queue.answered("phone", -1, .arrived, at: now, jitter: 1)
        #expect(fate == .gone)
        #expect(queue.settle(-1, of: "phone", fate, at: now) == nil)
        #expect(queue.step(at: now, isFromMemory: true) == nil, "the rows wait for the disk")
        let isToBeSent = queue.add(row(), isOfBefore: false, at: now)
        #expect(!isToBeSent)
        #expect(queue.step(at: now) == .send(target: "phone", id: 1))
    }

    /// The row that comes meanwhile goes with it.
    @Test func alsoWhereTheRowComesFirst() throws {
        var queue = try queue()
        _ = queue.step(at: now, isFromMemory: true)
        queue.add(row(), isOfBefore: false, at: now)
        let fate = queue.answered("phone", -1, .arrived, at: now, jitter: 1)
        #expect(queue.settle(-1, of: "phone", fate, at: now) == 2)
        #expect(queue.lines["phone"]?.entries.map(\.uuid) == ["waits"])
    }

    @Test func whatHasNotArrivedGoesOnFromItsRow() throws {
        var queue = try queue()
        _ = queue.step(at: now, isFromMemory: true)
        #expect(queue.answered("phone", -1, failure, at: now, jitter: 1) == .stays)
        #expect(queue.deadlineFromMemory(at: now) == 5_000)
        queue.add(row(), isOfBefore: false, at: now)
        #expect(queue.lines["phone"]?.entries.map(\.id) == [2, 1] && queue.unstored[-1] == nil)
    }

    /// Its fallback gets it from memory, and not from the row that moves there later.
    @Test func whatIsRefusedGoesToTheFallbackOnce() throws {
        var queue = try queue()
        _ = queue.step(at: now, isFromMemory: true)
        let refused = queue.answered("phone", -1, .refused("403"), at: now, jitter: 1)
        #expect(refused == .givenUp)
        #expect(queue.settle(-1, of: "phone", .moves(to: "mail"), at: now) == nil)
        #expect(queue.step(at: now, isFromMemory: true) == .send(target: "mail", id: -2))
        let arrived = queue.answered("mail", -2, .arrived, at: now, jitter: 1)
        #expect(queue.settle(-2, of: "mail", arrived, at: now) == nil)
        let isToBeSent = ["mail", "phone"].map { queue.add(row($0), isOfBefore: false, at: now) }
        #expect(isToBeSent == [false, true])
    }

    /// Many registrations do not push out the targets that root has set up.
    @Test func registrationsLeavePlaces() throws {
        let all =
            [dispatch]
            + (1...64).map { number in
                var one = dispatch
                one.target = "push:\(number)"
                return one
            }
        let kept = UnstoredDispatches.newest(of: all).map(\.target)
        #expect(kept == ["phone"] + (55...64).map { "push:\($0)" })
    }

    /// What is not to be sent leaves its place to others.
    @Test func whatIsDroppedTakesNoPlace() throws {
        var queue = try queue()
        #expect(queue.unstored[-1] != nil)
        queue.drop(-1, of: "phone")
        #expect(queue.unstored[-1] == nil && queue.lines["phone"]?.entries.map(\.uuid) == ["waits"])
    }

    @Test func noMoreThanSomeWait() throws {
        var queue = try queue()
        for number in 0..<100 {
            var one = dispatch
            one.row.uuid = "\(number)"
            queue.add(unstored: one, at: now)
        }
        #expect(queue.lines["phone"]?.entries.count == 1 + UnstoredDispatches.limit)
    }
}
