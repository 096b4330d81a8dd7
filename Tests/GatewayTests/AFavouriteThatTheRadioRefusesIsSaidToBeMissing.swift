import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// A list of favourites that is full takes no more: firmware 2.8 warns and acknowledges the order all the same. Only its node
/// list tells which ones it has.
@Suite struct AFavouriteThatTheRadioRefusesIsSaidToBeMissing {
    private func info(_ isFavorite: Bool) -> FromRadio { .nodeInfo(NodeInfo(number: alice, isFavorite: isFavorite)) }

    private func missing(_ test: TestGateway) throws -> [NodeNumber] {
        let source = try test.source
        return try test.store.read { try $0.missingFavorites(in: source) }
    }

    @Test func whenItsNextListComesWithoutIt() throws {
        let test = try TestGateway()
        try test.hear(info(false))
        test.radio.keepAdminPackets()
        #expect(try test.gateway.set(.favorite, true, of: alice, in: test.source, onRadio: true))
        _ = test.radio.wait(for: 1)
        try test.hear([])
        #expect(try missing(test) == [], "nobody knows yet")
        try test.hear(info(false))
        #expect(try missing(test) == [alice])
        #expect(try test.node(alice)?.favoriteMissingSince == noon)
        #expect(try test.node(alice)?.isFavorite == true, "here it stays one")
        test.setTime(noon + 1000)
        try test.hear(info(false))
        #expect(try test.node(alice)?.favoriteMissingSince == noon)
        // There is room again.
        try test.hear(info(true))
        #expect(try missing(test) == [])
    }

    @Test func notBeforeTheRadioWasTold() throws {
        let test = try TestGateway()
        try test.hear(info(false))
        test.radio.unplug()
        try test.waitForLoss()
        #expect(try test.gateway.set(.favorite, true, of: alice, in: test.source, onRadio: true))
        test.radio.keepAdminPackets()
        test.radio.replug { $0.nodes = [NodeInfo(number: alice)] }
        try test.waitUntilLive(count: 2)
        #expect(try missing(test) == [])
    }

    @Test func whatIsNoFavouriteAnyMoreIsNotMissing() throws {
        let test = try TestGateway()
        try test.hear(info(false))
        #expect(try test.gateway.set(.favorite, true, of: alice, in: test.source, onRadio: false))
        try test.hear(info(false))
        #expect(try missing(test) == [alice])
        #expect(try test.gateway.set(.favorite, false, of: alice, in: test.source, onRadio: false))
        #expect(try missing(test) == [])
    }
}
