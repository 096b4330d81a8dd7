import MeshModel
import MeshProtocol
import Store
import Testing

@testable import Gateway

@Suite struct ARequestGoesOutAsAPacketThatWantsAResponse {
    static let user = User(id: own.id, longName: "Ridge", shortName: "R", hardwareModel: 43, publicKey: key(7))

    private func gateway(_ change: (inout PeerRadio.Identity) -> Void = { _ in }) throws -> TestGateway {
        let radio = PeerRadio()
        radio.become {
            $0.user = Self.user
            $0.lora?.hopLimit = 5
            $0.channels = [
                Channel(index: 0, role: .primary, name: "Ours", psk: Array(1...16), positionPrecision: 32),
                Channel(index: 1, role: .secondary, name: "LongFast", psk: [1], positionPrecision: 13),
                Channel(index: 2, role: .secondary, name: "Mute", psk: [2]),
            ]
            change(&$0)
        }
        return try TestGateway(radio: radio)
    }

    @Test func aTraceroute() throws {
        let test = try gateway()
        try test.hear(.heard(.textMessage, [0x78]) { packet, _ in packet.channel = 2 })
        test.setTime(noon + 1000)
        let accepted = try test.gateway.request(.traceroute, of: alice, in: test.source)
        #expect(accepted.channel == 1, "the channel that everybody has the key of")
        let packet = try #require(test.radio.wait(for: 1).first)
        #expect(packet.id == accepted.packetID)
        #expect((packet.from, packet.to, packet.channel) == (own, alice, 1))
        #expect(packet.hopLimit == 5)
        #expect(packet.decoded?.port == .traceroute)
        #expect(packet.decoded?.wantResponse == true)
        #expect(packet.decoded?.payload == [])
        let source = try test.source
        let waiting = try #require(try test.store.read { try $0.traceroutes(in: source) }.first)
        #expect((waiting.from, waiting.to, waiting.packetID) == (own, alice, packet.id))
        #expect(waiting.route == nil)
        #expect(try test.node(alice)?.lastTracerouteRequest == noon + 1000)

        let route = RouteDiscovery(route: [bob], snrTowards: [24, 8], routeBack: [bob], snrBack: [4, 20])
        try test.hear(
            .packet(.report(.none, on: packet.id, from: own)),
            .packet(.heard(.traceroute, route.encoded(), to: own) { _, data in data.requestID = packet.id }))
        let rows = try test.store.read { try $0.traceroutes(in: source) }
        #expect(rows.map(\.route) == [route])
        #expect(rows.first?.packetID == packet.id)
        #expect(try test.outbox().isEmpty)
        #expect(try test.messages().map(\.text) == ["x"])
    }

    /// The radio's own limit, how far away the node is, and what its traceroute begins with.
    @Test(
        arguments: [
            (3, 0, 3), (3, 2, 3), (3, 3, 4), (3, 6, 7), (3, 7, 7), (5, 2, 5), (7, 0, 7), (1, 1, 2),
            // Where nobody knows, as far as it can go: it may be anywhere.
            (3, nil, 7),
        ] as [(UInt32, UInt32?, UInt32)])
    func aTracerouteGoesWhereItsNodeIs(_ usual: UInt32, _ hops: UInt32?, _ limit: UInt32) throws {
        let test = try gateway { $0.lora?.hopLimit = usual }
        try test.hear(.nodeInfo(NodeInfo(number: alice, user: User(longName: "A"), hopsAway: hops)))
        try #require(try test.node(alice)?.hopsAway == hops)
        for request in [NodeRequest.traceroute, .position] {
            _ = try test.gateway.request(request, of: alice, in: test.source)
        }
        #expect(test.radio.wait(for: 2).map(\.hopLimit) == [limit, usual])
        // Of whom nothing is known.
        _ = try test.gateway.request(.traceroute, of: carol, in: test.source)
        #expect(test.radio.wait(for: 3).last?.hopLimit == 7)
    }

    /// An empty DeviceMetrics says which telemetry is wanted.
    @Test func telemetryIsAskedForWithoutTellingOurs() throws {
        let test = try gateway()
        let accepted = try test.gateway.request(.telemetry, of: alice, in: test.source)
        let packet = try #require(test.radio.wait(for: 1).first)
        #expect((packet.from, packet.to, packet.id) == (own, alice, accepted.packetID))
        #expect(packet.decoded?.port == .telemetry && packet.decoded?.wantResponse == true && packet.wantAck)
        #expect(packet.decoded?.payload == [0x12, 0x00])
        #expect(try test.messages().isEmpty)
    }

    @Test func aPositionIsExchanged() throws {
        let test = try gateway()
        try test.hear(
            .packet(.heard(.textMessage, [0x78]) { packet, _ in packet.channel = 1 }),
            .nodeInfo(
                NodeInfo(
                    number: own,
                    position: Position(latitudeI: 472_692_123, longitudeI: 114_041_456, altitude: 574))))
        #expect(try test.gateway.request(.position, of: alice, in: test.source).channel == 1)
        #expect(try test.gateway.request(.position, of: alice, channel: 0, in: test.source).channel == 0)
        #expect(try test.gateway.request(.position, of: alice, channel: 2, in: test.source).channel == 2)
        let positions = test.radio.wait(for: 3).map { PacketContent($0.decoded!) }
        // 13 bits: the middle of a cell of 2^19.
        let (latitude, longitude) = (472_692_123 & ~0x7FFFF | 0x40000, 114_041_456 & ~0x7FFFF | 0x40000)
        #expect(
            positions == [
                .position(
                    Position(
                        latitudeI: Int32(latitude), longitudeI: Int32(longitude), altitude: 574, time: noonSeconds,
                        precisionBits: 13)),
                .position(
                    Position(
                        latitudeI: 472_692_123, longitudeI: 114_041_456, altitude: 574, time: noonSeconds,
                        precisionBits: 32)),
                // Nothing is shared on this channel.
                .position(Position(time: noonSeconds)),
            ])
        let notes = try test.messages().filter(\.isOwn)
        #expect(notes.map(\.text) == Array(repeating: "Position exchange requested", count: 3))
        #expect(notes.map(\.channel) == [-1, -1, -1])
        #expect(notes.map(\.to) == [alice, alice, alice])
        #expect(notes.map(\.delivery) == [nil, nil, nil])
        #expect(notes.map(\.packetID) == test.radio.received.map(\.id))

        // Asked for what it does not have, a node acknowledges and then regrets (SerialReference 14.8).
        let id = notes[0].packetID
        try test.hear(
            .packet(.report(.none, on: id, from: alice)), .packet(.report(.noResponse, on: id, from: alice)))
        #expect(try test.messages().filter(\.isOwn).map(\.delivery) == [nil, nil, nil])
        #expect(try test.node(alice)?.keyMismatch == false)
        #expect(try test.outbox().isEmpty)
    }

    @Test func names() throws {
        let test = try gateway()
        _ = try test.gateway.request(.nodeInfo, of: bob, in: test.source)
        let packet = try #require(test.radio.wait(for: 1).first)
        #expect(packet.decoded.map { PacketContent($0) } == .nodeInfo(Self.user))
        #expect(packet.decoded?.wantResponse == true)
        #expect(packet.channel == 0)
        #expect(try test.messages().map(\.text) == ["User info exchange requested"])
        // Who was never heard is not made a node by our asking.
        #expect(try test.node(bob) == nil)
    }

    @Test func neighboursOfTheNextOnesEveryThreeMinutes() throws {
        let test = try gateway()
        try test.hear(
            .packet(.text("near", from: alice)),
            .packet(.text("far", from: bob, id: 78) { packet, _ in packet.hopLimit = 2 }))
        for node in [bob, carol, .broadcast] {
            #expect(throws: RequestRefusal.notHeardDirectly) {
                try test.gateway.request(.neighbors, of: node, in: test.source)
            }
        }
        _ = try test.gateway.request(.neighbors, of: alice, in: test.source)
        #expect(test.radio.wait(for: 1).map(\.decoded?.port) == [.neighborInfo])
        test.setTime(noon + 60_500)
        #expect(throws: RequestRefusal.tooSoon(seconds: 120)) {
            try test.gateway.request(.neighbors, of: alice, in: test.source)
        }
        _ = try test.gateway.request(.neighbors, of: own, in: test.source)
        test.setTime(noon + 180_000)
        _ = try test.gateway.request(.neighbors, of: alice, in: test.source)
        #expect(test.radio.wait(for: 3).map(\.to) == [alice, own, alice])
        // Who was near yesterday may be anywhere today.
        test.setTime(noon + 86_400_000)
        #expect(throws: RequestRefusal.notHeardDirectly) {
            try test.gateway.request(.neighbors, of: alice, in: test.source)
        }
        _ = try test.gateway.request(.neighbors, of: own, in: test.source)
    }

    /// Firmware takes a traceroute to everybody only for the next ones, and everybody must not answer at once.
    @Test func everybodyIsToldNotAsked() throws {
        let test = try gateway()
        for request in [NodeRequest.traceroute, .position, .nodeInfo] {
            _ = try test.gateway.request(request, of: .broadcast, in: test.source)
        }
        let packets = test.radio.wait(for: 3)
        #expect(packets.map(\.hopLimit) == [0, 5, 5])
        #expect(packets.map(\.decoded?.wantResponse) == [true, false, false])
        #expect(packets.map(\.wantAck) == [false, false, false])
        #expect(try test.messages().map(\.text) == ["Position broadcast sent", "User info exchange requested"])
        #expect(try test.messages().map(\.channel) == [0, 0])
    }

    @Test func aRequestForOurNeighboursIsNoReport() throws {
        let test = try gateway()
        let report = NeighborInfo(
            number: alice, lastSentBy: alice, broadcastInterval: 0, neighbors: [.init(number: bob, snr: 5)])
        try test.hear(
            .packet(.heard(.neighborInfo, report.encoded(), id: 1)),
            .packet(.heard(.neighborInfo, [], to: own, id: 2) { _, data in data.wantResponse = true }))
        let source = try test.source
        #expect(
            try test.store.read { try $0.neighbors(in: source) }.first?.value.neighbors.map(\.number) == [bob])
    }
}
