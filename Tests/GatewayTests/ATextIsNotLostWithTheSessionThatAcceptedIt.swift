import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// A text that can leave at once is noted as going out in the transaction that accepts it. When the link breaks in that
/// very moment, it has not gone out, and the note says so again.
@Test func aTextIsNotLostWithTheSessionThatAcceptedIt() throws {
    let test = try TestGateway()
    test.meanwhile {
        test.radio.unplug()
        try? test.waitForLoss()
    }
    let sent = try test.send("just now")
    try test.settle()
    #expect(try test.outbox().map(\.state) == [.waiting])
    #expect(try test.outbox().map(\.attempts) == [0])
    #expect(try test.messages().map(\.delivery?.state) == [.queued])
    test.radio.replug()
    try test.waitUntilLive(count: 2)
    #expect(test.radio.wait(for: 1).map(\.id) == [sent.packetID])
    try test.hear([])
    #expect(try test.outbox().map(\.attempts) == [1])
}
