import MeshModel
import MeshProtocol
import Testing

@Suite struct PositionsAreCheckedBeforeTheyAreShown {
    private func positions(_ test: TestGateway) throws -> Int {
        let source = try test.source
        return try test.store.read { try $0.positions(of: alice, in: source) }.count
    }

    /// latitude, longitude, precision bits
    static let noFix: [(Int32?, Int32?, UInt32?)] = [
        (nil, nil, nil), (0, 0, nil), (465_000_000, nil, nil),
        // The middle of the cell of 0/0, as a 2.8 radio makes it on a public channel (SerialReference 14.4).
        (65_536, 65_536, 15), (131_072, 131_072, 14), (262_144, 262_144, 13),
        (900_000_001, 0, nil), (0, -1_800_000_001, nil),
    ]

    @Test(arguments: noFix) func noFixIsNoPosition(_ latitude: Int32?, _ longitude: Int32?, _ bits: UInt32?) throws {
        let test = try TestGateway()
        let position = Position(latitudeI: latitude, longitudeI: longitude, time: noonSeconds, precisionBits: bits)
        try test.hear(.heard(.position, position.encoded()))
        #expect(try test.node(alice)?.lastHeard == noon / 1000)
        #expect(try test.node(alice)?.latitude == nil)
        #expect(try positions(test) == 0)
    }

    @Test func aFixIsStoredWithWhatItSays() throws {
        let test = try TestGateway()
        let fix = Position(
            latitudeI: -336_000_000, longitudeI: 0, altitude: -12, locationSource: 2, precisionBits: 32)
        try test.hear(.heard(.position, fix.encoded()) { packet, _ in packet.channel = 1 })
        let node = try #require(try test.node(alice))
        #expect(node.latitude == -33.6)
        #expect(node.longitude == 0)
        #expect(node.altitude == -12)
        #expect(node.positionTimestamp == noon)
        #expect(node.positionChannel == 1)
        #expect(node.positionPrecisionBits == 32)
        #expect(node.positionLocationSource == 2)
        #expect(try positions(test) == 1)
    }

    @Test func anOlderOneChangesNothing() throws {
        let test = try TestGateway()
        try test.hear(.heard(.position, Position(latitudeI: 10_000_000, longitudeI: 10_000_000).encoded()))
        // Lay in the radio's queue for seven hours.
        let late = MeshPacket.heard(
            .position, Position(latitudeI: 20_000_000, longitudeI: 10_000_000).encoded(), id: 78
        ) { packet, _ in packet.rxTime = noonSeconds - 7 * 3600 }
        try test.hear(late)
        #expect(try test.node(alice)?.latitude == 1)
        #expect(try positions(test) == 2, "it is history all the same")
    }

    @Test func aTimeToComeIsNoReasonToKeepAPosition() throws {
        let test = try TestGateway(at: noon + 86_400_000)
        let first = Position(latitudeI: 10_000_000, longitudeI: 10_000_000)
        try test.hear(.heard(.position, first.encoded()) { packet, _ in packet.rxTime = nil })
        test.setTime(noon)
        try test.hear(.heard(.position, Position(latitudeI: 20_000_000, longitudeI: 10_000_000).encoded(), id: 78))
        #expect(try test.node(alice)?.latitude == 2)
        #expect(try test.node(alice)?.positionTimestamp == noon)
    }
}
