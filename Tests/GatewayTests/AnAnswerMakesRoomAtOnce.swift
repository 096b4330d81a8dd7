import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// The third of three texts waits for an answer, and must not wait for the time at which a lost one is given up.
@Suite struct AnAnswerMakesRoomAtOnce {
    @Test func theNextTextGoes() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let texts = try (1...3).map { try test.send("text \($0)") }
        #expect(test.radio.wait(for: 2).map(\.id) == texts.prefix(2).map(\.packetID))
        #expect(test.gateway.status(of: try test.source).queued == 1)
        try test.hear(.queueStatus(QueueStatus(result: 0, free: 15, capacity: 16, packetID: texts[0].packetID)))
        #expect(test.radio.wait(for: 3, seconds: 15).map(\.id) == texts.map(\.packetID))
    }
}
