import MeshModel
import MeshProtocol
import Testing

/// Serial reference 5.4: anybody can announce a key for anybody.
@Suite struct TheFirstKeyIsPinned {
    private func announce(_ byte: UInt8, id: PacketID) -> FromRadio {
        .packet(.heard(.nodeInfo, User(longName: "A", shortName: "A", publicKey: key(byte)).encoded(), id: id))
    }

    @Test func anotherOneIsReportedAndNotBelieved() throws {
        let test = try TestGateway()
        try test.hear(announce(1, id: 1))
        #expect(try test.node(alice)?.keyMismatch == false)
        try test.hear(announce(2, id: 2))
        #expect(try test.node(alice)?.publicKey == key(1))
        #expect(try test.node(alice)?.keyMismatch == true)
    }

    @Test func theRadiosOwnMemoryWins() throws {
        let test = try TestGateway()
        try test.hear(announce(1, id: 1), announce(2, id: 2))
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: User(longName: "A", publicKey: key(2)))))
        #expect(try test.node(alice)?.publicKey == key(2))
        #expect(try test.node(alice)?.keyMismatch == false)
    }

    @Test func aDoubtfulKeyIsNotDemanded() throws {
        let test = try TestGateway()
        try test.hear(announce(1, id: 1))
        #expect(try test.sendAndHand("one", to: .node(alice)).pkiEncrypted)
        try test.hear(announce(2, id: 2))
        #expect(try !test.sendAndHand("two", to: .node(alice)).pkiEncrypted)
        #expect(test.radio.received.map(\.pkiEncrypted) == [true, false])
    }
}
