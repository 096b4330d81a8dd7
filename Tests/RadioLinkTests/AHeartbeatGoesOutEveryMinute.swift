import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func aHeartbeatGoesOutEveryMinute() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    for _ in 0..<10 {
        radio.advance(seconds: 60)
        radio.receive(.text("a packet now and then"), .heartbeatAnswer)
    }
    #expect(radio.heartbeats.count == 10)
    // Nonce 1 would make the radio broadcast its NodeInfo.
    #expect(radio.heartbeats.allSatisfy { $0.what == .message(.heartbeat(nonce: 0)) })
    #expect(radio.nonces.isEmpty)
}

@Test func twoMissingAnswersStartOver() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.receive(.heartbeatAnswer)
    radio.forget()
    radio.advance(seconds: 85)
    #expect(radio.nonces.isEmpty)
    radio.advance(seconds: 40)
    #expect(radio.heartbeats.count >= 2)
    #expect(radio.nonces.first == 69420)
    #expect(radio.states == [.configuring])
    radio.goLive()
    #expect(radio.isLive)
}

@Test func firmwareThatNeverAnswersHeartbeatsIsLeftAlone() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    for _ in 0..<12 {
        radio.advance(seconds: 100)
        radio.receive(.text("a packet"))
    }
    #expect(radio.nonces.isEmpty)
}
