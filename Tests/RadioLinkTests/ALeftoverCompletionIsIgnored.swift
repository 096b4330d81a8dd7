import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func aLeftoverCompletionIsIgnored() {
    var radio = SessionInVirtualTime()
    radio.advance(seconds: 1)
    // Of an earlier program's handshake: other nonces, and even ours, but nothing since we asked.
    radio.receive(.configComplete(12345), .configComplete(69421), .configComplete(69420))
    radio.advance(seconds: 1)
    #expect(radio.nonces == [69420])
    #expect(radio.snapshots.isEmpty)
    radio.goLive()
    #expect(radio.nonces == [69420, 69421])
}
