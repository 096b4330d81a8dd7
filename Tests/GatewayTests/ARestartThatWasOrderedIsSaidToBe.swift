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

    private func rows(_ test: TestGateway) throws -> [String] {
        try test.settle()
        return try test.store.read { try $0.happenings() }.map { "\($0.kind) \($0.name ?? "-")" }
    }

    /// On native USB the port goes with the radio, on others it stays.
    @Test(arguments: [true, false]) func meanwhileItRestartsForEverybody(_ losesItsPort: Bool) throws {
        let test = try TestGateway()
        let before = try rows(test).count
        try test.gateway.orderReboot(in: 0, of: test.source)
        #expect(try !test.gateway.status(of: test.source).isRestarting)
        if losesItsPort { test.tell(.state(.lost(Problem(.unplugged, "it is gone")))) }
        test.tell(.rebooted("boot text"))
        test.tell(.state(.configuring))
        #expect(try test.gateway.status(of: test.source).isRestarting)
        test.tell(.state(.live))
        #expect(try !test.gateway.status(of: test.source).isRestarting)
        // Once it is back, another start is its own.
        test.tell(.rebooted("boot text"))
        let found = try rows(test).dropFirst(before)
        #expect(found == (losesItsPort ? ["link restarting"] : []) + ["restart restarting", "link live", "restart -"])
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
