import MeshModel
import Store
import Testing

@testable import Gateway

@Suite struct ADeletedTextIsNotSent {
    @Test func whatStillWaitsIsTakenBack() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        // Two go out without an answer, the others wait.
        let texts = try (1...4).map { try test.send("text \($0)", to: .node(alice)) }
        #expect(test.radio.wait(for: 2).count == 2)
        #expect(try test.gateway.deleteMessage(id: texts[2].id, in: test.source))
        #expect(try !test.gateway.deleteMessage(id: texts[2].id, in: test.source))
        try test.hear(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: texts[0].packetID)))
        #expect(test.radio.wait(for: 3).map(\.id) == [0, 1, 3].map { texts[$0].packetID })
        #expect(try test.messages().map(\.text) == ["text 1", "text 2", "text 4"])
        #expect(try test.gateway.deleteMessages(with: alice, in: test.source) == 3)
        #expect(try test.outbox().isEmpty)
        // A report on what is gone is nobody's business.
        try test.hear(.report(.none, on: texts[1].packetID, from: alice))
        #expect(try test.messages().isEmpty)
    }
}
