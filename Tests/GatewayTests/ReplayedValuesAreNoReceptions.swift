import MeshModel
import MeshProtocol
import Testing

/// Firmware 2.8 sends what it remembers of the nodes' positions and telemetry after each handshake (SerialReference
/// 2.4), under the same packet ids until it reboots.
@Suite struct ReplayedValuesAreNoReceptions {
    static let position = Position(latitudeI: 465_000_000, longitudeI: 75_000_000, time: noonSeconds - 3600)

    @Test func theyFillInWhatIsNotKnown() throws {
        let test = try TestGateway()
        try test.hear(
            .packet(.replay(.position, Self.position.encoded(), id: 1)),
            .packet(.replay(.telemetry, device(("batteryLevel", 80)), id: 2)))
        let node = try #require(try test.node(alice))
        #expect(node.lastHeard == nil)
        #expect(node.snr == nil)
        #expect(node.hopsAway == nil)
        #expect(node.latitude == 46.5)
        #expect(node.positionTimestamp == noon - 3_600_000)
        #expect(node.batteryLevel == 80)
    }

    @Test func whatWasHeardLiveIsNewer() throws {
        let test = try TestGateway()
        var live = Self.position
        live.latitudeI = 470_000_000
        try test.hear(
            .packet(.heard(.position, live.encoded(), id: 11)),
            .packet(.heard(.telemetry, device(("batteryLevel", 70)), id: 12)),
            .packet(.replay(.position, Self.position.encoded(), id: 1)),
            .packet(.replay(.telemetry, device(("batteryLevel", 80)), id: 2)))
        #expect(try test.node(alice)?.latitude == 47)
        #expect(try test.node(alice)?.batteryLevel == 70)
    }

    @Test func theSecondTimeTheyAreNotEvenLogged() throws {
        let test = try TestGateway()
        // Without coordinates it says nothing, the first time neither.
        let empty = Position(time: noonSeconds, precisionBits: 32)
        for _ in 0..<3 {
            try test.hear(
                .packet(.replay(.position, Self.position.encoded(), id: 1)),
                .packet(.replay(.position, empty.encoded(), from: bob, id: 3)),
                .packet(.replay(.telemetry, device(), from: bob, id: 4)))
        }
        #expect(try test.packets(from: alice).count == 1)
        #expect(try test.packets(from: bob).isEmpty)
    }

    @Test func alsoAfterARestartOfTheGateway() throws {
        let first = try TestGateway()
        try first.hear(.replay(.telemetry, device(("batteryLevel", 80)), id: 2))
        first.stop()
        let second = try TestGateway(folder: first.folder)
        try second.hear(.replay(.telemetry, device(("batteryLevel", 80)), id: 2))
        #expect(try second.packets(from: alice).count == 1)
        let source = try second.source
        #expect(try second.store.read { try $0.telemetry(of: alice, in: source) }.count == 1)
    }
}
