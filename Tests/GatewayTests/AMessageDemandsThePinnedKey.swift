import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// SerialReference 5.2: with a key in the packet the radio refuses to encrypt with another one.
@Suite struct AMessageDemandsThePinnedKey {
    private func remember(_ byte: UInt8, verified: Bool = false) -> FromRadio {
        .nodeInfo(
            NodeInfo(
                number: alice, user: User(longName: "A", publicKey: key(byte)), isKeyManuallyVerified: verified))
    }

    @Test func whateverTheRadioHas() throws {
        let test = try TestGateway()
        try test.hear(remember(1))
        #expect(try test.sendAndHand("one", to: .node(alice)).pkiEncrypted)
        let packet = try #require(test.radio.received.first)
        #expect(packet.pkiEncrypted && packet.publicKey == key(1))
        // Nobody's, and everybody's.
        _ = try test.sendAndHand("two", to: .node(bob))
        _ = try test.sendAndHand("three", to: .channel(0))
        #expect(test.radio.received.dropFirst().allSatisfy { !$0.pkiEncrypted && $0.publicKey == nil })
    }

    @Test func afterAFailureToo() throws {
        let test = try TestGateway()
        try test.hear(remember(1))
        let message = try test.sendAndHand("one", to: .node(alice))
        try test.hear(.report(.pkiFailed, on: message.packetID, from: own))
        #expect(try test.node(alice)?.keyMismatch == true)
        #expect(try test.sendAndHand("two", to: .node(alice)).pkiEncrypted)
        #expect(test.radio.received.last?.publicKey == key(1), "it fails again rather than go to somebody else")
    }

    @Test func inDoubtItIsRefused() throws {
        let test = try TestGateway()
        try test.hear(remember(1), remember(2))
        #expect(throws: SendRefusal.keyInDoubt(alice)) { try test.send("one", to: .node(alice)) }
        #expect(try test.messages().isEmpty && test.outbox().isEmpty)
        // All others are reached.
        _ = try test.sendAndHand("two", to: .node(bob))
        _ = try test.sendAndHand("three", to: .channel(0))
    }

    @Test func orSentUnderTheKnownKey() throws {
        let test = try TestGateway(keyChange: .send)
        try test.hear(remember(1), remember(2))
        _ = try test.sendAndHand("one", to: .node(alice))
        #expect(test.radio.received.first?.publicKey == key(1))
    }

    @Test func theRuleMayChangeMeanwhile() throws {
        let test = try TestGateway()
        try test.hear(remember(1), remember(2))
        #expect(throws: SendRefusal.keyInDoubt(alice)) { try test.send("one", to: .node(alice)) }
        test.gateway.apply(.send)
        _ = try test.sendAndHand("two", to: .node(alice))
        #expect(test.radio.received.first?.publicKey == key(1))
    }

    @Test func aKeyThatWasComparedInPersonIsBeyondDoubt() throws {
        let test = try TestGateway()
        try test.hear(remember(1, verified: true))
        try test.hear(.packet(.heard(.nodeInfo, User(longName: "A", publicKey: key(2)).encoded())))
        #expect(try test.node(alice)?.announcedKey == key(2))
        _ = try test.sendAndHand("one", to: .node(alice))
        #expect(test.radio.received.first?.publicKey == key(1))
    }
}
