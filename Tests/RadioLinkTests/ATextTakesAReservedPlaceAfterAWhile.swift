import MeshModel
import MeshProtocol
import RadioLink
import Testing

/// Two places are left to others, but not for ever: a busy repeater never has more.
@Suite struct ATextTakesAReservedPlaceAfterAWhile {
    private func packet(_ id: PacketID) -> MeshPacket {
        MeshPacket(
            from: RadioAnswers().number, to: .broadcast, id: id,
            payload: .decoded(MeshData(port: .textMessage, payload: [0x61])))
    }

    private func status(free: UInt32, about id: PacketID = 0) -> FromRadio {
        .queueStatus(QueueStatus(result: 0, free: free, capacity: 16, packetID: id))
    }

    /// The radio answers each question about its room with the same.
    private func waitingSeconds(_ radio: inout SessionInVirtualTime, free: UInt32, until id: PacketID) -> Double? {
        let start = radio.now
        var asked = radio.heartbeats.count
        for _ in 0..<600 {
            radio.advance(seconds: 0.1)
            if radio.packets.contains(where: { $0.id == id }) { return Double(radio.now - start) / 1e9 }
            if radio.heartbeats.count > asked {
                asked = radio.heartbeats.count
                radio.receive(status(free: free))
            }
        }
        return nil
    }

    @Test func eightSecondsAfterItCouldHaveGone() throws {
        var radio = SessionInVirtualTime()
        radio.goLive()
        radio.forget()
        radio.receive(status(free: 1))
        for id in 1...2 as ClosedRange<PacketID> {
            radio.outgoing = [packet(id)]
            radio.session.wake()
            let waited = try #require(waitingSeconds(&radio, free: 1, until: id), "it never went")
            // Virtual seconds.
            #expect((7.9...8.3).contains(waited), "\(waited)")
            radio.receive(status(free: 1, about: id))
        }
    }

    @Test func aFullRadioIsWaitedForAllTheSame() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        radio.forget()
        radio.receive(status(free: 0))
        radio.outgoing = [packet(1)]
        radio.session.wake()
        #expect(waitingSeconds(&radio, free: 0, until: 1) == nil)
    }
}
