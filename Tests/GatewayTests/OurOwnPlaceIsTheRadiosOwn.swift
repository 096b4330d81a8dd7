import MeshModel
import MeshProtocol
import Store
import Testing

/// A radio with a fixed position repeats its own broadcast to the host, blurred to the channel's precision. Its node info says
/// exactly where it is, and not since when.
@Suite struct OurOwnPlaceIsTheRadiosOwn {
    private let exact = Position(latitudeI: 466_012_345, longitudeI: 105_012_345, altitude: 1800)
    private let blurred = Position(
        latitudeI: 465_829_888, longitudeI: 105_119_744, altitude: 1800, time: noonSeconds, precisionBits: 13)

    private func broadcast(_ position: Position, id: PacketID = 5) -> FromRadio {
        .packet(
            .heard(.position, position.encoded(), from: own, id: id) { packet, _ in
                (packet.rxRSSI, packet.transport) = (nil, .internal)
            })
    }

    private func isExact(_ test: TestGateway) throws -> Bool {
        let node = try #require(try test.node(own))
        return node.latitude == 46.6012345 && node.longitude == 10.5012345 && node.positionPrecisionBits == 32
    }

    @Test func theNodeInfoCountsAlthoughItSaysNoTime() throws {
        let test = try TestGateway()
        try test.hear(broadcast(blurred))
        #expect(try test.node(own)?.positionPrecisionBits == 13, "nothing better is known yet")
        try test.hear(.nodeInfo(NodeInfo(number: own, position: exact)))
        #expect(try isExact(test))
    }

    @Test func theBlurredOneNeverReplacesIt() throws {
        let test = try TestGateway()
        try test.hear(.nodeInfo(NodeInfo(number: own, position: exact)), broadcast(blurred))
        #expect(try isExact(test))
        let source = try test.source
        let history = try test.store.read { try $0.positions(of: own, in: source) }
        #expect(history.map(\.value.latitudeI) == [465_829_888], "the history has what was broadcast")
        // One that is as exact does.
        var moved = exact
        (moved.latitudeI, moved.time, moved.precisionBits) = (467_000_000, noonSeconds, 32)
        try test.hear(broadcast(moved, id: 6))
        #expect(try test.node(own)?.latitude == 46.7)
    }

    /// Of others the newer one counts, whatever its precision.
    @Test func othersAreWhereTheyWereHeard() throws {
        let test = try TestGateway()
        var position = exact
        position.precisionBits = 32
        try test.hear(.packet(.heard(.position, position.encoded(), id: 1)))
        try test.hear(.packet(.heard(.position, blurred.encoded(), id: 2)))
        #expect(try test.node(alice)?.positionPrecisionBits == 13)
    }

    @Test func aNodeInfoWithoutAFixTakesNothingAway() throws {
        let test = try TestGateway()
        try test.hear(.nodeInfo(NodeInfo(number: own, position: exact)))
        try test.hear(.nodeInfo(NodeInfo(number: own, position: Position(time: noonSeconds))))
        #expect(try isExact(test))
    }
}
