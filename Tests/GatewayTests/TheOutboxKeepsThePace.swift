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

    private func request(_ id: PacketID, _ port: PortNumber) -> MeshPacket { .heard(port, [], from: own, id: id) }

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
                queue.settled(PacketID(next.dropFirst(5)) ?? 0)
            } else {
                time = UInt64(next.dropFirst(11)) ?? time + 1
            }
        }
        #expect(
            order == [
                "send 1", "send 3", "send 5", "send 6", "send 7", "send 8", "wait until 10500", "send 4",
                "wait until 30500", "send 2",
            ])
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
