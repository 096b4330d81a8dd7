import MeshModel
import MeshProtocol
import Testing

@testable import Gateway

/// SerialReference 5.6 and 14.22: firmware 2.8 makes the number from the key, and sends no MAC address.
@Suite struct ANodeComesBackUnderAnotherNumber {
    private static let shared = PublicKey((1...32).map { UInt8($0) })!
    private let shared = Self.shared
    private let upgraded = Self.shared.nodeNumber
    private let minute: Int64 = 60_000

    private func introduce(_ node: NodeNumber, id: PacketID) -> FromRadio {
        .packet(.heard(.nodeInfo, User(longName: "A", shortName: "A", publicKey: shared).encoded(), from: node, id: id))
    }

    private func remember(_ node: NodeNumber, lastHeard: UInt32) -> FromRadio {
        .nodeInfo(NodeInfo(number: node, user: User(longName: "A", publicKey: shared), lastHeard: lastHeard))
    }

    private func says(_ node: NodeNumber, at time: Int64, id: PacketID, _ test: TestGateway) throws {
        test.setTime(time)
        try test.hear(.text("hello", from: node, id: id) { packet, _ in packet.rxTime = nil })
    }

    /// Alice, and then the same under a new number.
    private func returned() throws -> TestGateway {
        let test = try TestGateway()
        try test.hear(introduce(alice, id: 1))
        test.setTime(noon + minute)
        try test.hear(introduce(upgraded, id: 2))
        return test
    }

    @Test func theTwoAreLinkedAndNobodyIsSuspected() throws {
        let test = try returned()
        let (old, new) = (try #require(try test.node(alice)), try #require(try test.node(upgraded)))
        #expect(old.successor == upgraded && old.predecessor == nil)
        #expect(new.predecessor == alice && new.successor == nil)
        for node in [old, new] {
            #expect(!node.isKeyDuplicate && !node.keyMismatch && node.publicKey == shared)
            #expect(node.sameKeySince == noon + minute)
        }
        #expect(old.longName == "A", "what was known of it stays")
    }

    @Test func messagesGoWhereItIsNow() throws {
        let test = try returned()
        let message = try test.sendAndHand("still you?", to: .node(alice))
        #expect(message.to == upgraded)
        #expect(test.radio.received.last?.to == upgraded && test.radio.received.last?.publicKey == shared)
    }

    @Test func aNumberThatOnlyClaimsTheKeyGetsNothing() throws {
        let test = try TestGateway()
        try test.hear(introduce(alice, id: 1))
        test.setTime(noon + minute)
        try test.hear(introduce(bob, id: 2))
        #expect(try test.node(alice)?.successor == bob)
        #expect(try test.send("to alice", to: .node(alice)).to == alice)
        // It can encrypt with the key: then it owns it.
        try test.hear(
            .text("it is me", from: bob, to: own, id: 3) { packet, _ in
                (packet.pkiEncrypted, packet.publicKey) = (true, Self.shared)
            })
        #expect(try test.send("to alice", to: .node(alice)).to == bob)
    }

    @Test func bothHeardAreTwo() throws {
        let test = try returned()
        // Over relays an old packet may still be under way.
        try says(alice, at: noon + 10 * minute, id: 3, test)
        #expect(try test.node(alice)?.isKeyDuplicate == false)
        try says(upgraded, at: noon + 20 * minute, id: 4, test)
        #expect(try test.node(upgraded)?.isKeyDuplicate == false)
        try says(alice, at: noon + 30 * minute, id: 5, test)
        for number in [alice, upgraded] {
            let node = try #require(try test.node(number))
            #expect(node.isKeyDuplicate && node.twin != nil)
        }
        #expect(try test.send("which?", to: .node(alice)).to == alice)
        // One of them falls silent.
        try says(upgraded, at: noon + 3 * 60 * minute, id: 6, test)
        for number in [alice, upgraded] { #expect(try test.node(number)?.isKeyDuplicate == false) }
    }

    @Test func theOldNumberAloneIsTheNodeAgain() throws {
        let test = try returned()
        try says(alice, at: noon + 3 * 60 * minute, id: 3, test)
        #expect(try test.node(alice)?.successor == nil)
        #expect(try test.node(alice)?.predecessor == upgraded)
        #expect(try test.node(upgraded)?.successor == alice)
        #expect(try test.node(upgraded)?.isKeyDuplicate == false)
        #expect(try test.send("back again?", to: .node(alice)).to == alice)
    }

    @Test func ofTwoThatTheRadioRemembersTheLaterIsTheNode() throws {
        for order in [[0, 1], [1, 0]] {
            let test = try TestGateway()
            let infos = [
                remember(alice, lastHeard: noonSeconds - 7200), remember(bob, lastHeard: noonSeconds - 60),
            ]
            for index in order { try test.hear(infos[index]) }
            #expect(try test.node(alice)?.successor == bob)
            #expect(try test.node(bob)?.predecessor == alice)
            #expect(try test.node(bob)?.successor == nil)
        }
    }

    @Test func ofTwoWithoutATimeTheOneWithTheNumberOfItsKey() throws {
        for order in [[0, 1], [1, 0]] {
            let test = try TestGateway()
            let infos = [remember(alice, lastHeard: 0), remember(upgraded, lastHeard: 0)]
            for index in order { try test.hear(infos[index]) }
            #expect(try test.node(alice)?.successor == upgraded)
            #expect(try test.node(upgraded)?.successor == nil)
        }
    }

    @Test func anotherKeyEndsIt() throws {
        let test = try returned()
        try test.hear(.packet(.heard(.nodeInfo, User(longName: "A", publicKey: key(9)).encoded(), from: alice, id: 3)))
        _ = try test.gateway.decide(.accept, of: alice, by: .cli, in: test.source)
        for number in [alice, upgraded] {
            let node = try #require(try test.node(number))
            #expect(node.twin == nil && node.sameKeySince == nil)
        }
    }

    @Test func itIsTold() throws {
        let test = try returned()
        let new = try #require(try test.node(upgraded))
        #expect(KeyEvent.between(nil, KeyEvent.State(new)) == [.renumbered(from: alice, to: upgraded)])
        var duplicate = new
        duplicate.isKeyDuplicate = true
        #expect(KeyEvent.between(KeyEvent.State(new), KeyEvent.State(duplicate)) == [.duplicate(upgraded, alice)])
        #expect(KeyEvent.between(KeyEvent.State(duplicate), KeyEvent.State(duplicate)) == [])
    }
}
