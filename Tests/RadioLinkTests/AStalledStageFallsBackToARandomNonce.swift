import MeshModel
import MeshProtocol
import RadioLink
import Testing

import Synchronization

@Test func aStalledStageFallsBackToARandomNonce() {
    var radio = SessionInVirtualTime()
    radio.receive(RadioAnswers().handshake(69420)[0])  // my_info, then silence
    radio.advance(seconds: 29)
    #expect(radio.nonces == [69420])
    radio.advance(seconds: 3)
    #expect(radio.nonces == [69420, 0x00C0_FFEE])
    #expect(radio.sent.contains { $0.what == .wakeUp(516) })
    // It brings everything at once.
    radio.answer()
    #expect(radio.isLive)
    #expect(radio.nonces.count == 2)
    #expect(radio.received.contains(.nodeInfo(NodeInfo(number: NodeNumber(0xA1)))))
}

@Test func aStalledSecondStageFallsBackToo() {
    var radio = SessionInVirtualTime()
    radio.answer()
    radio.advance(seconds: 40)
    #expect(radio.nonces.last == 0x00C0_FFEE)
    radio.answer()
    #expect(radio.isLive)
}

@Test func theSpecialNoncesAreNeverDrawn() {
    let numbers = Mutex<[UInt32]>([0, 69420, 69421, 5])
    var session = RadioSession(
        pace: .unlimited, wallClock: { 0 }, random: { numbers.withLock { $0.isEmpty ? 9 : $0.removeFirst() } })
    session.begin(at: 0)
    var nonces: [UInt32] = []
    var now: MonotonicTime = 0
    while let deadline = session.deadline(canWrite: true) {
        now = max(now, deadline)
        session.expire(at: now)
        while let frame = session.nextFrame(at: now, offer: { _ in .wait(until: nil) }) {
            let message = frame.bytes.dropFirst(4).withUnsafeBytes { ToRadio(decoding: $0) }
            if case .wantConfig(let nonce) = message { nonces.append(nonce) }
        }
    }
    #expect(Set(nonces).subtracting([69420]) == [5, 9])
}
