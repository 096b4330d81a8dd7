import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// The radio's memory of nodes must not undo what was decided here before it has learnt it, and what is decided at the
/// radio counts here.
@Suite struct AFavouriteReachesTheRadio {
    private func info(favorite: Bool = false, ignored: Bool = false) -> FromRadio {
        .nodeInfo(NodeInfo(number: alice, isFavorite: favorite, isIgnored: ignored))
    }

    private func set(_ mark: NodeMark, _ isSet: Bool, _ test: TestGateway, onRadio: Bool = true) throws {
        #expect(try test.gateway.set(mark, isSet, of: alice, in: test.source, onRadio: onRadio))
    }

    private func words(_ packets: [MeshPacket]) -> [PacketContent] {
        packets.compactMap { $0.decoded }.map { PacketContent($0) }
    }

    @Test func asAnAdminPacketToItself() throws {
        let test = try TestGateway()
        try test.hear(info())
        test.radio.keepAdminPackets()
        try set(.favorite, true, test)
        #expect(try test.node(alice)?.isFavorite == true)
        try set(.ignored, true, test)
        // What has not been sent yet, its opposite would take back.
        _ = test.radio.wait(for: 2)
        try set(.favorite, false, test)
        try set(.ignored, false, test)
        let packets = test.radio.wait(for: 4)
        #expect(
            words(packets) == [
                .admin(.setFavorite(alice)), .admin(.setIgnored(alice)), .admin(.removeFavorite(alice)),
                .admin(.removeIgnored(alice)),
            ])
        #expect(packets.allSatisfy { $0.from == own && $0.to == own && $0.decoded?.wantResponse == true })
        try test.hear([])
        #expect(try test.outbox().isEmpty)
        #expect(try test.messages().isEmpty)
    }

    @Test func itsOldMemoryDoesNotUndoIt() throws {
        let test = try TestGateway()
        try test.hear(info())
        try set(.favorite, true, test, onRadio: false)
        try set(.ignored, true, test, onRadio: false)
        try test.hear(info())
        #expect(try test.node(alice)?.isFavorite == true)
        #expect(try test.node(alice)?.isIgnored == true)
        #expect(try test.outbox().isEmpty)
        // It has learnt it, and then somebody changes it there.
        try test.hear(info(favorite: true, ignored: true))
        try test.hear(info(ignored: true))
        #expect(try test.node(alice)?.isFavorite == false)
        #expect(try test.node(alice)?.isIgnored == true)
    }

    @Test func whatItHasForgottenNobodyHasDecided() throws {
        let test = try TestGateway()
        let user = User(longName: "A", publicKey: key(1))
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: user, isFavorite: true, isIgnored: true)))
        // Evicted, and then only heard.
        try test.hear(info())
        #expect(try test.node(alice)?.isFavorite == true)
        #expect(try test.node(alice)?.isIgnored == true)
        // It knows the node again; then somebody marks it, and takes that back.
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: user)))
        #expect(try test.node(alice)?.isFavorite == true)
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: user, isFavorite: true)))
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: user)))
        #expect(try test.node(alice)?.isFavorite == false)
    }

    @Test func whileItIsAwayOnlyTheLastWordWaits() throws {
        let test = try TestGateway()
        try test.hear(info())
        test.radio.unplug()
        try test.waitForLoss()
        for isSet in [true, false, true] { try set(.favorite, isSet, test) }
        try set(.ignored, true, test)
        #expect(try test.outbox().map(\.kind) == ["favorite", "ignored"])
        test.radio.keepAdminPackets()
        test.radio.replug {
            $0.number = carol
            $0.nodes = [NodeInfo(number: alice)]
        }
        try test.waitUntilLive(count: 2)
        let packets = test.radio.wait(for: 2)
        #expect(words(packets) == [.admin(.setFavorite(alice)), .admin(.setIgnored(alice))])
        // The number that it has now, not the one that it had.
        #expect(packets.allSatisfy { $0.from == carol && $0.to == carol })
        try test.hear([])
        #expect(try test.node(alice)?.isFavorite == true)
        #expect(try test.outbox().isEmpty)
    }

    @Test func nobodyIsNoFavourite() throws {
        let test = try TestGateway()
        #expect(try !test.gateway.set(.favorite, true, of: bob, in: test.source, onRadio: true))
        #expect(try test.node(bob) == nil)
        #expect(try test.outbox().isEmpty)
    }
}
