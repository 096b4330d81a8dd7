import MeshModel
import Testing

@testable import Store

/// The same packet comes again: from a radio that restarted, or repeated by a store-and-forward server days later.
@Test func aMessageIsStoredOnce() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let insert = { (message: Message) in try store.commit { try $0.insertMessage(message, in: source) } }
    #expect(try insert(.received("hello", id: 7, at: noon)))
    #expect(try !insert(.received("hello", id: 7, at: noon + 3 * day)))
    // An id lives for minutes only, but not so short.
    #expect(try !insert(.received("other", id: 7, at: noon + hour - 1)))
    // Another sender's packet with the same id is another packet.
    #expect(try insert(.received("hello", from: bob, id: 7, at: noon)))
    #expect(try store.read { try $0.messages(.init(source: source)).count } == 2)
}

@Test func aPacketIDThatIsUsedAgainIsANewMessageUnderADistinctID() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    for (text, time) in [("first", noon), ("second", noon + 2 * hour), ("third", noon + 4 * hour)] {
        #expect(try store.commit { try $0.insertMessage(.received(text, id: 7, at: time), in: source) })
    }
    let messages = try store.read { try $0.messages(.init(source: source)) }
    #expect(messages.map(\.text) == ["third", "second", "first"])
    #expect(Set(messages.map(\.id)).count == 3)
    #expect(messages.allSatisfy { $0.id.hasSuffix("_7") })
    let sender = "\(Source.example.uuid)_\(alice.rawValue)"
    #expect(messages.map(\.id) == ["\(sender)-3_7", "\(sender)-2_7", "\(sender)_7"])
    // Each is found under its own id, the newest under the short ones.
    for message in messages {
        #expect(try store.read { try $0.message(id: message.id, in: source) } == message)
    }
    for short in ["7", "\(alice.rawValue)_7"] {
        #expect(try store.read { try $0.message(id: short, in: source)?.text } == "third")
    }
    let near = ["-0", "-1", "-4", "-02", "-2-2", "-", "_2"].map { "\(sender)\($0)_7" }
    for wrong in near + ["", "_7", "8", "+7", "\(bob.rawValue)_7", "x_\(alice.rawValue)_7", "7_", "99999999999"] {
        #expect(try store.read { try $0.message(id: wrong, in: source) } == nil, "\(wrong)")
    }
}

@Test func everyFieldOfAMessageSurvives() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let message = Message(
        id: "\(Source.example.uuid)_4294967294_4294967295", from: NodeNumber(0xFFFF_FFFE), to: bob,
        text: "tab\tline\nÄ🙂", channel: -1, port: .alert, packetID: .max, isOwn: true, timestamp: noon,
        rxTime: noon - 5, hopStart: 7, hopLimit: 3, relayNode: 0xFF, replyID: 0xFFFF_FFFF, isTapback: true,
        viaMQTT: false, viaStoreForward: true, xeddsaSigned: true, rxSNR: -7.25, rxRSSI: -120, pkiEncrypted: true,
        spoofSuspected: true,
        delivery: Delivery(state: .failed, error: .maxRetransmit, ackFrom: bob), createdAt: noon + 1,
        updatedAt: noon + 2)
    try store.commit { _ = try $0.insertMessage(message, in: source) }
    #expect(try store.read { try $0.messages(.init(source: source)) } == [message])
    let plain = Message(
        id: "\(Source.example.uuid)_1_2", from: NodeNumber(1), to: .broadcast, text: "", channel: 0, packetID: 2,
        timestamp: 0, createdAt: 0, updatedAt: 0)
    try store.commit { _ = try $0.insertMessage(plain, in: source) }
    #expect(try store.read { try $0.message(packetID: 2, from: nil, in: source) } == plain)
}
