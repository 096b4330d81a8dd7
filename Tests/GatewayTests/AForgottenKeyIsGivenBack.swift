import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// SerialReference 14.13: the radio forgets nodes, and refuses to write to them. Our database does not.
@Suite struct AForgottenKeyIsGivenBack {
    private let user = User(id: alice.id, longName: "A", shortName: "al", publicKey: key(1), isUnmessagable: false)

    private func remember(favorite: Bool = false) -> FromRadio {
        .nodeInfo(NodeInfo(number: alice, user: user, isFavorite: favorite))
    }

    /// The packets to the radio, admin ones included, in a word each.
    private func words(_ packets: [MeshPacket]) -> [String] {
        packets.map { packet in
            guard let data = packet.decoded else { return "?" }
            return switch PacketContent(data) {
            case .admin(.addContact(let contact)): contact.user == user ? "contact" : "another contact"
            case .admin(.removeFavorite(alice)): "no favourite"
            case .admin(.removeNode(alice)): "forget"
            case .text(let text): text
            default: "?"
            }
        }
    }

    /// A radio that knew the node, and has been plugged in again without it.
    private func forgetful(favorite: Bool = false, _ change: (inout PeerRadio.Identity) -> Void = { _ in }) throws
        -> TestGateway
    {
        let test = try TestGateway()
        try test.hear(remember(favorite: favorite))
        test.radio.unplug()
        try test.waitForLoss()
        test.radio.replug(change)
        try test.waitUntilLive(count: 2)
        test.radio.keepAdminPackets()
        return test
    }

    @Test func beforeTheMessage() throws {
        let test = try forgetful()
        try test.send("one", to: .node(alice))
        #expect(words(test.radio.wait(for: 3)) == ["contact", "no favourite", "one"])
        // Once.
        try test.send("two", to: .node(alice))
        #expect(words(test.radio.wait(for: 4)).last == "two")
        // To nobody else.
        try test.send("three", to: .node(bob))
        try test.send("four")
        #expect(words(test.radio.wait(for: 6)).suffix(2) == ["three", "four"])
    }

    @Test func withItsMark() throws {
        let test = try forgetful(favorite: true)
        try test.send("one", to: .node(alice))
        #expect(words(test.radio.wait(for: 2)) == ["contact", "one"])
        try test.hear(remember(favorite: true))
        #expect(try test.node(alice)?.isFavorite == true)
    }

    @Test func alsoWhenItWasHeardAgainWithoutOne() throws {
        let test = try forgetful { $0.nodes = [NodeInfo(number: alice)] }
        try test.send("one", to: .node(alice))
        #expect(words(test.radio.wait(for: 3)) == ["contact", "no favourite", "one"])
    }

    @Test func notToARadioThatKnowsIt() throws {
        let test = try forgetful { [user] in $0.nodes = [NodeInfo(number: alice, user: user)] }
        try test.send("one", to: .node(alice))
        #expect(words(test.radio.wait(for: 1)) == ["one"])
    }

    @Test func norToOneThatHasHeardIt() throws {
        let test = try forgetful()
        try test.hear(.heard(.nodeInfo, user.encoded()))
        try test.send("one", to: .node(alice))
        #expect(words(test.radio.wait(for: 1)) == ["one"])
    }

    /// The radio's own word, by its queue or by a ROUTING packet; older firmware says PKI_FAILED.
    @Test(arguments: [(39, true), (39, false)] as [(UInt32, Bool)])
    func afterARefusal(_ error: UInt32, _ byQueue: Bool) throws {
        let test = try TestGateway()
        try test.hear(remember())
        test.radio.keepAdminPackets()
        test.radio.ignorePackets()
        let message = try test.sendAndHand("one", to: .node(alice))
        try test.hear(refusal(error, of: message.packetID, byQueue: byQueue))
        // The refusal comes a second time, by the other way.
        try test.hear(refusal(error, of: message.packetID, byQueue: !byQueue))
        for id in test.radio.wait(for: 3).dropFirst().map(\.id) {
            try test.hear(.queueStatus(QueueStatus(result: 0, free: 16, capacity: 16, packetID: id)))
        }
        let packets = test.radio.wait(for: 4)
        #expect(words(packets) == ["one", "contact", "no favourite", "one"])
        let again = try #require(packets.last)
        #expect(again.id != message.packetID && again.publicKey == key(1))
        #expect(try test.node(alice)?.keyMismatch == false, "nobody's key was wrong")
        #expect(try test.delivery(of: message)?.state != .failed)
        // It does not help for ever.
        try test.hear(refusal(error, of: again.id, byQueue: true))
        #expect(try test.delivery(of: message)?.state == .failed)
        #expect(try test.delivery(of: message)?.error?.rawValue == error)
        #expect(try test.node(alice)?.keyMismatch == false, "a radio without a key says nothing against it")
        #expect(try test.outbox().isEmpty)
    }

    /// A text that was accepted while the radio was away, which has forgotten the key meanwhile. PKI_FAILED is its word
    /// for that, too.
    @Test func afterARefusalByOlderFirmware() throws {
        let test = try TestGateway()
        try test.hear(remember())
        test.radio.unplug()
        try test.waitForLoss()
        let text = OutgoingText(parts: ["one"], destination: .node(alice), waits: true)
        let message = try test.gateway.send(text, by: .cli, to: test.source)[0]
        test.radio.ignorePackets()
        test.radio.replug()
        #expect(words(test.radio.wait(for: 1)) == ["one"])
        try test.waitUntilLive(count: 2)
        test.radio.keepAdminPackets()
        try test.hear(refusal(34, of: message.packetID, byQueue: true))
        for id in test.radio.wait(for: 3).dropFirst().map(\.id) {
            try test.hear(.queueStatus(QueueStatus(result: 0, free: 16, capacity: 16, packetID: id)))
        }
        let packets = test.radio.wait(for: 4)
        #expect(words(packets) == ["one", "contact", "no favourite", "one"])
        #expect(try test.delivery(of: message)?.state != .failed)
        // It has the key now.
        try test.hear(.queueStatus(QueueStatus(result: 0, free: 16, capacity: 16, packetID: packets[3].id)))
        try test.send("two", to: .node(alice))
        #expect(words(test.radio.wait(for: 5)).last == "two")
    }

    @Test func aNodeThatNeverHadAKeyFailsAtOnce() throws {
        let test = try TestGateway()
        test.radio.ignorePackets()
        let message = try test.sendAndHand("one", to: .node(alice))
        try test.hear(refusal(39, of: message.packetID, byQueue: true))
        #expect(try test.delivery(of: message)?.state == .failed)
        #expect(try test.outbox().isEmpty)
    }

    @Test func anotherKeyInTheRadioIsNoForgetting() throws {
        let test = try TestGateway()
        try test.hear(remember())
        test.radio.ignorePackets()
        let message = try test.sendAndHand("one", to: .node(alice))
        try test.hear(refusal(34, of: message.packetID, byQueue: true))
        #expect(try test.delivery(of: message)?.state == .failed)
        #expect(try test.outbox().isEmpty)
    }

    private func refusal(_ error: UInt32, of id: PacketID, byQueue: Bool) -> FromRadio {
        byQueue
            ? .queueStatus(QueueStatus(result: Int32(error), free: 16, capacity: 16, packetID: id))
            : .packet(.report(RoutingError(rawValue: error), on: id, from: own))
    }
}
