import MeshModel
import Store
import Synchronization
import Testing

@testable import Gateway

/// It is also the nonce of the encryption: two texts under one id can be read by whoever compares them.
@Test func aPacketIDIsNeverUsedTwice() throws {
    let test = try TestGateway()
    let drawn = Mutex<[UInt32]>([0, 7, 7, 8, 0, 7, 8, 9])
    try test.store.commit { $0.random = { drawn.withLock { $0.removeFirst() } } }
    let parts = OutgoingText(parts: ["one", "two"], destination: .channel(0))
    #expect(try test.gateway.send(parts, by: .cli, to: test.source).map(\.packetID) == [7, 8])
    // Also not those of messages that are there.
    #expect(try test.send("three").packetID == 9)
    #expect(drawn.withLock { $0.isEmpty })
    try test.store.commit { $0.random = { .random(in: 1 ... .max) } }
}
