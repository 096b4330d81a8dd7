import MeshModel
import Testing

@testable import Store

private func everything(_ payload: MeshPacket.Payload) -> MeshPacket {
    MeshPacket(
        from: NodeNumber(0xFFFF_FFFE), to: .broadcast, channel: 255, id: .max, payload: payload,
        rxTime: 4_000_000_000, rxSNR: -19.75, rxRSSI: -137, hopLimit: 6, hopStart: 7, wantAck: true, priority: 127,
        viaMQTT: true, publicKey: PublicKey(1...32 as ClosedRange<UInt8>), pkiEncrypted: true, nextHop: 0xFE,
        relayNode: 0xFF, transport: .multicastUDP, xeddsaSigned: true, delayed: 2)
}

private let packets: [MeshPacket] = [
    everything(
        .decoded(
            MeshData(
                port: PortNumber(rawValue: 511), payload: Array(0...232), wantResponse: true, dest: 1, source: 2,
                requestID: .max, replyID: 4, emoji: 5, bitfield: 0, xeddsaSignature: Array(repeating: 9, count: 64)))),
    everything(.encrypted([0, 255, 1])),
    everything(.none),
    // Nothing set, and payloads without a byte.
    MeshPacket(from: NodeNumber(0), to: NodeNumber(0), id: 0, payload: .decoded(MeshData(port: .unknown, payload: []))),
    MeshPacket(from: alice, to: bob, id: 1, payload: .encrypted([])),
    // 0 is not absent.
    MeshPacket(from: alice, to: bob, id: 2, payload: .none, rxTime: 0, rxRSSI: 0),
    MeshPacket(from: alice, to: bob, id: 3, payload: .none, rxSNR: .infinity),
]

@Test(arguments: packets) func everyFieldOfAPacketSurvives(packet: MeshPacket) throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        try writer.logPacket(packet, direction: .rx, in: source, at: noon)
        try writer.logPacket(packet, direction: .tx, in: source, at: noon + 1)
        try writer.insertOutbox(OutboxItem(packet: packet, createdAt: noon), in: source)
    }
    let logged = try store.read { try $0.packets(PacketQuery(in: source)) }
    #expect(logged.map(\.packet) == [packet, packet])
    #expect(logged.map(\.direction) == [.tx, .rx])
    #expect(logged.map(\.at) == [noon + 1, noon])
    #expect(try store.read { try $0.outbox(in: source) }.map(\.packet) == [packet])
}

/// A signal strength that is no number comes from a broken or hostile radio.
@Test func aSignalStrengthThatIsNoNumberIsUnknown() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let packet = MeshPacket(from: alice, to: bob, id: 1, payload: .none, rxSNR: .nan, rxRSSI: -5)
    try store.commit { writer in
        try writer.logPacket(packet, direction: .rx, in: source, at: noon)
        let telemetry = Telemetry(kind: .device, values: [.init("voltage", 4.05)])
        try writer.insertTelemetry(telemetry, from: alice, packet: packet, in: source, at: noon)
    }
    #expect(try store.read { try $0.packets(PacketQuery(in: source)) }.map(\.packet.rxSNR) == [0])
    #expect(try store.read { try $0.telemetry(in: source) }.map(\.rxSNR) == [nil])
}

@Test func thePacketLogTakesFilters() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        for id in 1...30 as ClosedRange<PacketID> {
            let data = MeshData(port: id % 2 == 0 ? .textMessage : .position, payload: [1])
            let packet = MeshPacket(
                from: id % 3 == 0 ? alice : bob, to: .broadcast, id: id, payload: .decoded(data))
            try writer.logPacket(packet, direction: .rx, in: source, at: noon + Int64(id))
        }
    }
    try store.read { reader throws in
        #expect(try reader.packets(PacketQuery(in: source, limit: 2, offset: 1)).map(\.packet.id) == [29, 28])
        #expect(try reader.packets(PacketQuery(in: source, from: alice, limit: 2)).map(\.packet.id) == [30, 27])
        #expect(try reader.packets(PacketQuery(in: source, to: bob)).isEmpty)
        #expect(
            try reader.packets(PacketQuery(in: source, from: alice, port: .position)).map(\.packet.id) == [
                27, 21, 15, 9, 3,
            ])
        #expect(try reader.packets(PacketQuery(in: source, since: noon + 29)).map(\.packet.id) == [30, 29])
    }
}
