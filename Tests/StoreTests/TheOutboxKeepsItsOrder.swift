import MeshModel
import Testing

@testable import Store

@Test func theOutboxKeepsItsOrderOverARestart() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    for id in [30, 10, 20] as [PacketID] {
        let packet = MeshPacket(from: alice, to: bob, id: id, payload: .none)
        let item = OutboxItem(
            packet: packet, messageID: "m\(id)", kind: "text", notBefore: 5, expiresAt: noon + day, createdAt: noon)
        try store.commit { try $0.insertOutbox(item, in: source) }
    }
    try store.commit { writer in
        try writer.updateOutbox(packetID: 10, in: source) { item in
            item.state = .handed
            item.attempts = 2
            item.notBefore = noon + 9
            item.expiresAt = nil
        }
        try writer.removeOutbox(packetID: 30, in: source)
        try writer.removeOutbox(packetID: 99, in: source)
    }
    store.close()
    let again = try Store(path: folder.database)
    let items = try again.read { try $0.outbox(in: source) }
    #expect(items.map(\.packetID) == [10, 20])
    #expect(items.map(\.messageID) == ["m10", "m20"])
    #expect(items[0].state == .handed)
    #expect(items[0].attempts == 2)
    #expect(items[0].notBefore == noon + 9)
    #expect(items[0].expiresAt == nil)
    #expect(items[1].expiresAt == noon + day)
    #expect(try again.commit { try $0.outbox(in: source) } == items)
}

@Test func anItemMayBeSentOnceItIsDueAndBeforeItExpires() {
    let packet = MeshPacket(from: alice, to: bob, id: 1, payload: .none)
    var item = OutboxItem(packet: packet, notBefore: 10, expiresAt: 20, createdAt: 0)
    #expect([9, 10, 19, 20].map { item.mayBeSent(at: $0) } == [false, true, true, false])
    // Written, but nobody knows whether the radio took it.
    item.state = .handed
    #expect(item.mayBeSent(at: 10))
    item.state = .accepted
    #expect(!item.mayBeSent(at: 10))
}
