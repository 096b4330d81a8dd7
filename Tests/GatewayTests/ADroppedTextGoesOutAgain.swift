import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// The radio drops a text that comes too soon (NAK 38) or finds no room (queue status 32), and a recipient can have
/// forgotten our key (35). The text goes out again under another id, and stays one message (SerialReference 6.2).
@Suite struct ADroppedTextGoesOutAgain {
    private func nak(_ error: RoutingError, _ id: PacketID, by sender: NodeNumber = own) -> FromRadio {
        .packet(.report(error, on: id, from: sender))
    }

    private func message(_ test: TestGateway, _ id: PacketID) throws -> Message? {
        let source = try test.source
        return try test.store.read { try $0.message(packetID: id, from: nil, in: source) }
    }

    @Test func afterARefusalForComingTooSoon() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("too soon")
        try test.hear(nak(.rateLimitExceeded, sent.packetID))
        let packets = test.radio.wait(for: 2)
        #expect(packets.count == 2)
        let again = packets[1]
        #expect(again.id != sent.packetID)
        #expect(again.decoded?.payload == Array("too soon".utf8))
        #expect(try test.messages().count == 1)
        #expect(try test.delivery(of: sent)?.publicName == "pending")

        // Whoever names either of them means the message.
        #expect(try message(test, again.id)?.id == sent.id)
        try test.hear(nak(.none, again.id))
        #expect(try test.delivery(of: sent)?.state == .relayed)
        #expect(try test.delivery(of: sent)?.ackedAt == noon)
        #expect(try test.outbox().isEmpty)
    }

    @Test func aWordAboutTheOldPacketCountsOnlyWhenItIsGood() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("twice", to: .node(alice))
        try test.hear(nak(.rateLimitExceeded, sent.packetID))
        let again = test.radio.wait(for: 2)[1]
        // The refusal of what has been replaced is old news.
        try test.hear(nak(.rateLimitExceeded, sent.packetID), nak(.maxRetransmit, sent.packetID))
        #expect(try test.delivery(of: sent)?.state != .failed)
        #expect(test.radio.received.count == 2)
        try test.hear(nak(.none, sent.packetID, by: alice))
        #expect(try test.delivery(of: sent)?.state == .confirmed)
        try test.hear(nak(.maxRetransmit, again.id))
        #expect(try test.delivery(of: sent)?.state == .confirmed)
    }

    /// And not another one in its place.
    @Test func theOthersStayAsTheyAre() throws {
        let test = try TestGateway()
        let first = try test.sendAndHand("fine", to: .node(bob))
        let second = try test.sendAndHand("too soon", to: .node(alice))
        try test.hear(nak(.rateLimitExceeded, second.packetID))
        #expect(test.radio.wait(for: 3).last?.decoded?.payload == Array("too soon".utf8))
        try test.hear([])
        #expect(try test.outbox().map(\.packetID).contains(first.packetID))
        #expect(try test.outbox().map(\.resends) == [0, 1])
        // Nor one that is no longer in the outbox.
        try test.hear(nak(.none, first.packetID, by: bob))
        try test.hear(nak(.rateLimitExceeded, first.packetID))
        #expect(try test.delivery(of: first)?.state == .confirmed)
        try test.hear([])
        #expect(test.radio.received.count == 3)
    }

    @Test func whenTheQueueOfTheRadioWasFull() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let sent = try test.sendAndHand("no room")
        try test.hear(.queueStatus(QueueStatus(result: 32, free: 3, capacity: 16, packetID: sent.packetID)))
        #expect(test.radio.wait(for: 2).count == 2)
        #expect(try test.delivery(of: sent)?.publicName == "pending")
    }

    /// What the radio never takes comes to an end.
    @Test func notForEver() throws {
        let test = try TestGateway()
        let sent = try test.send("again and again")
        for count in 1...6 {
            let packets = test.radio.wait(for: count, seconds: 30)
            try #require(packets.count == count)
            #expect(Set(packets.map(\.id)).count == count)
            try test.hear(nak(.rateLimitExceeded, packets[count - 1].id))
        }
        #expect(try test.delivery(of: sent)?.state == .failed)
        #expect(try test.delivery(of: sent)?.error == .rateLimitExceeded)
        #expect(try test.outbox().isEmpty)
    }

    /// A direct text of which an acknowledgement for a later attempt arrives while the next one still waits.
    @Test func whatIsDeliveredMeanwhileIsNotSentAgain() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("enough", to: .node(alice))
        // The recipient does not know our key: it comes again after half a minute.
        try test.hear(nak(.pkiUnknownPublicKey, sent.packetID, by: alice))
        #expect(try test.outbox().map(\.resends) == [1])
        #expect(try test.outbox().map(\.notBefore) == [noon + 30_000])
        try test.hear(nak(.none, sent.packetID, by: alice))
        #expect(try test.delivery(of: sent)?.state == .confirmed)
        #expect(try test.outbox().isEmpty)
    }

    @Test func anAnswerToALaterAttemptIsAnAnswerToTheMessage() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("who is there?")
        try test.hear(nak(.rateLimitExceeded, sent.packetID))
        let again = test.radio.wait(for: 2)[1]
        try test.hear(.text("me", from: alice, id: 77) { $1.replyID = again.id })
        #expect(try test.messages().last?.replyID == sent.packetID)
    }
}
