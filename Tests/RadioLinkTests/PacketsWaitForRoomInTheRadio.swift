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
