import MeshModel
import MeshProtocol
import RadioLink
import Testing

/// Firmware 2.8 makes the node number from the key: a new key in the middle of a session is told by a my_info, without a restart.
@Suite struct ARadioMayBecomeAnotherNodeWhileItIsLive {
    private let other = NodeNumber(0x8765_4321)

    private func rename(_ radio: inout SessionInVirtualTime, to number: NodeNumber) {
        radio.answers.number = number
        radio.receive(.myInfo(MyNodeInfo(number: number, deviceID: radio.answers.deviceID)))
    }

    @Test func theHandshakeBeginsAgain() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        radio.forget()
        rename(&radio, to: other)
        #expect(radio.events.contains { if case .state(.configuring) = $0 { true } else { false } })
        radio.goLive()
        #expect(radio.snapshots.last?.number == other)
        let changes = radio.events.compactMap { event -> [NodeNumber]? in
            if case .nodeNumberChanged(let old, let new) = event { [old, new] } else { nil }
        }
        #expect(changes == [[NodeNumber(0x1234_5678), other]])
        #expect(radio.session.problems.map(\.name) == ["node-number-changed"])
    }

    @Test func theSameNumberIsNoNews() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        radio.forget()
        rename(&radio, to: radio.answers.number)
        #expect(!radio.events.contains { if case .state = $0 { true } else { false } })
    }

    /// A radio that does so again and again is counted like one that restarts.
    @Test func whichIsSeenWhenItGoesOn() {
        var radio = SessionInVirtualTime()
        radio.goLive()
        for turn in 0..<4 {
            rename(&radio, to: NodeNumber(0x1000 + UInt32(turn)))
            radio.goLive()
            radio.advance(seconds: 20)
        }
        #expect(radio.session.problems.contains { $0.name == "keeps-restarting" })
    }
}
