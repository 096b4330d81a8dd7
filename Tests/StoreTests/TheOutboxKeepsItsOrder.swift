import MeshModel
import Testing

@testable import Store

@Test func theOutboxKeepsItsOrderOverARestart() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    for id in [30, 10, 20] as [PacketID] {
        let packet = MeshPacket(from: alice, to: bob, id: id, payload: .none)
        let item = OutboxItem(
            packet: packet, messageID: "m\(id)", kind: "text", notBefore: 5, expiresAt: noon + day,
            hold: .unheard, resends: 3, createdAt: noon)
        try store.commit { try $0.insertOutbox(item, in: source) }
    }
    try store.commit { writer in
        try writer.updateOutbox(packetID: 10, in: source) { item in
            item.state = .handed
            item.attempts = 2
            item.notBefore = noon + 9
            item.expiresAt = nil
            item.hold = .keyInDoubt
            item.handedAt = noon + 1
            item.handedClock = .max
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
    #expect(items.map(\.hold) == [.keyInDoubt, .unheard])
    #expect(items.map(\.handedAt) == [noon + 1, nil])
    #expect(items.map(\.handedClock) == [.max, nil])
    #expect(items.map(\.resends) == [3, 3])
    #expect(try again.commit { try $0.outbox(in: source) } == items)
}
