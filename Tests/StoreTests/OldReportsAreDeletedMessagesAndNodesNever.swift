import MeshModel
import Testing

@testable import Store

@Test func oldReportsAreDeletedMessagesAndNodesNever() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let now = noon + 400 * day
    let ages: [Int64] = [
        400 * day, Retention.reportAge + 1, Retention.reportAge, Retention.packetAge + 1, Retention.packetAge, 0,
    ]
    try store.commit { writer in
        for (place, age) in ages.enumerated() {
            let packet = MeshPacket(from: alice, to: bob, id: PacketID(place + 1), payload: .none)
            let telemetry = Telemetry(kind: .device, values: [])
            try writer.logPacket(packet, direction: .rx, in: source, at: now - age)
            try writer.insertTelemetry(telemetry, from: alice, packet: packet, in: source, at: now - age)
            try writer.insertPosition(Position(), from: alice, packet: packet, in: source, at: now - age)
            _ = try writer.insertMessage(.received("\(place)", id: packet.id, at: now - age), in: source)
        }
        try writer.updateNode(alice, in: source, at: noon) { _ in }
    }
    let deleted = try store.commit { try $0.prune(now: now) }
    #expect(deleted == 4 + 2 + 2)
    try store.read { reader throws in
        #expect(try reader.packets(PacketQuery(in: source)).map(\.packet.id) == [6, 5])
        #expect(try reader.telemetry(in: source).map(\.packetID) == [6, 5, 4, 3])
        #expect(try reader.positions(in: source).map(\.packetID) == [6, 5, 4, 3])
        #expect(try reader.counts(in: source).messages == 6)
        #expect(try reader.node(alice, in: source) != nil)
    }
    #expect(try store.commit { try $0.prune(now: now) } == 0)
}

/// A clock that was years ahead for a while must not keep everything behind those rows alive.
@Test func rowsFromTheFutureKeepNothingAlive() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let packet = MeshPacket(from: alice, to: bob, id: 1, payload: .none)
    try store.commit { writer in
        for time in [noon + 900 * day, noon - 100 * day, noon] {
            try writer.logPacket(packet, direction: .rx, in: source, at: time)
        }
        _ = try writer.prune(now: noon)
    }
    #expect(try store.read { try $0.packets(PacketQuery(in: source)) }.map(\.at) == [noon])
}

@Test func thePacketLogIsBoundedForEachSource() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let packet = MeshPacket(from: alice, to: bob, id: 1, payload: .none)
    let deleted = try store.commit { writer in
        var second = Source.example
        second.uuid = "other"
        let quiet = try writer.insert(second)
        try writer.logPacket(packet, direction: .rx, in: quiet, at: noon)
        for place in 1...(Retention.packets + 5) {
            try writer.logPacket(packet, direction: .rx, in: source, at: noon + Int64(place))
        }
        return try writer.prune(now: noon)
    }
    #expect(deleted == 5)
    let all = try store.read { try $0.packets(PacketQuery(in: source, limit: .max)) }
    #expect(all.count == Retention.packets)
    #expect(all.last?.at == noon + 6)
}
