import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// Firmware 2.8.1 proves acknowledgements of messages that were encrypted for their recipient, and the radio says what it made
/// of the proof.
@Suite struct AnAcknowledgementCanBeProven {
    /// routing { error_reason: NONE, ack_proof: 8 bytes }, as it comes.
    private func acknowledgement(
        of sent: Message, _ proof: MeshPacket.AckProof, from node: NodeNumber = alice
    ) -> MeshPacket {
        .heard(.routing, [0x18, 0, 0x22, 8, 1, 2, 3, 4, 5, 6, 7, 8], from: node, to: own, id: 0x77) { packet, data in
            data.requestID = sent.packetID
            packet.ackProof = proof
        }
    }

    @Test(arguments: [MeshPacket.AckProof.valid, .invalid, .noKey])
    func theRadiosVerdictIsKept(proof: MeshPacket.AckProof) throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("hi", to: .node(alice))
        try test.hear(acknowledgement(of: sent, proof))
        let delivery = try test.delivery(of: sent)
        #expect(delivery?.state == .confirmed && delivery?.ackProof == proof)
    }

    @Test func withoutAProofThereIsNone() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("hi", to: .node(alice))
        try test.hear(acknowledgement(of: sent, .absent))
        #expect(try test.delivery(of: sent)?.state == .confirmed)
        #expect(try test.delivery(of: sent)?.ackProof == nil)
    }

    /// The recipient acknowledges every copy that reaches it; what is proven once stays proven.
    @Test func aLaterProofCountsAndALaterFailureDoesNot() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("hi", to: .node(alice))
        let steps: [(MeshPacket.AckProof, MeshPacket.AckProof)] = [
            (.invalid, .invalid), (.valid, .valid), (.invalid, .valid),
        ]
        for (proof, expected) in steps {
            try test.hear(acknowledgement(of: sent, proof))
            #expect(try test.delivery(of: sent)?.ackProof == expected)
        }
    }

    @Test func nobodyElseProvesAnything() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("hi", to: .node(alice))
        try test.hear(acknowledgement(of: sent, .valid, from: bob))
        #expect(try test.delivery(of: sent)?.ackProof == nil)
    }
}
