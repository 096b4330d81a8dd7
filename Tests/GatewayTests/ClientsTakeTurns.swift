import MeshModel
import MeshProtocol
import RadioLink
import Testing

@testable import Gateway

/// Several clients share one radio. Milliseconds here, nanoseconds there.
@Suite struct ClientsTakeTurns {
    private let phone = Sender(.share, "192.0.2.1")
    private let laptop = Sender(.share, "192.0.2.2")
    private let token = Sender(.rest, "bot")

    private func text(_ id: PacketID, by sender: Sender?) -> OutboxQueue.Entry {
        var entry = OutboxQueue.Entry(packet: .text("x", from: own, id: id))
        entry.sender = sender
        return entry
    }

    private func volatile(_ id: PacketID, _ port: PortNumber, by sender: Sender) throws -> OutboxQueue.Entry {
        let data: [UInt8] = [0x08] + (port.rawValue < 128 ? [UInt8(port.rawValue)] : [0x80, 0x02])
        let packet = try #require(ClientPacket([0x22, UInt8(data.count)] + data)).sent(from: own, id: id)
        var entry = OutboxQueue.Entry(packet: try #require(packet.shown))
        (entry.sender, entry.bytes, entry.isVolatile) = (sender, packet, true)
        return entry
    }

    private func next(_ queue: inout OutboxQueue, _ time: UInt64) -> String {
        while true {
            switch queue.next(at: time * 1_000_000, queueFree: 16) {
            case .send(let packet):
                queue.handed(packet.id, at: time * 1_000_000, patience: 1 << 60)
                queue.accepted(packet.id)
                return "\(packet.id)"
            case .pass(let packet):
                queue.handed(packet.id, at: time * 1_000_000, patience: 1 << 60)
                queue.accepted(packet.id)
                return "\(packet.id) as written"
            case .note(let id, _): queue.noted(id, at: time * 1_000_000)
            case .waitForRoom: return "wait for room"
            case .wait(nil): return "wait"
            case .wait(let time?): return "wait until \(time / 1_000_000)"
            }
        }
    }

    @Test func whoWasServedLongestAgoComesNext() {
        var queue = OutboxQueue(pace: .radio)
        for id in 1...3 as ClosedRange<PacketID> { queue.append(text(id, by: phone)) }
        for id in 11...12 as ClosedRange<PacketID> { queue.append(text(id, by: laptop)) }
        queue.append(text(21, by: token))
        let order = (0..<7).map { next(&queue, UInt64($0) * 2_500) }
        #expect(order == ["1", "11", "21", "2", "12", "3", "wait"])
    }

    /// A turn is over when the packet has gone: its note on the way to the disk does not hand it to the next one.
    @Test func aTurnThatHasBegunGoesOn() {
        var queue = OutboxQueue(pace: .radio)
        queue.append(text(1, by: phone))
        queue.append(text(2, by: laptop))
        guard case .note(1, _) = queue.next(at: 0, queueFree: 16) else { return #expect(Bool(false)) }
        guard case .wait = queue.next(at: 0, queueFree: 16) else { return #expect(Bool(false)) }
        queue.noted(1, at: 0)
        #expect(next(&queue, 0) == "1")
        #expect(next(&queue, 2_500) == "2")
    }

    /// The gaps in which firmware takes packets of a port, and those of ports that it does not limit.
    @Test(
        arguments: [
            (.textMessage, 2_500), (.traceroute, 30_500), (.position, 10_500), (.waypoint, 10_500), (.alert, 10_500),
            (.telemetry, 10_500), (.nodeInfo, 10_500), (.neighborInfo, 10_500), (.privateApp, 200),
            (.storeForward, 200),
            (.paxcounter, 200), (.admin, 200),
        ] as [(PortNumber, UInt64)])
    func eachPortHasItsPace(_ port: PortNumber, _ gap: UInt64) {
        var queue = OutboxQueue(pace: .radio)
        for id in 1...2 as ClosedRange<PacketID> {
            queue.append(.init(packet: .heard(port, [], from: own, to: alice, id: id)))
        }
        #expect(next(&queue, 1_000) == "1")
        #expect(next(&queue, 1_000 + gap - 1) == "wait until \(1_000 + gap)")
        #expect(next(&queue, 1_000 + gap) == "2")
    }

    /// No airtime.
    @Test func theRadioItselfNeedsNoPause() {
        var queue = OutboxQueue(pace: .radio)
        for id in 1...2 as ClosedRange<PacketID> {
            queue.append(.init(packet: .heard(.admin, [], from: own, to: own, id: id)))
        }
        #expect(next(&queue, 0) == "1")
        #expect(next(&queue, 0) == "2")
    }

    @Test func aClientHasTheRoomOfARadio() throws {
        var queue = OutboxQueue(pace: .radio)
        #expect(queue.places(for: phone, on: .textMessage) == 16 && queue.places(for: phone, on: .waypoint) == 5)
        for id in 1...16 as ClosedRange<PacketID> { queue.append(text(id, by: phone)) }
        for id in 21...25 as ClosedRange<PacketID> { queue.append(try volatile(id, .waypoint, by: phone)) }
        #expect(queue.places(for: phone, on: .textMessage) == 0 && queue.places(for: phone, on: .traceroute) == 0)
        #expect(queue.places(for: laptop, on: .textMessage) == 16 && queue.places(for: laptop, on: .waypoint) == 5)
        // What has gone makes room.
        #expect(next(&queue, 0) == "1")
        #expect(queue.places(for: phone, on: .textMessage) == 1)
        #expect(queue.places(for: phone, on: .textMessage, reserved: 1) == 0)
    }

    /// Who does not share the radio has the limit of its port, also for what has no row.
    @Test func othersAreLimitedByPort() throws {
        var queue = OutboxQueue(pace: .radio)
        for id in 1...5 as ClosedRange<PacketID> { queue.append(try volatile(id, .waypoint, by: phone)) }
        for id in 11...19 as ClosedRange<PacketID> { queue.append(try volatile(id, .waypoint, by: token)) }
        #expect(queue.delay(on: .waypoint) == nil)
        queue.append(try volatile(20, .waypoint, by: token))
        #expect(queue.delay(on: .waypoint) == 10_500_000_000)
    }

    /// It has no row: the rows that are read do not push it out, another radio does.
    @Test func aVolatilePacketOutlivesAReload() throws {
        var queue = OutboxQueue(pace: .radio)
        queue.append(text(1, by: phone))
        queue.append(try volatile(2, .waypoint, by: phone))
        queue.reload([text(3, by: nil)], own: own)
        #expect(next(&queue, 0) == "3")
        #expect(next(&queue, 0) == "2 as written")
        queue.append(try volatile(4, .waypoint, by: phone))
        queue.reload([], own: bob)
        #expect(next(&queue, 20_000) == "wait")
    }

    @Test func aVolatilePacketEndsAtItsDeadline() throws {
        var queue = OutboxQueue(pace: .radio)
        var entry = try volatile(2, .traceroute, by: phone)
        entry.deadline = 5_000_000_000
        queue.append(try volatile(1, .traceroute, by: laptop))
        queue.append(entry)
        #expect(next(&queue, 0) == "1 as written")
        #expect(next(&queue, 0) == "wait until 30500")
        #expect(queue.expire(at: 5_000_000_000).map(\.packet.id) == [2])
        #expect(next(&queue, 30_500) == "wait")
    }
}
