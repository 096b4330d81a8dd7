import MeshModel
import MeshProtocol
import Store
import Testing

/// Firmware 2.8 repeats each node's last values after every handshake. Their ids and times follow the node's last_heard: both
/// are new as soon as the node has sent anything else.
@Suite struct AReplayedValueIsOneReading {
    private func replay(
        _ port: PortNumber, _ payload: [UInt8], id: PacketID, heardAt seconds: UInt32?
    ) -> FromRadio {
        var packet = MeshPacket.replay(port, payload, id: id)
        packet.rxTime = seconds
        return .packet(packet)
    }

    private func battery(_ level: Double, at seconds: UInt32) -> [UInt8] {
        Telemetry(time: seconds, kind: .device, values: [Telemetry.Value("batteryLevel", level)]).encoded()
    }

    private let place = Position(latitudeI: 471_007_232, longitudeI: 85_000_000, altitude: 500, precisionBits: 15)

    private func levels(_ test: TestGateway) throws -> [(at: Int64, level: Double?)] {
        let source = try test.source
        return try test.store.read { try $0.telemetry(of: alice, in: source) }
            .map { ($0.at, $0.value["batteryLevel"]) }.sorted { $0.at < $1.at }
    }

    private func places(_ test: TestGateway) throws -> [Int64] {
        let source = try test.source
        return try test.store.read { try $0.positions(of: alice, in: source) }.map(\.at).sorted()
    }

    @Test func howeverOftenTheRadioIsConnected() throws {
        let test = try TestGateway()
        let heard = noonSeconds - 900
        var status = MeshPacket.heard(.nodeStatus, Array("up".utf8), id: 3)
        status.payload = .decoded(MeshData(port: .nodeStatus, payload: [0x0A, 2] + Array("up".utf8)))
        try test.hear(
            .packet(.heard(.telemetry, battery(94, at: heard), id: 1)),
            .packet(.heard(.position, place.encoded(), id: 2)), .packet(status))
        let before = try test.packets().count
        for round in 1...20 as ClosedRange<UInt32> {
            // The node was heard since, with something else.
            let lastHeard = noonSeconds + round * 60
            test.setTime(Int64(lastHeard) * 1000 + 500)
            try test.hear(
                replay(.position, place.encoded(), id: 1000 + round, heardAt: nil),
                replay(.telemetry, battery(94, at: lastHeard), id: 2000 + round, heardAt: lastHeard),
                replay(.nodeStatus, [0x0A, 2] + Array("up".utf8), id: 3000 + round, heardAt: lastHeard))
        }
        #expect(try levels(test).map(\.at) == [noon])
        #expect(try places(test) == [noon])
        #expect(try test.packets().count == before)
        let source = try test.source
        #expect(try test.store.read { try $0.nodeStatuses(of: alice, in: source) }.count == 1)
    }

    /// Once, at its time, and it is what the node says of itself then.
    @Test func whatWasHeardWhileTheGatewayWasAwayCounts() throws {
        let test = try TestGateway()
        try test.hear(.packet(.heard(.telemetry, battery(94, at: noonSeconds), id: 1)))
        test.setTime(noon + 3_600_000)
        for id in 11...13 as ClosedRange<PacketID> {
            try test.hear(
                replay(.telemetry, battery(80, at: noonSeconds + 1800), id: id, heardAt: noonSeconds + 1800))
        }
        #expect(try levels(test).map(\.level) == [94, 80])
        #expect(try levels(test).map(\.at) == [noon, noon + 1_800_000])
        #expect(try test.node(alice)?.batteryLevel == 80)
        #expect(try test.node(alice)?.lastHeard == noon / 1000)
    }

    /// The radio has lost what it heard last, in a restart.
    @Test func whatIsOlderThanTheNewestIsNone() throws {
        let test = try TestGateway()
        try test.hear(.packet(.heard(.telemetry, battery(94, at: noonSeconds), id: 1)))
        test.setTime(noon + 60_000)
        try test.hear(replay(.telemetry, battery(80, at: noonSeconds - 60), id: 11, heardAt: noonSeconds - 60))
        #expect(try levels(test).map(\.level) == [94])
        #expect(try test.node(alice)?.batteryLevel == 94)
    }

    /// A node that stays where it is, and has no clock: the packet comes without a time. It was heard when the node was.
    @Test func aPlaceWithoutATimeHasTheNodes() throws {
        let test = try TestGateway()
        try test.hear(
            .nodeInfo(NodeInfo(number: alice, lastHeard: noonSeconds - 600)),
            replay(.position, place.encoded(), id: 11, heardAt: nil))
        #expect(try places(test) == [noon - 600_000])
    }

    /// The same value, really sent again.
    @Test func whatIsHeardAgainCountsAgain() throws {
        let test = try TestGateway()
        for id in 1...3 as ClosedRange<PacketID> {
            test.setTime(noon + Int64(id) * 60_000)
            try test.hear(.packet(.heard(.telemetry, battery(94, at: noonSeconds), id: id)))
        }
        #expect(try levels(test).count == 3)
    }
}
