import Glibc
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// For the radio, for its recipient, and not for ever.
@Suite struct ATextWaitsForItsMoment {
    private func text(_ text: String, untilHeard: Bool = false, lifetime: Int64 = 3_600_000) -> OutgoingText {
        OutgoingText(
            parts: [text], destination: .node(alice), waits: true, untilHeard: untilHeard, lifetime: lifetime)
    }

    @Test func untilTheRadioIsBack() throws {
        let test = try TestGateway()
        test.radio.unplug()
        try test.waitForLoss()
        #expect(throws: SendRefusal.notConnected) { try test.send("now or never") }
        let sent = try test.gateway.send(text("later"), by: .cli, to: test.source)
        #expect(sent.map(\.from) == [own])
        test.radio.replug()
        #expect(test.radio.wait(for: 1).map(\.id) == sent.map(\.packetID))
    }

    /// A radio that has not told its hop limit has the firmware's own.
    @Test func overThreeHopsUnlessTheRadioSaysOtherwise() throws {
        let radio = PeerRadio()
        radio.become { $0.lora = nil }
        let test = try TestGateway(radio: radio)
        _ = try test.sendAndHand("now", to: .node(alice))
        radio.unplug()
        try test.waitForLoss()
        _ = try test.gateway.send(text("later"), by: .cli, to: test.source)
        #expect(try test.outbox().map(\.packet.hopLimit) == [3, 3])
    }

    /// Whose number nobody knows yet.
    @Test func notBeforeTheFirstRadio() throws {
        let radio = PeerRadio()
        radio.unplug()
        let test = try TestGateway(radio: radio, startsLive: false)
        #expect(throws: SendRefusal.notConnected) { try test.gateway.send(text("to whom?"), by: .cli, to: test.source) }
        #expect(try test.messages().isEmpty)
    }

    @Test func untilTheRecipientIsHeard() throws {
        let test = try TestGateway()
        let sent = try test.gateway.send(text("when you are there", untilHeard: true), by: .cli, to: test.source)
        // Not noted as going out, as a text is that leaves at once.
        #expect(try test.outbox().map(\.state) == [.waiting])
        let other = try test.sendAndHand("meanwhile")
        try test.hear(.text("me too", from: bob, id: 5))
        #expect(test.radio.received.map(\.id) == [other.packetID])
        try test.hear(.text("here I am", from: alice, id: 6))
        #expect(test.radio.wait(for: 2).map(\.id) == [other.packetID] + sent.map(\.packetID))
        try test.settle()
        #expect(try test.outbox().allSatisfy { $0.hold == nil })
    }

    @Test func itGoesOnWaitingAfterARestart() throws {
        let first = try TestGateway()
        let sent = try first.gateway.send(text("when you are there", untilHeard: true), by: .cli, to: first.source)
        first.stop()
        let second = try TestGateway(folder: first.folder)
        let other = try second.sendAndHand("meanwhile")
        #expect(second.radio.received.map(\.id) == [other.packetID])
        try second.hear(.text("here I am", from: alice, id: 6))
        #expect(second.radio.wait(for: 2).map(\.id).last == sent[0].packetID)
    }

    @Test func notLongerThanItMay() throws {
        let test = try TestGateway()
        let sent = try test.gateway.send(text("too late", untilHeard: true, lifetime: 300), by: .cli, to: test.source)[
            0]
        for _ in 1...600 {
            if try test.delivery(of: sent)?.state == .failed { break }
            usleep(50_000)
        }
        #expect(try test.delivery(of: sent)?.cause == .expired)
        try test.hear(.text("here I am", from: alice, id: 6))
        #expect(test.radio.received.isEmpty)
        #expect(try test.outbox().isEmpty)
    }

    /// Also when there has been no radio since the start.
    @Test func norAfterARestartWithoutARadio() throws {
        let first = try TestGateway()
        let sent = try first.gateway.send(
            text("too late", untilHeard: true, lifetime: 10_000), by: .cli, to: first.source)[0]
        first.stop()
        let radio = PeerRadio()
        radio.unplug()
        let second = try TestGateway(folder: first.folder, radio: radio, startsLive: false)
        #expect(try second.delivery(of: sent)?.state == .queued)
        for _ in 1...6_000 {
            if try second.delivery(of: sent)?.state == .failed { break }
            usleep(50_000)
        }
        #expect(try second.delivery(of: sent)?.cause == .expired)
        #expect(try second.outbox().isEmpty)
    }

    /// Nobody tells what became of it: the host says so after a while that the modem's speed gives.
    @Test func aSilentMeshIsNotWaitedForForEver() throws {
        let first = try TestGateway()
        let sent = try first.sendAndHand("is anybody there?", to: .node(alice))
        try first.hear([])
        #expect(try first.outbox().map(\.state) == [.accepted])
        first.stop()
        let second = try TestGateway(at: noon + 83_000, folder: first.folder)
        for _ in 1...600 {
            if try second.delivery(of: sent)?.state == .failed { break }
            usleep(50_000)
        }
        #expect(try second.delivery(of: sent)?.cause == .noAnswer)
        #expect(try second.delivery(of: sent)?.error == .timeout)
        #expect(second.radio.received.isEmpty)
        // A late word lifts it.
        try second.hear(.packet(.report(.none, on: sent.packetID, from: alice)))
        #expect(try second.delivery(of: sent)?.state == .confirmed)
        #expect(try second.delivery(of: sent)?.cause == nil)
    }
}
