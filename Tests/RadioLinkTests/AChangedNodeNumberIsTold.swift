import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func aChangedNodeNumberIsTold() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.answers.number = NodeNumber(0x8765_4321)
    radio.receive(.rebooted)
    radio.advance(seconds: 3)
    radio.goLive()
    let changes = radio.events.compactMap { event -> [UInt32]? in
        if case .nodeNumberChanged(let old, let new) = event { [old.rawValue, new.rawValue] } else { nil }
    }
    #expect(changes == [[0x1234_5678, 0x8765_4321]])
}

@Test func anotherRadioIsNoChangedNumber() {
    var radio = SessionInVirtualTime()
    radio.goLive()
    radio.answers.number = NodeNumber(0x8765_4321)
    radio.answers.deviceID = [9]
    radio.session.end()
    radio.session.begin(at: radio.now)
    radio.pump()
    radio.goLive()
    #expect(radio.snapshots.last?.number == NodeNumber(0x8765_4321))
    #expect(!radio.events.contains { if case .nodeNumberChanged = $0 { true } else { false } })
}
