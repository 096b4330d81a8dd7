import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct APersonDecidesAboutAKey {
    private func remember(_ byte: UInt8, favorite: Bool = false) -> FromRadio {
        .nodeInfo(
            NodeInfo(
                number: alice, user: User(longName: "A", shortName: "al", publicKey: key(byte)), isFavorite: favorite))
    }

    private func announce(_ byte: UInt8) -> FromRadio {
        .packet(.heard(.nodeInfo, User(longName: "A", shortName: "al", publicKey: key(byte)).encoded()))
    }

    private func decide(_ decision: KeyDecision, _ test: TestGateway) throws -> Node {
        try test.gateway.decide(decision, of: alice, by: .cli, in: test.source).node
    }

    /// What the radio is told, each packet to itself and with an answer wanted.
    private func words(_ test: TestGateway, _ count: Int) -> [AdminMessage] {
        let packets = test.radio.wait(for: count).filter { $0.decoded?.port == .admin }
        #expect(packets.allSatisfy { $0.from == own && $0.to == own && $0.decoded?.wantResponse == true })
        return packets.compactMap { packet in
            guard let data = packet.decoded, case .admin(let word) = PacketContent(data) else { return nil }
            return word
        }
    }

    private func contact(_ byte: UInt8, verified: Bool = false) -> AdminMessage {
        .addContact(
            SharedContact(
                number: alice,
                user: User(
                    id: alice.id, longName: "A", shortName: "al", publicKey: key(byte), isUnmessagable: false),
                isManuallyVerified: verified))
    }

    @Test func theOtherKeyIsAcceptedAndTheRadioIsTold() throws {
        let test = try TestGateway()
        try test.hear(remember(1), announce(2))
        test.radio.keepAdminPackets()
        let node = try decide(.accept, test)
        #expect(node.publicKey == key(2) && node.announcedKey == nil && !node.keyMismatch)
        #expect(try test.node(alice) == node)
        // The radio keeps the first key that it saw, so that it has to forget the node before.
        #expect(words(test, 3) == [.removeNode(alice), contact(2), .removeFavorite(alice)])
        _ = try test.sendAndHand("hello again", to: .node(alice))
        #expect(test.radio.received.last?.publicKey == key(2))
        // The radio's memory of the time before it is told is an announcement like any other.
        try test.hear(remember(1))
        #expect(try test.node(alice)?.announcedKey == key(1))
    }

    @Test func aFavouriteStaysOne() throws {
        let test = try TestGateway()
        try test.hear(remember(1, favorite: true), announce(2))
        test.radio.keepAdminPackets()
        _ = try decide(.accept, test)
        #expect(words(test, 2) == [.removeNode(alice), contact(2)])
        // It is one in the radio as well, by add_contact.
        try test.hear(remember(2, favorite: true))
        #expect(try test.node(alice)?.isFavorite == true)
    }

    @Test func aRadioThatHasItNeedNotBeTold() throws {
        let test = try TestGateway()
        try test.hear(announce(1), remember(2))
        test.radio.keepAdminPackets()
        #expect(try decide(.accept, test).publicKey == key(2))
        #expect(try test.outbox().isEmpty)
    }

    @Test func theKnownKeyWasComparedInPerson() throws {
        let test = try TestGateway()
        try test.hear(remember(1), announce(2))
        test.radio.keepAdminPackets()
        let node = try decide(.verify, test)
        #expect(node.publicKey == key(1) && node.announcedKey == nil && node.isKeyManuallyVerified)
        #expect(words(test, 2) == [contact(1, verified: true), .removeFavorite(alice)])
        // The radio need not have understood; and the word is about this key only.
        try test.hear(remember(1))
        #expect(try test.node(alice)?.isKeyManuallyVerified == true)
        try test.hear(announce(2))
        #expect(try !decide(.accept, test).isKeyManuallyVerified)
    }

    @Test func withoutARadioItWaits() throws {
        let test = try TestGateway()
        try test.hear(remember(1), announce(2))
        test.radio.unplug()
        try test.waitForLoss()
        _ = try decide(.accept, test)
        #expect(try test.outbox().map(\.kind) == ["contact", "contact", "contact"])
        test.radio.keepAdminPackets()
        test.radio.replug()
        try test.waitUntilLive(count: 2)
        #expect(words(test, 3) == [.removeNode(alice), contact(2), .removeFavorite(alice)])
    }

    @Test func whereThereIsNothingToDecideItIsRefused() throws {
        let test = try TestGateway()
        #expect(throws: KeyRefusal.noSuchNode) { try decide(.accept, test) }
        try test.hear(.text("who am I"))
        #expect(throws: KeyRefusal.nothingToAccept) { try decide(.accept, test) }
        #expect(throws: KeyRefusal.noKey) { try decide(.verify, test) }
        try test.hear(announce(1))
        #expect(throws: KeyRefusal.nothingToAccept) { try decide(.accept, test) }
        #expect(try test.outbox().isEmpty)
    }
}
