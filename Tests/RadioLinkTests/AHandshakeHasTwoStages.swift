import MeshModel
import MeshProtocol
import RadioLink
import Testing

@Test func aHandshakeHasTwoStages() {
    var radio = SessionInVirtualTime()
    radio.advance(seconds: 1)
    #expect(radio.sent.map(\.what) == [.wakeUp(32), .message(.heartbeat(nonce: 0)), .message(.wantConfig(69420))])
    #expect(radio.states == [.configuring])

    radio.answer()
    radio.advance(seconds: 1)
    #expect(radio.messages.suffix(2) == [.heartbeat(nonce: 0), .wantConfig(69421)])
    #expect(radio.snapshots.count == 1)
    #expect(!radio.isLive)

    radio.receive(.text("between the stages"))
    radio.answer()
    #expect(radio.isLive)
    let snapshot = radio.snapshots[0]
    #expect(snapshot.number == radio.answers.number)
    #expect(snapshot.channels.map(\.index) == Array(0...7))
    #expect(snapshot.firmwareVersion == "2.7.26.54e0d8d")
    #expect(snapshot.lora?.region == 3)
    #expect(snapshot.missing.isEmpty)
    #expect(snapshot.ownNode?.number == radio.answers.number)

    let nodes = radio.received.compactMap { if case .nodeInfo(let node) = $0 { node.number.rawValue } else { nil } }
    #expect(nodes == [0x1234_5678, 0x1234_5678, 0xA1, 0xA2])
    #expect(radio.received.contains(.text("between the stages")))
    #expect(radio.problems.isEmpty)
}

@Test func whatARadioSaysBeforeItIsKnownComesAfterItsSettings() {
    var radio = SessionInVirtualTime()
    radio.advance(seconds: 1)
    radio.receive(.text("early"))
    #expect(radio.received.isEmpty)
    radio.answer()
    let order = radio.events.compactMap { event -> String? in
        switch event {
        case .configured: "settings"
        case .received(.packet, _): "packet"
        default: nil
        }
    }
    #expect(order == ["settings", "packet"])
}
