import MeshModel
import MeshProtocol
import RadioLink
import Store
import Testing

@testable import Gateway

@Suite struct ARefusedRequestLeavesNothingBehind {
    private func nothing(_ test: TestGateway) throws {
        let source = try test.source
        #expect(try test.outbox().isEmpty)
        #expect(try test.messages().isEmpty)
        #expect(try test.store.read { try $0.traceroutes(in: source) }.isEmpty)
        #expect(try test.node(alice)?.lastTracerouteRequest == nil)
        #expect(test.radio.received.isEmpty)
    }

    @Test(arguments: [NodeRequest.traceroute, .position, .nodeInfo, .telemetry])
    func withoutARadio(_ request: NodeRequest) throws {
        let test = try TestGateway()
        try test.hear(.nodeInfo(NodeInfo(number: alice)))
        test.radio.unplug()
        try test.waitForLoss()
        #expect(throws: RequestRefusal.notConnected) { try test.gateway.request(request, of: alice, in: test.source) }
        try nothing(test)
    }

    @Test(arguments: [NodeRequest.traceroute, .position, .nodeInfo, .telemetry])
    func withTheTransmitterOff(_ request: NodeRequest) throws {
        let radio = PeerRadio()
        radio.become { $0.lora?.txEnabled = false }
        let test = try TestGateway(radio: radio)
        try test.hear(.nodeInfo(NodeInfo(number: alice)))
        #expect(throws: RequestRefusal.transmitDisabled) {
            try test.gateway.request(request, of: alice, in: test.source)
        }
        try nothing(test)
    }

    /// Firmware believes what it gets: an empty User would blank our name on the other side.
    @Test func namesThatWeDoNotKnow() throws {
        let test = try TestGateway()
        #expect(throws: RequestRefusal.notConnected) { try test.gateway.request(.nodeInfo, of: alice, in: test.source) }
        try nothing(test)
    }

    @Test func tooManyOfAKind() throws {
        let test = try TestGateway(pace: .radio)
        // One goes out at once.
        _ = try test.gateway.request(.traceroute, of: alice, in: test.source)
        #expect(test.radio.wait(for: 1).count == 1)
        for _ in 1...10 { _ = try test.gateway.request(.traceroute, of: alice, in: test.source) }
        #expect(throws: RequestRefusal.tooMany(seconds: 30)) {
            try test.gateway.request(.traceroute, of: alice, in: test.source)
        }
        let source = try test.source
        #expect(try test.store.read { try $0.traceroutes(in: source) }.count == 11)
        #expect(try test.gateway.request(.position, of: alice, in: test.source).channel == 0)
        // Nobody waits for an answer after five minutes.
        #expect(try test.outbox().filter { $0.kind == "traceroute" }.allSatisfy { $0.expiresAt != nil })
    }
}
