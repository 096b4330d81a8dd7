import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// A person has decided to keep the known key of a node. Whoever announces ever new ones in its name asks nobody again; what
/// was announced is in the key's history, and can still be accepted.
@Suite struct AKeptKeyStaysWhateverIsAnnounced {
    private func announce(_ byte: UInt8, id: PacketID) -> FromRadio {
        .packet(.heard(.nodeInfo, User(longName: "A", shortName: "al", publicKey: key(byte)).encoded(), id: id))
    }

    private func decide(_ decision: KeyDecision, _ test: TestGateway) throws -> Node {
        try test.gateway.decide(decision, of: alice, by: .cli, in: test.source).node
    }

    private func history(_ test: TestGateway) throws -> [Happening] {
        let source = try test.source
        return try test.store.read { try $0.keyHistory(of: alice, in: source) }.reversed()
    }

    private func kept() throws -> TestGateway {
        let test = try TestGateway()
        try test.hear(announce(1, id: 1), announce(2, id: 2))
        _ = try decide(.verify, test)
        try test.hear(announce(3, id: 3), announce(2, id: 4))
        return test
    }

    @Test func itIsInNoDoubt() throws {
        let test = try kept()
        let node = try #require(try test.node(alice))
        #expect(node.publicKey == key(1) && node.announcedKey == key(2))
        #expect(node.keyMismatch, "MeshMonitor's flag says that another key was seen")
        #expect(!node.isKeyInDoubt)
        let source = try test.source
        let (count, doubted, keyed) = try test.store.read { reader in
            (
                try reader.doubtedKeyCount(in: source), try reader.doubtedNodes(),
                try reader.keyedNodes(in: source).filter(\.isInDoubt)
            )
        }
        #expect(count == 0 && doubted.isEmpty && keyed.isEmpty)
        // What is written to it goes out under the known key at once.
        _ = try test.sendAndHand("it is you", to: .node(alice))
        #expect(test.radio.received.last?.publicKey == key(1))
    }

    @Test func whatIsAnnouncedIsALineOfItsHistory() throws {
        let test = try kept()
        #expect(
            try history(test).map(\.name) == ["key-changed", "key-verified", "key-announced", "key-announced"])
        let text = try #require(try history(test).last?.text)
        #expect(text.contains("mesh-gateway keys accept '\(alice.id)'"), "the way to decide again")
    }

    @Test func theOtherOneCanStillBeAccepted() throws {
        let test = try kept()
        let node = try decide(.accept, test)
        #expect(node.publicKey == key(2) && !node.isKeyInDoubt)
        // That key nobody has decided to keep: another one asks again.
        try test.hear(announce(5, id: 9))
        #expect(try test.node(alice)?.isKeyInDoubt == true)
        #expect(try history(test).last?.name == "key-changed")
    }

    /// There was no doubt that could end.
    @Test func heardUnderTheKnownOneThereIsNoNews() throws {
        let test = try kept()
        let before = try history(test).count
        let source = try test.source
        let watch = KeyWatch(alice, bringsKey: true, at: noon)
        try test.store.commit { writer in
            try watch.observing(writer, in: source) {
                try writer.updateNode(alice, in: source, at: noon) { $0.saw(key(1), .proven, at: noon) }
            }
        }
        #expect(try test.node(alice)?.announcedKey == nil)
        #expect(try history(test).count == before)
    }
}
