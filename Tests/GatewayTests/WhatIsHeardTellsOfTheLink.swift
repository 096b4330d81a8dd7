import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

/// Contract 3.7: what MeshMonitor works out from packets and shows as telemetry.
@Suite struct WhatIsHeardTellsOfTheLink {
    @Test func eachReceptionTellsItsHopsOnce() throws {
        let test = try TestGateway()
        let relayed = MeshPacket.text("over two", id: 1) { packet, _ in (packet.hopStart, packet.hopLimit) = (5, 3) }
        var unreadable = MeshPacket.text("", from: bob, id: 2)
        unreadable.channel = 183
        unreadable.payload = .encrypted([1, 2, 3])
        let old = MeshPacket.text("before 2.3", id: 3) { packet, _ in (packet.hopStart, packet.hopLimit) = (0, 3) }
        let silent = MeshPacket.text("does not say", id: 6) { packet, _ in (packet.hopStart, packet.hopLimit) = (0, 0) }
        let spoofed = MeshPacket.text("not us", from: own, id: 4)
        let repeated = MeshPacket.replay(.telemetry, device(("batteryLevel", 80)), id: 5)
        try test.hear([relayed, relayed, unreadable, old, silent, spoofed, repeated].map { .packet($0) })
        let points = try test.points(.messageHops)
        #expect(points.map(\.node) == [bob, alice])
        #expect(points.map(\.value) == [0, 2])
        #expect(points.map(\.packetID) == [2, 1])
        #expect(points.map(\.at) == [noon, noon])
        #expect(points.map(\.channel) == [nil, 0], "a digest is no channel")
        #expect(points.allSatisfy { $0.time == nil && $0.hopStart == nil })
    }

    /// 8 less the hops, 1 to 7; then one more with each packet that comes no longer way, one less when it is two hops
    /// longer or more. Stored when it changes.
    @Test(
        arguments: [
            ([0, 0, 0, 0, 0], [7, 8, 9, 10]), ([3, 3], [5, 6, 7]), ([7], [1, 2]), ([1, 2, 1, 3, 3], [7, 8, 9, 8, 9]),
            ([2, 4, 6, 7, 6], [6, 7, 6, 5, 6]),
        ] as [([UInt32], [Double])])
    func theLinkQualityFollowsTheHops(_ hops: [UInt32], _ qualities: [Double]) throws {
        let test = try TestGateway()
        for (place, hops) in hops.enumerated() { try test.hearText(PacketID(place + 1), hops: hops) }
        let points = try test.points(.linkQuality)
        #expect(points.map(\.value).reversed() == qualities)
        #expect(points.allSatisfy { $0.packetID == nil })
    }

    /// The row of a report has room for it.
    @Test func aReportTellsOfItsOwnWay() throws {
        let test = try TestGateway()
        try test.hearText(1, hops: 0)
        let report = device(("batteryLevel", 80))
        let packet = MeshPacket.heard(.telemetry, report, id: 2)
        try test.hear(.packet(packet), .packet(packet))
        #expect(try test.points(.messageHops).map(\.packetID) == [2, 1])
        #expect(try test.points(.linkQuality).map(\.value) == [9, 8, 7])
        #expect(try test.points(.linkQuality).allSatisfy { $0.packetID == nil })
        let source = try test.source
        let stored = try test.store.read { try $0.telemetry(of: alice, in: source) }
        #expect(stored.map(\.value.values) == [[.init("batteryLevel", 80)]])
        // A request for telemetry has no row, and what a person's health is nobody sees.
        try test.hear(.heard(.telemetry, device(), id: 3))
        let health = Telemetry(kind: .health, values: [.init("heartBpm", 61)]).encoded()
        try test.hear(.heard(.telemetry, health, id: 4))
        #expect(try test.points(.messageHops).map(\.packetID) == [4, 3, 2, 1])
    }

    @Test func itGoesOnAfterARestart() throws {
        let first = try TestGateway()
        for id in 1...5 { try first.hearText(PacketID(id), hops: 0) }
        first.stop()
        let second = try TestGateway(folder: first.folder)
        try second.hearText(6, hops: 0)
        #expect(try second.points(.linkQuality).map(\.value) == [10, 9, 8, 7])
        try second.hearText(7, hops: 2)
        #expect(try second.points(.linkQuality).first?.value == 9)
    }

    @Test func aKeyErrorTakesFive() throws {
        let test = try TestGateway()
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: User(longName: "A", publicKey: key(1)))))
        try test.hearText(1, hops: 0)
        let message = try test.sendAndHand("hi", to: .node(alice))
        try test.hear(.report(RoutingError(rawValue: 34), on: message.packetID, from: own))
        #expect(try test.points(.linkQuality).map(\.value) == [3, 8, 7])
    }

    @Test(arguments: [true, false]) func aTracerouteWithoutAnAnswerTakesTwo(_ isAnswered: Bool) throws {
        let test = try TestGateway()
        try test.hearText(1, hops: 0)
        _ = try test.gateway.request(.traceroute, of: alice, in: test.source)
        let request = try #require(test.radio.wait(for: 1).first)
        if isAnswered {
            try test.hear(
                .heard(.traceroute, RouteDiscovery().encoded(), to: own, id: 2) { _, data in data.requestID = request.id
                })
        }
        test.setTime(noon + 299_999)
        try test.hearText(3, hops: 0, from: bob)
        #expect(try test.points(.linkQuality, of: alice).first?.value == (isAnswered ? 9 : 8))
        test.setTime(noon + 300_000)
        try test.hearText(4, hops: 0, from: bob)
        #expect(try test.points(.linkQuality, of: alice).first?.value == (isAnswered ? 9 : 6))
    }

    /// Of a NodeInfo that came directly; what is the same within ten minutes is not told again.
    @Test func aDirectNodeInfoTellsHowLoudItWas() throws {
        let test = try TestGateway()
        try test.hearNodeInfo(1)
        try test.hearNodeInfo(2)
        #expect(try test.points(.rssi).map(\.packetID) == [1])
        try test.hearNodeInfo(3) { packet in packet.rxSNR = 5.5 }
        #expect(try test.points(.snrLocal).map(\.value) == [5.5, 6.25])
        #expect(try test.points(.rssi).map(\.value) == [-81])
        test.setTime(noon + 600_001)
        try test.hearNodeInfo(4) { packet in packet.rxSNR = 5.5 }
        #expect(try test.points(.snrLocal).map(\.packetID) == [4, 3, 1])
        #expect(try test.points(.rssi).map(\.packetID) == [4, 1])
        try test.hearNodeInfo(5) { packet in (packet.rxSNR, packet.hopLimit) = (-3, 2) }
        try test.hearNodeInfo(6) { packet in (packet.rxSNR, packet.viaMQTT) = (-4, true) }
        try test.hear(.text("no NodeInfo", id: 7) { packet, _ in packet.rxSNR = -5 })
        #expect(try test.points(.snrLocal).map(\.packetID) == [4, 3, 1])
    }

    /// When the node was heard, not when the radio told of it.
    @Test func aHandshakeTellsHowLoudTheRadioHeardOthers() throws {
        let test = try TestGateway()
        var info = NodeInfo(number: alice, snr: -4.05, lastHeard: noonSeconds - 600)
        try test.hear(.nodeInfo(info), .nodeInfo(info), .nodeInfo(NodeInfo(number: bob, lastHeard: noonSeconds)))
        var points = try test.points(.snrRemote)
        #expect(points.map(\.node) == [alice])
        #expect(points.map(\.at) == [noon - 600_000])
        #expect(points.map(\.value) == [-4.05])
        #expect(points.first?.packetID == nil && points.first?.time == nil)
        (info.snr, info.lastHeard) = (-4, noonSeconds - 500)
        try test.hear(.nodeInfo(info))
        info.lastHeard = noonSeconds + 3600
        try test.hear(.nodeInfo(info))
        points = try test.points(.snrRemote)
        #expect(points.map(\.at) == [noon - 500_000, noon - 600_000], "the same within ten minutes")
        try test.hear(.nodeInfo(NodeInfo(number: alice, snr: -4.05, lastHeard: noonSeconds - 600)))
        #expect(try test.points(.snrRemote).count == 2, "an old snapshot once more")
        info.snr = 2
        try test.hear(.nodeInfo(info))
        #expect(try test.points(.snrRemote).first?.at == noon, "nobody was heard in the future")
    }

    /// A value that the radio repeats carries the id of whatever its node sent last: that packet's row is not the value's.
    @Test func aRepeatedValueIsNotTakenForAPacketThatWasHeard() throws {
        let test = try TestGateway()
        try test.hearText(9, hops: 0)
        test.setTime(noon + 120_000)
        try test.hear(.replay(.telemetry, device(("batteryLevel", 80)), id: 9))
        let source = try test.source
        #expect(
            try test.store.read { try $0.telemetry(of: alice, in: source) }.map(\.value.values) == [
                [.init("batteryLevel", 80)]
            ])
    }
}

/// Contract 3.7: of the radio itself, without a packet.
@Suite struct TheRadioIsMeasuredByTheWay {
    private let statistics = Telemetry(kind: .localStats, values: [.init("numPacketsRx", 1)]).encoded()

    private func ownStatistics(_ id: PacketID) -> MeshPacket {
        .heard(.telemetry, statistics, from: own, id: id) { packet, _ in
            (packet.rxRSSI, packet.transport, packet.hopStart, packet.hopLimit) = (nil, .internal, 0, 0)
        }
    }

    /// Half a minute after the handshake, and with the radio's own statistics: who was heard within a day.
    @Test func itCountsTheNodes() throws {
        let test = try TestGateway()
        let day = NodeInfo(number: carol, lastHeard: noonSeconds - 86_401, hopsAway: 0)
        let lately = NodeInfo(number: bob, lastHeard: noonSeconds - 86_000, hopsAway: 2)
        try test.hear(.nodeInfo(day), .nodeInfo(lately))
        test.setTime(noon + 29_000)
        try test.hearText(1, hops: 0)
        #expect(try test.points(.systemNodeCount).isEmpty)
        test.setTime(noon + 30_000)
        try test.hearText(2, hops: 0)
        try test.hearText(3, hops: 0)
        let points = try test.points(.systemNodeCount) + test.points(.systemDirectNodeCount)
        #expect(points.map(\.value) == [3, 1], "the radio itself, one over relays, one directly")
        #expect(points.allSatisfy { $0.node == own && $0.packetID == nil && $0.at == noon + 30_000 })
        test.setTime(noon + 900_000)
        try test.hear(ownStatistics(4))
        #expect(try test.points(.systemNodeCount).map(\.at) == [noon + 900_000, noon + 30_000])
    }

    /// The mean of five minutes, in seconds with two decimals, that the host is ahead of the radio.
    @Test func itSaysHowFarTheClocksAreApart() throws {
        let test = try TestGateway()
        for (place, milliseconds) in [Int64(0), 150_000, 299_000].enumerated() {
            test.setTime(noon + milliseconds)
            try test.hear(
                .text("tick", id: PacketID(place + 1)) { packet, _ in
                    packet.rxTime = UInt32((noon + milliseconds) / 1000) - UInt32([2, 3, 3][place])
                })
        }
        #expect(try test.points(.timeOffset).isEmpty)
        test.setTime(noon + 300_500)
        try test.hear(.text("too late for it", id: 9) { packet, _ in packet.rxTime = noonSeconds - 1000 })
        let points = try test.points(.timeOffset)
        #expect(points.map(\.value) == [2.67])
        #expect(points.map(\.at) == [noon + 300_500])
        #expect(points.first?.node == own && points.first?.packetID == nil)
    }

    /// A clock that was never set, and one that leaps.
    @Test func whatIsNoTimeCountsNot() throws {
        let test = try TestGateway()
        for (place, time) in [UInt32(1000), 0].enumerated() {
            try test.hear(.text("tick", id: PacketID(place + 1)) { packet, _ in packet.rxTime = time })
        }
        test.setTime(noon + 400_000)
        try test.hearText(3, hops: 0)
        test.setTime(noon - 86_400_000)
        try test.hearText(4, hops: 0)
        test.setTime(noon + 86_400_000)
        try test.hearText(5, hops: 0)
        #expect(try test.points(.timeOffset).isEmpty)
    }
}

extension TestGateway {
    fileprivate func hearText(_ id: PacketID, hops: UInt32, from sender: NodeNumber = alice) throws {
        try hear(.text("x", from: sender, id: id) { packet, _ in (packet.hopStart, packet.hopLimit) = (7, 7 - hops) })
    }

    fileprivate func hearNodeInfo(_ id: PacketID, _ change: (inout MeshPacket) -> Void = { _ in }) throws {
        try hear(.heard(.nodeInfo, User(longName: "A").encoded(), id: id) { packet, _ in change(&packet) })
    }

    /// Newest first.
    fileprivate func points(_ metric: DerivedMetric, of node: NodeNumber? = nil) throws -> [TelemetryPoint] {
        let query = TelemetryQuery(source: try source, node: node, name: metric.name)
        return try store.read { try $0.telemetryPoints(query, limit: 100) }
    }
}
