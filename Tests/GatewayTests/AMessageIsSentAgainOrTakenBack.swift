import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct AMessageIsSentAgainOrTakenBack {
    private func failed(_ test: TestGateway, _ text: String) throws -> Message {
        let sent = try test.sendAndHand(text, to: .node(alice))
        try test.hear(.packet(.report(.maxRetransmit, on: sent.packetID, from: own)))
        return sent
    }

    @Test func aFailedOneGoesOutAsANewPacket() throws {
        let test = try TestGateway()
        let sent = try failed(test, "hello?")
        let again = try test.gateway.resend(messageID: sent.id, in: test.source)
        #expect(again.id == sent.id)
        #expect(again.delivery?.state == .queued)
        #expect(again.delivery?.error == nil)
        let packets = test.radio.wait(for: 2)
        #expect(packets.count == 2)
        #expect(packets[1].id != sent.packetID)
        #expect(packets[1].to == alice)
        #expect(packets[1].decoded == packets[0].decoded)
        let source = try test.source
        #expect(try test.store.read { try $0.attempts(of: sent, in: source).map(\.packetID) } == [packets[1].id])
        #expect(try test.messages().count == 1)
    }

    @Test func notWhileItIsUnderWayAndNotWhenItIsDelivered() throws {
        let test = try TestGateway()
        let sent = try test.sendAndHand("once", to: .node(alice))
        #expect(throws: ResendRefusal.underWay) { try test.gateway.resend(messageID: sent.id, in: test.source) }
        try test.hear(.packet(.report(.none, on: sent.packetID, from: alice)))
        #expect(throws: ResendRefusal.delivered) { try test.gateway.resend(messageID: sent.id, in: test.source) }
        try test.hear(.text("theirs", from: alice, id: 8))
        #expect(throws: ResendRefusal.notOwn) { try test.gateway.resend(messageID: "8", in: test.source) }
        #expect(throws: ResendRefusal.notFound) { try test.gateway.resend(messageID: "9", in: test.source) }
    }

    @Test func whatWaitsIsTakenBack() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let texts = try (1...4).map { try test.send("text \($0)") }
        #expect(test.radio.wait(for: 2).count == 2)
        let taken = try test.gateway.cancel(messageID: texts[3].id, in: test.source)
        #expect(taken.delivery?.state == .failed)
        #expect(taken.delivery?.cause == .cancelled)
        #expect(throws: ResendRefusal.tooLate) { try test.gateway.cancel(messageID: texts[0].id, in: test.source) }
        #expect(throws: ResendRefusal.tooLate) { try test.gateway.cancel(messageID: texts[3].id, in: test.source) }
        for text in texts[..<2] {
            try test.hear(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: text.packetID)))
        }
        #expect(test.radio.wait(for: 3).map(\.id) == texts[..<3].map(\.packetID))
        #expect(try test.outbox().map(\.packetID) == texts[..<3].map(\.packetID))
    }

    @Test func whatIsNotThereIsNotTakenBack() throws {
        let test = try TestGateway()
        #expect(throws: ResendRefusal.notFound) { try test.gateway.cancel(messageID: "9", in: test.source) }
        try test.hear(.text("theirs", from: alice, id: 8))
        #expect(throws: ResendRefusal.notOwn) { try test.gateway.cancel(messageID: "8", in: test.source) }
    }

    /// The parts of a long text: when the recipient refuses one, the later ones would come to nothing.
    @Test func laterPartsFailWithAnEarlierOneAndComeBackWithIt() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let text = OutgoingText(parts: ["one", "two", "three"], destination: .node(alice))
        let parts = try test.gateway.send(text, by: .cli, to: test.source)
        #expect(parts.map(\.part?.number) == [1, 2, 3])
        #expect(Set(parts.map(\.part?.first)) == [parts[0].packetID])
        #expect(test.radio.wait(for: 2).count == 2)
        try test.hear(.packet(.report(.noChannel, on: parts[0].packetID, from: alice)))
        #expect(try parts.map { try test.delivery(of: $0)?.state } == [.failed, .handed, .failed])
        #expect(try parts.map { try test.delivery(of: $0)?.cause } == [nil, nil, .earlierPart])
        try test.hear(.packet(.report(.none, on: parts[1].packetID, from: alice)))

        _ = try test.gateway.resend(messageID: parts[0].id, in: test.source)
        let packets = test.radio.wait(for: 4)
        #expect(
            packets.suffix(2).map { String(decoding: $0.decoded?.payload ?? [], as: UTF8.self) } == ["one", "three"])
    }

    /// A note that a text goes out says that the radio may have it.
    @Test func onlyTheFirstPartIsNotedAsGoingOut() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let text = OutgoingText(parts: ["one", "two", "three"], destination: .node(alice))
        let parts = try test.gateway.send(text, by: .cli, to: test.source)
        #expect(test.radio.wait(for: 2).count == 2)
        try test.hear(.packet(.report(.noChannel, on: parts[0].packetID, from: alice)))
        _ = try test.gateway.resend(messageID: parts[0].id, in: test.source)
        // With the second part it is one of two about which the radio has said nothing: the third has to wait.
        #expect(test.radio.wait(for: 3).count == 3)
        try test.hear([])
        #expect(try test.outbox().map(\.state) == [.handed, .handed, .waiting])
        #expect(try test.outbox().map(\.attempts) == [1, 1, 0])
    }

    /// Another radio is plugged in its place.
    @Test func whatWaitsForARadioThatIsAwayIsTakenBack() throws {
        let test = try TestGateway()
        let source = try test.source
        test.radio.unplug()
        try test.waitForLoss()
        let text = OutgoingText(parts: ["later"], destination: .node(alice), waits: true)
        let sent = try test.gateway.send(text, by: .cli, to: source)[0]
        test.radio.replug {
            $0.number = bob
            $0.deviceID = [UInt8](repeating: 9, count: 16)
        }
        try test.waitUntilLive(count: 2)
        #expect(try test.source != source)
        #expect(try test.gateway.cancel(messageID: sent.id, in: source).delivery?.cause == .cancelled)
        #expect(try test.store.read { try $0.outbox(in: source) }.isEmpty)
    }
}
