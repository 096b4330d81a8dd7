import MeshModel
import RadioLink
import Testing

@testable import Gateway

/// The queue's rules in a time of our own. Milliseconds here, nanoseconds there.
@Suite struct TheOutboxKeepsThePace {
    private func queue(_ ids: PacketID...) -> OutboxQueue {
        var queue = OutboxQueue(pace: .radio)
        for id in ids { queue.append(packet(id)) }
        return queue
    }

    private func packet(_ id: PacketID) -> OutboxQueue.Entry { .init(packet: .text("x", from: own, id: id)) }

    private func next(_ queue: inout OutboxQueue, _ time: UInt64, free: Int = 16) -> String {
        while true {
            switch queue.next(at: time * 1_000_000, queueFree: free) {
            case .send(let packet): return "send \(packet.id)"
            case .pass(let packet): return "pass \(packet.id)"
            case .note(let id, _): queue.noted(id, at: time * 1_000_000)
            case .waitForRoom: return "wait for room"
            case .wait(nil): return "wait"
            case .wait(let time?): return "wait until \(time / 1_000_000)"
            }
        }
    }

    /// The radio has answered.
    private func accept(_ queue: inout OutboxQueue, _ id: PacketID) {
        queue.handed(id, at: 0, patience: 1 << 60)
        queue.accepted(id)
    }

    @Test func twoAndAHalfSecondsBetweenTexts() {
        var queue = queue(1, 2)
        #expect(next(&queue, 10_000) == "send 1")
        accept(&queue, 1)
        #expect(next(&queue, 10_000) == "wait until 12500")
        #expect(next(&queue, 12_499) == "wait until 12500")
        #expect(next(&queue, 12_500) == "send 2")
        #expect(next(&queue, 12_500) == "wait")
        #expect(queue.count == 0)
    }

    @Test func twoWithoutAnAnswerAreEnough() {
        var queue = queue(1, 2, 3, 4)
        #expect(next(&queue, 0) == "send 1")
        #expect(next(&queue, 2500) == "send 2")
        #expect(next(&queue, 5000) == "wait until 30000")
        accept(&queue, 2)
        #expect(next(&queue, 5000) == "send 3")
        // The answer for 1 got lost.
        #expect(next(&queue, 7500) == "wait until 30000")
        #expect(next(&queue, 30_000) == "send 4")
    }

    /// Also for a text that is accepted now.
    @Test func itIsNotFreeWhileTwoAreUnanswered() {
        var queue = queue(1, 2)
        #expect(!queue.isFree(for: .textMessage, at: 0), "others are before it")
        #expect(next(&queue, 0) == "send 1")
        #expect(next(&queue, 2500) == "send 2")
        for id in [1, 2] as [PacketID] { queue.handed(id, at: 2_500_000_000, patience: 1 << 60) }
        #expect(!queue.isFree(for: .textMessage, at: 5_000_000_000))
        accept(&queue, 1)
        #expect(queue.isFree(for: .textMessage, at: 5_000_000_000))
        #expect(!queue.isFree(for: .textMessage, at: 4_999_999_999), "too soon after the last one")
    }

    private func request(_ id: PacketID, _ port: PortNumber) -> OutboxQueue.Entry {
        .init(packet: .heard(port, [], from: own, to: port == .admin ? own : .broadcast, id: id))
    }

    @Test func halfAMinuteBetweenTraceroutesAndTheOthersPass() {
        var queue = queue()
        for id in [1, 2] as [PacketID] { queue.append(request(id, .traceroute)) }
        for id in [3, 4] as [PacketID] { queue.append(request(id, .position)) }
        queue.append(request(5, .nodeInfo))
        queue.append(packet(6))
        queue.append(request(7, .admin))
        queue.append(request(8, .admin))
        var (order, time): ([String], UInt64) = ([], 0)
        while queue.count > 0 {
            let next = next(&queue, time)
            order.append(next)
            if next.hasPrefix("send") {
                accept(&queue, PacketID(next.dropFirst(5)) ?? 0)
            } else {
                time = UInt64(next.dropFirst(11)) ?? time + 1
            }
        }
        #expect(
            order == [
                "send 1", "send 3", "send 5", "send 6", "send 7", "send 8", "wait until 10500", "send 4",
                "wait until 30500", "send 2",
            ])
        // Of what the radio has taken only the text is waited for: answers to requests are packets like any other.
        #expect(queue.entries.map(\.packet.id) == [6])
    }

    @Test func whatIsTakenBackIsNotSent() {
        var queue = queue(1, 2, 3)
        queue.remove([1, 3])
        #expect(next(&queue, 0) == "send 2")
        #expect(next(&queue, 2500) == "wait")
    }

    @Test func moreThanTenOfAKindAreTooMany() {
        var queue = queue(1, 2, 3)
        for id in 11...20 as ClosedRange<PacketID> {
            #expect(queue.delay(on: .traceroute) == nil)
            queue.append(request(id, .traceroute))
        }
        #expect(queue.delay(on: .traceroute) == 30_500_000_000)
        #expect(queue.delay(on: .position) == nil)
        queue.remove([15])
        #expect(queue.delay(on: .traceroute) == nil)
    }

    @Test func twoPlacesAreLeftToOthers() {
        var queue = queue(1)
        #expect(next(&queue, 0, free: 0) == "wait for room")
        #expect(next(&queue, 2500, free: 2) == "wait for room")
        #expect(next(&queue, 5000, free: 3) == "send 1")
        accept(&queue, 1)
        // Nothing waits for room that could not go anyway.
        #expect(next(&queue, 5000, free: 0) == "wait")
        queue.append(packet(2))
        #expect(next(&queue, 5000, free: 0) == "wait until 7500")
    }

    @Test func aNewSessionAwaitsNoOldAnswers() {
        var queue = queue(1, 2, 3)
        for (id, time) in [(1, 0), (2, 2500)] as [(PacketID, UInt64)] {
            #expect(next(&queue, time) == "send \(id)")
            queue.handed(id, at: time, patience: 1)
        }
        #expect(next(&queue, 5000) == "wait until 30000")
        #expect(queue.sessionEnded().isEmpty)
        // What became of 1 and 2 is the database's to say.
        queue.reload([packet(3)])
        #expect(next(&queue, 5000) == "send 3")
    }

    /// A text can be accepted while the rows are reloaded.
    @Test func whatWasReloadedIsNotAppendedAgain() {
        var queue = queue(9)
        queue.reload([packet(1), packet(2)])
        #expect(next(&queue, 0) == "send 1")
        queue.append(packet(1))
        queue.append(packet(3))
        #expect(next(&queue, 2500) == "send 2")
        for id in [1, 2] as [PacketID] { accept(&queue, id) }
        #expect(next(&queue, 5000) == "send 3")
        #expect(next(&queue, 7500) == "wait")
    }

    /// Otherwise nobody would know after a crash whether it has been sent.
    @Test func aTextIsNotedOnDiskBeforeItLeaves() {
        var queue = queue(1)
        guard case .note(1, attempts: 1) = queue.next(at: 0, queueFree: 16) else {
            Issue.record("it leaves without a note")
            return
        }
        #expect(next(&queue, 1) == "wait")
        queue.noted(1, at: 3_000_000)
        #expect(queue.sessionEnded().map(\.attempts) == [0])
        #expect(next(&queue, 4) == "send 1")
        #expect(queue.sessionEnded().map(\.id) == [1])
    }

    @Test func anOldNoteIsRenewed() {
        var queue = queue()
        var entry = packet(1)
        (entry.state, entry.attempts) = (.noted(at: 0), 1)
        queue.append(entry)
        guard case .note(1, attempts: 1) = queue.next(at: OutboxQueue.noteLifetime, queueFree: 16) else {
            Issue.record("the note has been good for too long")
            return
        }
    }

    @Test func whatIsHeldLetsTheOthersPass() {
        var queue = queue()
        var held = packet(1)
        (held.hold, held.packet.to) = (.unheard, bob)
        queue.append(held)
        queue.append(packet(2))
        #expect(next(&queue, 0) == "send 2")
        #expect(queue.release(.unheard, for: alice).isEmpty)
        #expect(queue.release(.keyInDoubt, for: bob).isEmpty)
        #expect(queue.release(.unheard, for: bob) == [1])
        #expect(next(&queue, 2500) == "send 1")
    }

    @Test func everythingHasADeadlineButWhatTheLinkIsWriting() {
        var queue = queue()
        for id in [1, 2, 3] as [PacketID] {
            var entry = packet(id)
            entry.deadline = UInt64(id) * 10_000_000_000
            queue.append(entry)
        }
        #expect(next(&queue, 0) == "send 1")
        #expect(queue.deadline == 20_000_000_000)
        queue.handed(1, at: 1_000_000, patience: 5_000_000_000)
        #expect(queue.deadline == 5_001_000_000)
        #expect(queue.expire(at: 5_000_999_999).isEmpty)
        // The radio has said nothing about 1, which it is given once more, but no later than after two minutes.
        #expect(queue.expire(at: 20_000_000_000).map(\.packet.id) == [2])
        #expect(queue.deadline == 30_000_000_000)
        #expect(next(&queue, 20_000) == "send 1")
        queue.handed(1, at: 20_000_000_000, patience: 5_000_000_000)
        #expect(queue.expire(at: 25_000_000_000).map(\.packet.id) == [1])
    }

    @Test func whatTheRadioHasTakenIsNotGivenAgain() {
        var queue = queue(1)
        #expect(next(&queue, 0) == "send 1")
        queue.handed(1, at: 0, patience: 80_000_000_000)
        queue.accepted(1)
        #expect(queue.deadline == 80_000_000_000)
        #expect(next(&queue, 40_000) == "wait")
        #expect(queue.expire(at: 80_000_000_000).map(\.packet.id) == [1])
    }

    @Test func aRepetitionComesWithinTwoMinutesOrNever() {
        var queue = queue(1)
        #expect(next(&queue, 0) == "send 1")
        queue.handed(1, at: 1, patience: 80_000_000_000)
        #expect(queue.expire(at: 31_000_000_000).isEmpty)
        // The radio has no room until then.
        #expect(queue.expire(at: 120_000_000_000).isEmpty)
        #expect(queue.expire(at: 120_000_000_001).map(\.packet.id) == [1])
    }

    /// A message cannot be taken back when that cannot be stored.
    @Test func whatWasTakenBackInVainIsSentAllTheSame() {
        var queue = queue()
        queue.reload([packet(1)])
        let entry = queue.withdraw(1)
        #expect(next(&queue, 0) == "wait")
        if let entry { queue.putBack(entry) }
        #expect(next(&queue, 0) == "send 1")
    }

    @Test func onlyWhatTheLinkDoesNotHaveIsTakenBack() {
        var queue = queue(1, 2)
        #expect(next(&queue, 0) == "send 1")
        #expect(queue.withdraw(1)?.packet.id == nil)
        #expect(queue.withdraw(2)?.packet.id == 2)
        #expect(queue.withdraw(2)?.packet.id == nil)
    }
}
