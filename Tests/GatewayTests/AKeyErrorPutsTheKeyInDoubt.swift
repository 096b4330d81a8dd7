import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

@Suite struct AKeyErrorPutsTheKeyInDoubt {
    private func sent(_ test: TestGateway, _ destination: OutgoingText.Destination = .node(alice)) throws -> Message {
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: User(longName: "A", publicKey: key(1)))))
        return try test.sendAndHand("hi", to: destination)
    }

    /// 39, the radio's word that it has no key, has a test of its own: AForgottenKeyIsGivenBack.
    @Test(arguments: [34, 35] as [UInt32]) func reportedByTheRecipientOrTheRadio(_ error: UInt32) throws {
        let error = RoutingError(rawValue: error)
        for sender in [alice, own] {
            let test = try TestGateway()
            let message = try sent(test)
            try test.hear(.report(error, on: message.packetID, from: sender))
            #expect(try test.node(alice)?.keyMismatch == true)
            #expect(try test.node(alice)?.publicKey == key(1))
        }
    }

    @Test func toldByTheQueueAlone() throws {
        let test = try TestGateway()
        let message = try sent(test)
        try test.hear(.queueStatus(QueueStatus(result: 34, free: 15, capacity: 16, packetID: message.packetID)))
        #expect(try test.node(alice)?.keyMismatch == true)
    }

    @Test func notByAThirdNode() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let message = try sent(test)
        try test.hear(.report(.pkiUnknownPublicKey, on: message.packetID, from: carol))
        #expect(try test.node(alice)?.keyMismatch == false)
        #expect(try test.outbox().map(\.packetID) == [message.packetID], "the radio has not answered yet")
    }

    @Test func notForOtherReasons() throws {
        let test = try TestGateway()
        let message = try sent(test)
        try test.hear(.report(.maxRetransmit, on: message.packetID, from: own))
        #expect(try test.node(alice)?.keyMismatch == false)
    }

    @Test func untilOneArrives() throws {
        let test = try TestGateway()
        let failed = try sent(test)
        try test.hear(.report(.pkiUnknownPublicKey, on: failed.packetID, from: alice))
        let arrived = try test.sendAndHand("again", to: .node(alice))
        try test.hear(.report(.none, on: arrived.packetID, from: own))
        #expect(try test.node(alice)?.keyMismatch == true, "only repeated by somebody")
        try test.hear(.report(.none, on: arrived.packetID, from: alice))
        #expect(try test.node(alice)?.keyMismatch == false)
    }

    @Test func anAcknowledgementIsNothingAgainstAnotherKey() throws {
        let test = try TestGateway()
        let message = try sent(test)
        try test.hear(.packet(.heard(.nodeInfo, User(longName: "A", publicKey: key(2)).encoded())))
        try test.hear(.report(.none, on: message.packetID, from: alice))
        #expect(try test.node(alice)?.announcedKey == key(2))
        #expect(try test.node(alice)?.keyMismatch == true)
    }
}
