import MeshModel
import RadioLink
import Testing

@testable import Gateway

/// The queue's rules in a time of our own. Milliseconds here, nanoseconds there.
@Suite struct TheOutboxKeepsThePace {
    private func queue(_ ids: PacketID...) -> OutboxQueue {
        var queue = OutboxQueue(textInterval: Gateway.textInterval)
        for id in ids { queue.append(packet(id)) }
        return queue
    }

    private func packet(_ id: PacketID) -> MeshPacket { .text("x", from: own, id: id) }

    private func next(_ queue: inout OutboxQueue, _ time: UInt64, free: Int = 16) -> String {
        switch queue.next(at: time * 1_000_000, queueFree: free) {
        case .send(let packet): "send \(packet.id)"
        case .wait(nil): "wait"
        case .wait(let time?): "wait until \(time / 1_000_000)"
        }
    }

    @Test func twoAndAHalfSecondsBetweenTexts() {
        var queue = queue(1, 2)
        #expect(next(&queue, 10_000) == "send 1")
        queue.settled(1)
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
        queue.settled(2)
        #expect(next(&queue, 5000) == "send 3")
        // The answer for 1 got lost.
        #expect(next(&queue, 7500) == "wait until 30000")
        #expect(next(&queue, 30_000) == "send 4")
    }

    @Test func twoPlacesAreLeftToOthers() {
        var queue = queue(1)
        #expect(next(&queue, 0, free: 0) == "wait until 2500")
        #expect(next(&queue, 2500, free: 2) == "wait until 5000")
        #expect(next(&queue, 5000, free: 3) == "send 1")
    }

    @Test func aNewSessionAwaitsNoOldAnswers() {
        var queue = queue(1, 2, 3)
        #expect(next(&queue, 0) == "send 1")
        #expect(next(&queue, 2500) == "send 2")
        queue.sessionEnded()
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
        queue.sessionEnded()
        #expect(next(&queue, 5000) == "send 3")
        #expect(next(&queue, 7500) == "wait")
    }
}
