import MeshModel
import Testing

@testable import Store

@Test func aDeliveryIsUpdatedByPacketID() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        _ = try writer.insertMessage(.own("mine", to: bob, id: 9), in: source)
        // Somebody else's packet with the same id must not take the acknowledgement.
        _ = try writer.insertMessage(.received("theirs", from: bob, id: 9, at: noon + 1), in: source)
    }
    let updated = try store.commit { writer in
        try writer.updateMessage(packetID: 9, in: source, at: noon + 500) { message in
            message.delivery?.state = .confirmed
            message.delivery?.ackFrom = bob
            message.rxSNR = 6.5
            message.relayNode = 0x12
        }
    }
    #expect(updated?.text == "mine")
    let stored = try store.read { try $0.message(packetID: 9, from: alice, in: source) }
    #expect(stored == updated)
    #expect(stored?.delivery == Delivery(state: .confirmed, ackFrom: bob))
    #expect(stored?.timestamp == noon)
    #expect(stored?.updatedAt == noon + 500)
    #expect(try store.read { try $0.message(packetID: 9, from: bob, in: source)?.delivery } == nil)
}

@Test func anUpdateThatChangesNothingIsNone() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { _ = try $0.insertMessage(.own("mine", id: 9), in: source) }
    let revision = store.revision(.messages)
    let same = try store.commit { try $0.updateMessage(packetID: 9, in: source, at: noon + 5) { _ in } }
    #expect(same?.updatedAt == noon)
    #expect(try store.commit { try $0.updateMessage(packetID: 10, in: source, at: noon) { _ in } } == nil)
    #expect(store.revision(.messages) == revision)
}
