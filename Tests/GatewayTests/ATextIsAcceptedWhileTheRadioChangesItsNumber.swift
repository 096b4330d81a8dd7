import MeshModel
import MeshProtocol
import Store
import Synchronization
import Testing

@testable import Gateway

/// The text's rows are being written, with the note that it leaves now, when its radio introduces itself under another number. It
/// goes out once, from that number.
@Suite struct ATextIsAcceptedWhileTheRadioChangesItsNumber {
    private func changing() throws -> TestGateway {
        let test = try TestGateway()
        test.meanwhile {
            test.radio.become { $0.number = carol }
            try? test.readAgain()
        }
        return test
    }

    private func expectOnce(_ id: PacketID, _ test: TestGateway) throws {
        try test.settle()
        #expect(test.radio.wait(for: 1).map(\.id) == [id])
        let next = try test.sendAndHand("next")
        #expect(test.radio.received.map(\.id) == [id, next.packetID])
        #expect(test.radio.received.map(\.from) == [carol, carol])
        try test.hear([])
        // No row says that it is still to go, as the note says that was wrong for the session that ended.
        #expect(try test.outbox().allSatisfy { $0.state == .accepted && $0.attempts > 0 })
        #expect(try test.messages().map(\.delivery?.state) == [.accepted, .accepted])
    }

    @Test func aPersons() throws {
        let test = try changing()
        try expectOnce(try test.send("just now").packetID, test)
    }

    @Test func aClients() throws {
        let test = try changing()
        let text = try #require(ClientPacket([0x15, 0xff, 0xff, 0xff, 0xff, 0x22, 5, 8, 1, 18, 1, 0x61]))
        let outcome = Mutex<Submission?>(nil)
        test.gateway.submit(
            text.sent(from: NodeNumber(0), id: 7), by: Sender(.share, "192.0.2.1"), right: .send, to: try test.source
        ) { told in outcome.withLock { $0 = told } }
        try expectOnce(7, test)
        guard case .queued(7, _) = outcome.withLock({ $0 }) else { return #expect(Bool(false), "it was not taken") }
    }
}
