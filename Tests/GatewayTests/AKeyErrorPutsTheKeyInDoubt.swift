import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

@Suite struct AKeyErrorPutsTheKeyInDoubt {
    private func sent(_ test: TestGateway, _ destination: OutgoingText.Destination = .node(alice)) throws -> Message {
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: User(longName: "A", publicKey: key(1)))))
        return try test.sendAndHand("hi", to: destination)
    }

    /// PKI_FAILED from the own radio, which has another key; NO_CHANNEL from the recipient, which has another one now.
    @Test(
        arguments: [(34, own, true), (6, alice, true), (34, alice, false), (6, own, false)]
            as [(UInt32, NodeNumber, Bool)])
    func byTwoAnswers(_ error: UInt32, _ sender: NodeNumber, _ doubts: Bool) throws {
        let test = try TestGateway()
        let message = try sent(test)
        try test.hear(.report(RoutingError(rawValue: error), on: message.packetID, from: sender))
        #expect(try test.node(alice)?.keyMismatch == doubts)
        #expect(try test.node(alice)?.publicKey == key(1))
    }

    /// 35: the recipient has no key of ours; 39: the radio has none of the recipient.
    @Test(arguments: [(35, alice), (35, own), (39, alice), (39, own)] as [(UInt32, NodeNumber)])
    func notByAKeyThatIsMissing(_ error: UInt32, _ sender: NodeNumber) throws {
        let test = try TestGateway()
        let message = try sent(test)
        try test.hear(.report(RoutingError(rawValue: error), on: message.packetID, from: sender))
        #expect(try test.node(alice)?.keyMismatch == false)
    }

    /// Where no key is known, none can be the wrong one, and there is nothing to decide.
    @Test(arguments: [34, 35, 39] as [UInt32]) func notOfANodeWithoutOne(_ error: UInt32) throws {
        let test = try TestGateway()
        let message = try test.sendAndHand("hi", to: .node(bob))
        try test.hear(.report(RoutingError(rawValue: error), on: message.packetID, from: own))
        // 35 is tried once more.
        #expect(try test.delivery(of: message)?.publicName == (error == 35 ? "pending" : "failed"))
        #expect(try test.node(bob) == nil, "nothing was heard of it, and nothing is known")
    }

    /// What was not encrypted for it says nothing about its key.
    @Test func notByNoChannelToAnUnencryptedMessage() throws {
        let test = try TestGateway()
        let message = try test.sendAndHand("hi", to: .node(bob))
        try test.hear(.packet(.heard(.nodeInfo, User(longName: "B", publicKey: key(2)).encoded(), from: bob)))
        try test.hear(.report(.noChannel, on: message.packetID, from: bob))
        #expect(try test.node(bob)?.keyMismatch == false)
        #expect(try test.delivery(of: message)?.state == .failed)
    }

    /// Firmware 2.7 answers so when it cannot decrypt: it is asked who it is, told who we are, and gets the text again.
    @Test func whoHasANewKeyGetsTheTextAgain() throws {
        let test = try TestGateway(radio: PeerRadio { $0.user = User(longName: "Me", publicKey: key(9)) })
        test.radio.ignorePackets()
        let message = try sent(test)
        try test.hear(.report(.noChannel, on: message.packetID, from: alice))
        let asked = try #require(test.radio.wait(for: 2).last)
        #expect(asked.decoded?.port == .nodeInfo && asked.to == alice && asked.decoded?.wantResponse == true)
        #expect(try test.delivery(of: message)?.publicName == "pending")
        let again = try #require(try test.outbox().first { $0.packet.port == .textMessage })
        #expect(again.resends == 1 && again.notBefore == noon + 30_000 && again.packetID != message.packetID)
        // The same answer to the second try is the last one.
        try test.hear(.report(.noChannel, on: again.packetID, from: alice))
        #expect(try test.delivery(of: message)?.state == .failed)
        #expect(try test.delivery(of: message)?.error == .noChannel)
        #expect(try test.node(alice)?.keyMismatch == true)
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
        try test.hear(.report(.pkiFailed, on: failed.packetID, from: own))
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
