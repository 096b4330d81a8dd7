import MeshModel
import MeshProtocol
import RadioLink
import Testing

private func packet(_ id: PacketID) -> MeshPacket {
    MeshPacket(
        from: RadioAnswers().number, to: .broadcast, id: id,
        payload: .decoded(MeshData(port: .privateApp, payload: [1])))
}

@Test func fourPacketsMayBeUnderWay() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.outgoing = (1...6).map(packet)
    radio.session.wake()
    radio.advance(seconds: 2)
    #expect(radio.packets.map(\.id) == [1, 2, 3, 4])
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 14, capacity: 16, packetID: 2)))
    radio.advance(seconds: 1)
    #expect(radio.packets.map(\.id) == [1, 2, 3, 4, 5])
    // A status that never comes holds nothing up for ever.
    radio.advance(seconds: 31)
    #expect(radio.packets.map(\.id) == [1, 2, 3, 4, 5, 6])
}

@Test func aFullQueueIsWaitedFor() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.outgoing = (1...2).map(packet)
    radio.session.wake()
    radio.pump()
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 2, capacity: 16, packetID: 1)))
    radio.advance(seconds: 5)
    #expect(radio.packets.map(\.id) == [1])
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 3, capacity: 16, packetID: 0)))
    radio.advance(seconds: 1)
    #expect(radio.packets.map(\.id) == [1, 2])
}

/// By itself a radio says only that it is no longer full: two free places become sixteen without a word.
@Test func aRadioIsAskedForItsRoomWhileSomethingWaits() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.outgoing = (1...2).map(packet)
    radio.session.wake()
    radio.pump()
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 2, capacity: 16, packetID: 1)))
    let told = radio.now
    radio.advance(seconds: 2.4)
    #expect(radio.heartbeats.isEmpty)
    radio.advance(seconds: 0.1)
    #expect(radio.heartbeats.map { $0.at - told } == [2_500_000_000])
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 1, capacity: 16, packetID: 0)))
    #expect(radio.packets.map(\.id) == [1])
    radio.advance(seconds: 2.6)
    #expect(radio.heartbeats.count == 2)
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 16, capacity: 16, packetID: 0)))
    radio.advance(seconds: 0.1)
    #expect(radio.packets.map(\.id) == [1, 2])
    // Nothing waits any more.
    radio.advance(seconds: 20)
    #expect(radio.heartbeats.count == 2)
}

/// Who waits for nothing asks nothing.
@Test func aFullRadioIsLeftAloneWhileNothingWaits() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.outgoing = [packet(1)]
    radio.session.wake()
    radio.pump()
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 0, capacity: 16, packetID: 1)))
    radio.advance(seconds: 20)
    #expect(radio.heartbeats.isEmpty)
}

/// An answer counts only what the radio had when it gave it.
@Test func whatWasHandedMeanwhileIsCountedDown() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.outgoing = (1...4).map(packet)
    radio.session.wake()
    radio.advance(seconds: 0.1)
    #expect(radio.packets.map(\.id) == [1, 2, 3, 4])
    radio.outgoing = [packet(5)]
    radio.session.wake()
    // Three more are on their way into these five places.
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 5, capacity: 16, packetID: 1)))
    radio.advance(seconds: 1)
    #expect(radio.packets.map(\.id) == [1, 2, 3, 4])
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 4, capacity: 16, packetID: 2)))
    radio.receive(.queueStatus(QueueStatus(result: 0, free: 5, capacity: 16, packetID: 3)))
    radio.advance(seconds: 1)
    #expect(radio.packets.map(\.id) == [1, 2, 3, 4, 5])
}

@Test func nothingIsSentBeforeTheSessionIsLive() {
    var radio = SessionInVirtualTime()
    radio.outgoing = [packet(1)]
    radio.session.wake()
    radio.answer()
    radio.advance(seconds: 1)
    #expect(radio.packets.isEmpty)
    radio.answer()
    radio.advance(seconds: 1)
    #expect(radio.packets.map(\.id).contains(1))
}
