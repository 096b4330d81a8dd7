import MeshModel
import MeshProtocol
import Testing

/// SerialReference 7.1: what live packets told since wins.
@Suite struct TheRadiosMemoryIsASnapshot {
    static let info = NodeInfo(
        number: alice, user: User(longName: "Hut", shortName: "H"),
        position: Position(latitudeI: 465_000_000, longitudeI: 75_000_000, time: noonSeconds - 900), snr: -4.05,
        lastHeard: noonSeconds - 600,
        deviceMetrics: Telemetry(kind: .device, values: [.init("batteryLevel", 101), .init("voltage", -0.001)]),
        channel: 1, viaMQTT: true, hopsAway: 4, isFavorite: true, isIgnored: true, isKeyManuallyVerified: true,
        isMuted: true, hasXEdDSASigned: true)

    @Test func ofANodeThatIsNewEverythingCounts() throws {
        let test = try TestGateway()
        try test.hear(.nodeInfo(Self.info))
        let node = try #require(try test.node(alice))
        #expect(node.longName == "Hut")
        #expect(node.lastHeard == noon / 1000 - 600)
        #expect(node.snr == -4.05)
        #expect(node.channel == 1)
        #expect(node.viaMQTT == true)
        #expect(node.hopsAway == 4)
        #expect(node.latitude == 46.5)
        #expect(node.positionTimestamp == noon - 900_000)
        #expect(node.batteryLevel == 101)
        #expect(node.voltage == nil, "-0.001 V is 2.7's unknown")
        #expect(node.isFavorite && node.isIgnored && node.isKeyManuallyVerified && node.isMuted)
        #expect(node.hasXEdDSASigned)
    }

    @Test func whatWasHeardSinceIsNewer() throws {
        let test = try TestGateway()
        try test.hear(
            .packet(.text("live")),
            .packet(.heard(.telemetry, device(("batteryLevel", 50), ("voltage", 3.75)), id: 78)),
            .packet(.heard(.position, Position(latitudeI: 470_000_000, longitudeI: 75_000_000).encoded(), id: 79)),
            .nodeInfo(Self.info))
        let node = try #require(try test.node(alice))
        #expect(node.longName == "Hut")
        #expect(node.isFavorite)
        #expect(node.lastHeard == noon / 1000)
        #expect(node.snr == 6.25)
        #expect(node.channel == 0)
        #expect(node.viaMQTT == false)
        #expect(node.hopsAway == 0)
        #expect(node.batteryLevel == 50)
        #expect(node.voltage == 3.75)
        #expect(node.latitude == 47)
    }

    @Test func nobodyIsHeardInTheFuture() throws {
        let test = try TestGateway()
        var info = Self.info
        info.lastHeard = noonSeconds + 3600
        try test.hear(.nodeInfo(info))
        #expect(try test.node(alice)?.lastHeard == noon / 1000)
    }

    @Test func noTimeMeansThatTheRadioHadNoClock() throws {
        let test = try TestGateway()
        var info = Self.info
        info.lastHeard = 0
        try test.hear(.packet(.text("live")), .nodeInfo(info))
        #expect(try test.node(alice)?.lastHeard == noon / 1000)
        #expect(try test.node(alice)?.hopsAway == 0)
    }

    @Test func everybodyAndReservedNumbersAreNoNodes() throws {
        let test = try TestGateway()
        for number in [0, 1, 2, 3, 0xFFFF_FFFF] as [UInt32] {
            try test.hear(.nodeInfo(NodeInfo(number: NodeNumber(number), user: User(longName: "nobody"))))
            try test.hear(.text("nobody", from: NodeNumber(number), id: 100 + number & 0xFF))
            #expect(try test.node(NodeNumber(number)) == nil)
        }
        #expect(try test.messages().isEmpty)
        #expect(try test.packets().filter { $0.decoded?.port == .textMessage }.count == 5, "kept in the log")
    }
}
