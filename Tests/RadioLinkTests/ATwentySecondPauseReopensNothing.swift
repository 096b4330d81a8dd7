import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func aTwentySecondPauseReopensNothing() {
    var radio = SessionInVirtualTime()
    // In the handshake.
    let frames = radio.answers.handshake(69420)
    for frame in frames.prefix(5) { radio.receive(frame) }
    radio.advance(seconds: 20)
    #expect(radio.nonces == [69420])
    for frame in frames.dropFirst(5) { radio.receive(frame) }
    radio.goLive()
    // And while live, over a heartbeat.
    radio.forget()
    radio.receive(.heartbeatAnswer)
    radio.advance(seconds: 55)
    radio.advance(seconds: 22)
    radio.receive(.heartbeatAnswer)
    radio.advance(seconds: 30)
    #expect(radio.nonces.isEmpty)
    #expect(radio.states.isEmpty)
    #expect(radio.reopened.isEmpty)
}
