import Glibc
import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// The note that a text goes out is on its way to the disk when somebody sets the clock back an hour. The text goes out, and
/// by such a note nobody can say how long ago that was.
@Suite struct AClockSetBackDuringANoteRepeatsNothing {
    private func accepted(_ message: Message) -> FromRadio {
        .queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: message.packetID))
    }

    /// Two have been with the radio for a moment; the third has been noted under the old clock, and written under the new one.
    private func written() throws -> (test: TestGateway, texts: [Message]) {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let texts = try (1...3).map { try test.send("text \($0)") }
        #expect(test.radio.wait(for: 2).count == 2)
        try test.settle()
        let goOn = test.stopWriter()
        try test.hearUnstored(accepted(texts[0]))
        func isNoting() -> Bool {
            test.gateway.radios.all[0].attachment.outbox.entry(texts[2].packetID)?.state == .noting
        }
        for _ in 0..<60_000 where !isNoting() { usleep(1_000) }
        try #require(isNoting())
        test.setTime(noon - 3_600_000)
        goOn()
        #expect(test.radio.wait(for: 3).map(\.id) == texts.map(\.packetID))
        try test.waitUntilHanded(texts[2].packetID)
        try test.settle()
        return (test, texts)
    }

    private func reconnect(_ test: TestGateway) throws {
        test.radio.unplug()
        try test.waitForLoss()
        test.radio.replug()
        try test.waitUntilLive(count: 2)
    }

    @Test func whatTheRadioSaysCountsAsEver() throws {
        let (test, texts) = try written()
        try test.hear(accepted(texts[1]), accepted(texts[2]))
        try reconnect(test)
        let next = try test.sendAndHand("next")
        #expect(test.radio.received.map(\.id) == (texts + [next]).map(\.packetID))
        for text in texts { #expect(try test.delivery(of: text)?.state == .accepted) }
    }

    /// What it has said nothing about is a person's decision, as if the two minutes were over.
    @Test func whatItHasNotAnsweredIsUncertain() throws {
        let (test, texts) = try written()
        try reconnect(test)
        let next = try test.sendAndHand("next")
        #expect(test.radio.received.map(\.id) == (texts + [next]).map(\.packetID))
        #expect(try test.delivery(of: texts[0])?.state == .accepted)
        for text in texts[1...] {
            #expect(try test.delivery(of: text)?.state == .failed)
            #expect(try test.delivery(of: text)?.cause == .uncertain)
        }
    }
}
