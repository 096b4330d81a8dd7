import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// SerialReference 5.4: anybody can announce a key for anybody.
@Suite struct TheFirstKeyIsPinned {
    private func announce(_ byte: UInt8, id: PacketID) -> FromRadio {
        .packet(.heard(.nodeInfo, User(longName: "A", shortName: "A", publicKey: key(byte)).encoded(), id: id))
    }

    private func remember(_ byte: UInt8) -> FromRadio {
        .nodeInfo(NodeInfo(number: alice, user: User(longName: "A", publicKey: key(byte))))
    }

    private func prove(_ byte: UInt8, id: PacketID) -> FromRadio {
        .packet(
            .text("psst", to: own, id: id) { packet, _ in
                packet.pkiEncrypted = true
                packet.publicKey = key(byte)
            })
    }

    @Test func whereverItWasSeen() throws {
        for first in [announce(1, id: 1), remember(1), prove(1, id: 1)] {
            let test = try TestGateway()
            try test.hear(first)
            var node = try #require(try test.node(alice))
            #expect(node.publicKey == key(1) && node.announcedKey == nil && !node.keyMismatch)
            for (offset, other) in [announce(2, id: 2), remember(3), prove(4, id: 3)].enumerated() {
                test.setTime(noon + 1000 * Int64(offset + 1))
                try test.hear(other)
                node = try #require(try test.node(alice))
                #expect(node.publicKey == key(1))
                #expect(node.announcedKey == key(UInt8(offset + 2)) && node.keyMismatch && node.isKeyInDoubt)
                #expect(node.keyDoubtedAt == noon + 1000 * Int64(offset + 1))
            }
        }
    }

    @Test func theSameAnnouncementAgainIsNoNews() throws {
        let test = try TestGateway()
        try test.hear(announce(1, id: 1), announce(2, id: 2))
        test.setTime(noon + 60_000)
        try test.hear(announce(2, id: 3), announce(1, id: 4), remember(1))
        let node = try #require(try test.node(alice))
        #expect(node.announcedKey == key(2) && node.keyDoubtedAt == noon, "who repeats either key proves nothing")
    }

    @Test func heardUnderItTheDoubtEnds() throws {
        let test = try TestGateway()
        try test.hear(announce(1, id: 1), announce(2, id: 2), prove(1, id: 3))
        let node = try #require(try test.node(alice))
        #expect(node.publicKey == key(1) && node.announcedKey == nil && !node.keyMismatch && node.keyDoubtedAt == nil)
    }

    @Test func theRadioKnowsItsOwnKeyBest() throws {
        let test = try TestGateway()
        for byte in [1, 2] as [UInt8] {
            try test.hear(.nodeInfo(NodeInfo(number: own, user: User(longName: "O", publicKey: key(byte)))))
        }
        let node = try #require(try test.node(own))
        #expect(node.publicKey == key(2) && node.announcedKey == nil && !node.keyMismatch)
    }

    @Test func emptyOnesAreNone() throws {
        let test = try TestGateway()
        // User { long_name 2, public_key 8 } with 32 zero bytes, and with 31 others.
        for (id, bytes) in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 7, count: 31)].enumerated() {
            let user: [UInt8] = [0x12, 1, 65, 0x42, UInt8(bytes.count)] + bytes
            try test.hear(.heard(.nodeInfo, user, id: PacketID(id + 1)))
            #expect(try test.node(alice)?.longName == "A")
            #expect(try test.node(alice)?.publicKey == nil)
        }
        try test.hear(announce(1, id: 3))
        #expect(try test.node(alice)?.keyMismatch == false)
    }

    @Test func whatIsSaidAboutItIsSaidOnce() {
        var before = Node(number: alice, createdAt: noon)
        before.saw(key(1), .announced, at: noon)
        #expect(KeyEvent.between(nil, KeyEvent.State(before)) == [])
        var after = before
        after.saw(key(2), .announced, at: noon)
        #expect(KeyEvent.between(KeyEvent.State(before), KeyEvent.State(after)) == [.changed(alice)])
        #expect(KeyEvent.between(KeyEvent.State(after), KeyEvent.State(after)) == [])
        var restored = after
        restored.saw(key(1), .proven, at: noon)
        #expect(KeyEvent.between(KeyEvent.State(after), KeyEvent.State(restored)) == [.restored(alice)])
    }

    /// Numbers and keys of firmware 2.8 are in the recordings; this is the algorithm's own check.
    @Test func firmwareMakesTheNumberFromIt() throws {
        #expect(PublicKey((0...31).map { UInt8($0) })?.nodeNumber == NodeNumber(0x9126_7E8A))
        #expect(key(0xFF).nodeNumber == NodeNumber(0xFF6C_AB0B))
    }

    @Test func fewDifferentBytesMakeAWeakOne() throws {
        #expect(key(1).isLowEntropy)
        #expect(try #require(PublicKey((0..<32).map { UInt8($0 % 8) })).isLowEntropy)
        #expect(try !#require(PublicKey((0..<32).map { UInt8($0 % 9) })).isLowEntropy)
    }
}
