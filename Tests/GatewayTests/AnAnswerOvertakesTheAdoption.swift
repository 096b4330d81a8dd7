import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// The radio tells its settings again, and the disk is slow: the outbox is read from it only when the radio has long said
/// more than is stored.
@Suite struct AnAnswerOvertakesTheAdoption {
    private func accepted(_ id: PacketID) -> FromRadio {
        .queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: id))
    }

    @Test func whatTheRadioHasTakenIsNotSentAgain() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let sent = try test.sendAndHand("once", to: .node(alice))
        let goOn = test.stopWriter()
        try test.readAgain()
        try test.hearUnstored(accepted(sent.packetID))
        goOn()
        try test.settle()
        #expect(try test.delivery(of: sent)?.state == .accepted)
        #expect(try test.outbox().map(\.attempts) == [1])

        // It is not the next to go, nor given up as uncertain when the radio is plugged in again.
        let next = try test.sendAndHand("next")
        #expect(test.radio.received.map(\.id) == [sent.packetID, next.packetID])
        test.radio.unplug()
        try test.waitForLoss()
        test.radio.replug()
        try test.waitUntilLive(count: 3)
        try test.hear(.packet(.report(.maxRetransmit, on: sent.packetID, from: own)))
        #expect(try test.delivery(of: sent)?.state == .failed)
        #expect(try test.delivery(of: sent)?.error == .maxRetransmit)
        #expect(try test.delivery(of: sent)?.cause == nil)
    }

    @Test func whatHasArrivedIsNotSentAgain() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let sent = try test.sendAndHand("once", to: .node(alice))
        let goOn = test.stopWriter()
        try test.readAgain()
        try test.hearUnstored(.packet(.report(.none, on: sent.packetID, from: alice)))
        goOn()
        try test.settle()
        let next = try test.sendAndHand("next")
        #expect(test.radio.received.map(\.id) == [sent.packetID, next.packetID])
        #expect(try test.delivery(of: sent)?.state == .confirmed)
        #expect(try test.outbox().map(\.packetID) == [next.packetID])
    }

    @Test func aRequestThatTheRadioHasTakenIsNotMadeAgain() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let request = try test.gateway.request(.traceroute, of: alice, in: test.source)
        #expect(test.radio.wait(for: 1).map(\.id) == [request.packetID])
        let goOn = test.stopWriter()
        try test.readAgain()
        try test.hearUnstored(accepted(request.packetID))
        goOn()
        try test.settle()
        let next = try test.sendAndHand("next")
        #expect(test.radio.received.map(\.id) == [request.packetID, next.packetID])
        #expect(try test.outbox().map(\.packetID) == [next.packetID])
    }
}
