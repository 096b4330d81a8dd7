import MeshModel
import Testing

@testable import Store

/// Who has seen the message asks for what has changed since.
@Test func anAttemptChangesItsMessage() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { _ = try $0.insertMessage(.own("mine", to: bob, id: 9), in: source) }
    let message = try #require(try store.read { try $0.message(packetID: 9, from: alice, in: source) })
    let revision = store.revision(.messages)
    try store.commit { try $0.insertAttempt(10, of: message, in: source, at: noon + 1) }
    #expect(store.revision(.messages) > revision)
    #expect(try store.read { try $0.attempts(of: message, in: source) } == [Attempt(packetID: 10, at: noon + 1)])
    #expect(try store.commit { try $0.firstPacketID(of: 10, in: source) } == 9)
    #expect(try store.commit { try $0.isUsed(10, from: alice, in: source) })
    #expect(try !store.commit { try $0.isUsed(11, from: alice, in: source) })

    // Of what is gone there is none.
    var stranger = message
    stranger.id = "11"
    let other = stranger
    try store.commit { try $0.insertAttempt(12, of: other, in: source, at: noon + 2) }
    #expect(try store.read { try $0.attempts(of: other, in: source) }.isEmpty)
    #expect(try store.commit { try $0.attempts(of: other, in: source) }.isEmpty)
    #expect(try store.commit { try $0.firstPacketID(of: 12, in: source) } == 12)
}
