import MeshModel
import MeshProtocol
import Testing

@Suite struct TelemetryKeepsWhatItDoesNotMention {
    @Test func absentIsNotZero() throws {
        let test = try TestGateway()
        try test.hear(
            .heard(
                .telemetry,
                device(
                    ("batteryLevel", 101), ("voltage", 4.25), ("channelUtilization", 12.5), ("airUtilTx", 0.5),
                    ("uptimeSeconds", 4_000_000_000))))
        try test.hear(.heard(.telemetry, device(("batteryLevel", 0)), id: 78))
        let node = try #require(try test.node(alice))
        #expect(node.batteryLevel == 0)
        #expect(node.voltage == 4.25)
        #expect(node.channelUtilization == 12.5)
        #expect(node.airUtilTx == 0.5)
        #expect(node.uptimeSeconds == 4_000_000_000)
    }

    @Test func externalPowerIs101AndAnUnknownVoltageIsNone() throws {
        let test = try TestGateway()
        try test.hear(.heard(.telemetry, device(("batteryLevel", 101), ("voltage", -0.001))))
        #expect(try test.node(alice)?.batteryLevel == 101)
        #expect(try test.node(alice)?.voltage == nil)
    }

    @Test func otherKindsSayNothingOfTheBattery() throws {
        let test = try TestGateway()
        try test.hear(.heard(.telemetry, device(("batteryLevel", 60), ("voltage", 3.75))))
        let weather = Telemetry(kind: .environment, values: [.init("voltage", 12), .init("temperature", 21.5)])
        try test.hear(.heard(.telemetry, weather.encoded(), id: 78))
        #expect(try test.node(alice)?.voltage == 3.75)
        let source = try test.source
        #expect(try test.store.read { try $0.telemetry(of: alice, in: source) }.count == 2)
    }

    @Test func aPacketThatIsHeardTwiceIsOneRow() throws {
        let test = try TestGateway()
        for _ in 0..<2 { try test.hear(.heard(.telemetry, device(("batteryLevel", 60)))) }
        let source = try test.source
        #expect(try test.store.read { try $0.telemetry(of: alice, in: source) }.count == 1)
    }
}
