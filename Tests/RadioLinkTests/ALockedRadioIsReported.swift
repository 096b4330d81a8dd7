import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func aLockedRadioIsReported() {
    var radio = SessionInVirtualTime()
    radio.answers.firmware = ""
    let isPrimary: (FromRadio) -> Bool = {
        if case .channel(let channel) = $0 { channel.role == .primary } else { false }
    }
    radio.answer(without: { isPrimary($0) || $0 == .configComplete(69420) })
    radio.receive(.channel(Channel(index: 0)), .lockdownStatus(LockdownStatus(state: 2, reason: "")))
    radio.receive(.configComplete(69420))
    // Its blanks are nobody's settings.
    #expect(radio.snapshots.isEmpty)
    #expect(radio.problems == ["radio-locked"])
    radio.forget()
    radio.receive(.lockdownStatus(LockdownStatus(state: 3, reason: "")))
    radio.advance(seconds: 1)
    #expect(radio.nonces == [69420])
    radio.answers.firmware = "2.8.0"
    radio.goLive()
    #expect(radio.isLive)
    #expect(radio.session.problems.isEmpty)
}

@Test func aRadioThatIsLockedWhileItLivesIsAskedAnew() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.forget()
    radio.receive(.lockdownStatus(LockdownStatus(state: 2, reason: "")))
    #expect(radio.states == [.configuring])
    radio.advance(seconds: 1)
    #expect(radio.nonces == [69420])
}

/// It shows nothing of itself, its own node neither: that is no complete handshake, and no incomplete one.
@Test func aLockedRadioMayShowNoNodeAtAll() {
    var radio = SessionInVirtualTime()
    radio.answers.firmware = ""
    radio.advance(seconds: 1)
    for message in radio.answers.handshake(69420) {
        switch message {
        case .nodeInfo: break
        case .channel(let channel): radio.receive(.channel(Channel(index: channel.index)))
        default: radio.receive(message)
        }
    }
    #expect(radio.snapshots.isEmpty)
    #expect(radio.problems == ["radio-locked"])
    #expect(radio.nonces == [69420])
}
