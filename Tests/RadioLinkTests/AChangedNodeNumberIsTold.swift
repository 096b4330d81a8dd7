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

/// A radio of 2.8 makes its number of the key that comes with its first region.
@Test(arguments: [true, false]) func theNumberOfAFirstRegionIsNoProblem(_ isFirst: Bool) {
    var radio = SessionInVirtualTime()
    if isFirst { radio.answers.region = 0 }
    radio.goLive()
    (radio.answers.number, radio.answers.region) = (NodeNumber(0x8765_4321), 3)
    radio.receive(.rebooted)
    radio.advance(seconds: 3)
    radio.goLive()
    #expect(radio.events.contains { if case .nodeNumberChanged = $0 { true } else { false } })
    #expect(radio.session.problems.contains { $0.kind == .nodeNumberChanged } == !isFirst)
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
