import MeshModel
import MeshProtocol
import Testing

/// SerialReference 14.6: packets forged under our own number can reach the host.
@Suite struct WhoClaimsToBeUsIsNotBelieved {
    @Test func theirTextIsMarkedAndNothingElseCounts() throws {
        let test = try TestGateway()
        let before = try test.node(own)
        try test.hear(
            .packet(.text("send money", from: own, id: 1)),
            .packet(.heard(.nodeInfo, User(longName: "Evil", publicKey: key(9)).encoded(), from: own, id: 2)),
            .packet(.heard(.telemetry, device(("batteryLevel", 1)), from: own, id: 3)))
        let message = try #require(try test.messages().first)
        #expect(message.spoofSuspected && !message.isOwn)
        #expect(try test.node(own) == before)
        #expect(try test.packets(from: own).filter { $0.rxRSSI != nil }.count == 3)
    }

    @Test func theirAcknowledgementIsNone() throws {
        let test = try TestGateway()
        let message = try test.sendAndHand("hello")
        var forged = MeshPacket.report(.none, on: message.packetID, from: own)
        forged.rxRSSI = -60
        try test.hear(forged)
        #expect(try test.delivery(of: message)?.state == .accepted)
    }

    /// Through a broker there is no signal strength.
    @Test func neitherThroughABroker() throws {
        let test = try TestGateway()
        let before = try test.node(own)
        try test.hear(
            .heard(.nodeInfo, User(longName: "Evil", publicKey: key(9)).encoded(), from: own, id: 2) { packet, _ in
                (packet.viaMQTT, packet.rxRSSI) = (true, nil)
            })
        #expect(try test.node(own) == before)
    }

    /// The radio tells of a broker's echo by a routing packet of its own.
    @Test func theRadiosWordOnABrokersEchoCounts() throws {
        let test = try TestGateway()
        let message = try test.sendAndHand("hello")
        var report = MeshPacket.report(.none, on: message.packetID, from: own)
        report.viaMQTT = true
        try test.hear(report)
        #expect(try test.delivery(of: message)?.state == .relayed)
    }

    @Test func ourOwnTelemetryIsOurs() throws {
        let test = try TestGateway()
        try test.hear(
            .heard(.telemetry, device(("batteryLevel", 44)), from: own) { packet, _ in
                packet.rxRSSI = nil
                packet.transport = .internal
            })
        #expect(try test.node(own)?.batteryLevel == 44)
    }
}
