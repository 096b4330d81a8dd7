import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

@Suite struct AnAcknowledgementTellsTheWayBack {
    @Test func whoConfirmedAndHowItCame() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("hi", to: .node(alice))
        test.setTime(noon + 4000)
        var ack = MeshPacket.report(.none, on: sent.packetID, from: alice)
        ack.relayNode = 0xEE
        try test.hear(ack)
        let message = try #require(try test.messages().first)
        #expect(message.delivery == Delivery(state: .confirmed, ackFrom: alice))
        #expect(message.relayNode == 0xEE && message.rxSNR == 6.25 && message.rxRSSI == -81)
        #expect(message.timestamp == noon, "a message does not move")
        #expect(message.updatedAt == noon + 4000)
        #expect(try test.outbox().isEmpty)
    }

    @Test func anEchoByTheRadioTellsNothingOfIt() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("hi", to: .node(alice))
        try test.hear(.report(.none, on: sent.packetID, from: own))
        #expect(try test.messages().first?.relayNode == nil)
        #expect(try test.messages().first?.delivery == Delivery(state: .relayed))
    }

    /// Packet ids are chosen by their senders: one of a received message can be the same as one of ours.
    @Test func aReceivedMessageHasNoDelivery() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("ours")
        try test.hear(.packet(.text("theirs", from: bob, id: sent.packetID)), .packet(.text("alone", from: bob, id: 5)))
        try test.hear(
            .packet(.report(.none, on: sent.packetID, from: own)), .packet(.report(.none, on: 5, from: own)),
            .queueStatus(QueueStatus(result: 33, free: 1, capacity: 16, packetID: 5)))
        #expect(try test.messages().map(\.delivery) == [Delivery(state: .relayed), nil, nil])
    }
}
