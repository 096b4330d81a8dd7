import MeshModel
import Store
import Testing

@testable import Gateway

/// It is taken out of the queue first, so that the radio does not get it meanwhile, and then off the disk.
@Suite struct ATextIsNotTakenBackWithoutTheDisk {
    /// Two are with a radio that says nothing, the third one waits.
    private func waiting(_ test: TestGateway) throws -> [Message] {
        test.radio.ignorePackets()
        let texts = try (1...3).map { try test.send("text \($0)", to: .node(alice)) }
        #expect(test.radio.wait(for: 2).count == 2)
        try test.hear([])
        return texts
    }

    @Test func whatCannotBeStoredLeavesItWaiting() throws {
        let test = try TestGateway()
        let (text, source) = (try waiting(test)[2], try test.source)
        #expect(test.gateway.status(of: source).queued == 1)
        let store = test.store
        test.meanwhile { store.close() }
        let refusal = ResendRefusal.refused(.storage("\(StoreError.closed)"))
        #expect(throws: refusal) { try test.gateway.cancel(messageID: text.id, in: source) }
        #expect(test.gateway.status(of: source).queued == 1)
        #expect(throws: refusal) { try test.gateway.resend(messageID: text.id, in: source) }
    }

    /// It went out before the link broke, and its recipient says so in the moment in which it is taken back.
    @Test func whatHasArrivedMeanwhileIsNotSentOnceMore() throws {
        let test = try TestGateway()
        let texts = try waiting(test)
        test.meanwhile { try? test.hear(.report(.none, on: texts[2].packetID, from: alice)) }
        #expect(throws: ResendRefusal.tooLate) { try test.gateway.cancel(messageID: texts[2].id, in: test.source) }
        #expect(try test.delivery(of: texts[2])?.state == .confirmed)
        for text in texts[..<2] {
            try test.hear(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: text.packetID)))
        }
        let next = try test.sendAndHand("another one")
        #expect(test.radio.received.map(\.id) == texts[..<2].map(\.packetID) + [next.packetID])
    }
}
