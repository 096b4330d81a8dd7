import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func framesKeepTheirDistanceOnASerialLine() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.outgoing = (1...4).map { id in
        MeshPacket(
            from: radio.answers.number, to: .broadcast, id: id,
            payload: .decoded(MeshData(port: .textMessage, payload: [UInt8](repeating: 65, count: 200))))
    }
    radio.session.wake()
    radio.advance(seconds: 2)
    #expect(radio.packets.suffix(4).map(\.id) == [1, 2, 3, 4])
    for (earlier, later) in zip(radio.sent, radio.sent.dropFirst()) {
        #expect(later.at - earlier.at >= 25_000_000)
    }
    // 200 bytes alone take 17 ms at 115200 baud.
    let packets = radio.sent.filter { if case .message(.packet) = $0.what { true } else { false } }.suffix(4).map(\.at)
    for (earlier, later) in zip(packets, packets.dropFirst()) { #expect(later - earlier >= 42_000_000) }
}
