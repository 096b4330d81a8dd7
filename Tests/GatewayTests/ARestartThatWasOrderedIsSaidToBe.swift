import MeshModel
import RadioLink
import Testing

@testable import Gateway

@Suite struct ARestartThatWasOrderedIsSaidToBe {
    private let closed = Problem(.connectionClosed, "a newer program takes the place")

    private func restarts(_ events: [Event]) -> [String] {
        events.compactMap { if case .restarted(let reason) = $0.what { reason } else { nil } }
    }

    @Test func overTheNetworkNoOtherProgramIsBlamed() throws {
        let test = try TestGateway()
        let listener = test.gateway.events.listen()
        try test.gateway.orderReboot(in: 5, of: test.source)
        test.tell(.rebooted("boot text"))
        test.tell(.state(.lost(closed)))
        #expect(test.gateway.status(of: try test.source).link.problem?.name == "restart-ordered")
        #expect(restarts(listener.nextEvents(orWake: {}).events) == ["it was told to (boot text)"])
    }

    @Test func withoutAnOrderItIsAsItWas() throws {
        let test = try TestGateway()
        let listener = test.gateway.events.listen()
        test.tell(.rebooted("boot text"))
        test.tell(.state(.lost(closed)))
        #expect(test.gateway.status(of: try test.source).link.problem?.name == "connection-closed")
        #expect(restarts(listener.nextEvents(orWake: {}).events) == ["boot text"])
    }

    @Test func aRadioThatIsAwayTakesNoOrder() throws {
        let test = try TestGateway()
        test.radio.unplug()
        try test.waitForLoss()
        #expect(throws: RadioRefusal.notConnected) { try test.gateway.orderReboot(in: 5, of: test.source) }
    }
}
