import MeshModel
import Testing

@testable import Store

@Suite struct OldReportsAreDeletedMessagesAndNodesNever {
    private let folder = Folder()

    /// A row of each kind at each of these ages.
    private func fill(_ store: Store, _ source: SourceID, ages: [Int64], before now: Int64) throws {
        try store.commit { writer in
            for (place, age) in ages.enumerated() {
                let packet = MeshPacket(from: alice, to: bob, id: PacketID(place + 1), payload: .none)
                let telemetry = Telemetry(kind: .device, values: [])
                let at = now - age
                try writer.logPacket(packet, direction: .rx, in: source, at: at)
                try writer.insertTelemetry(telemetry, from: alice, packet: packet, in: source, at: at)
                try writer.insertPosition(Position(), from: alice, packet: packet, in: source, at: at)
                try writer.insertPaxcount(
                    Paxcount(wifi: 1, ble: 2, uptime: 3), from: alice, packet: packet, in: source, at: at)
                try writer.insertNodeStatus("here", from: alice, packet: packet, in: source, at: at)
                try writer.insertTraceroute(
                    from: alice, to: bob, packetID: packet.id, route: nil, in: source, at: at)
                try writer.insertMessage(.received("\(place)", id: packet.id, at: at), in: source)
            }
            try writer.updateNode(alice, in: source, at: noon) { $0.longName = "Alice" }
        }
    }

    private func ids(_ table: String, _ store: Store) throws -> [Int64] {
        try secondConnection(store).once("SELECT packet_id FROM \(table) ORDER BY id").rows { $0.integer() }
    }

    @Test func eachKindByItsAge() throws {
        let retention = Retention(telemetry: 20 * day, positions: 40 * day, packets: 10 * day, messages: nil, size: nil)
        let (store, source) = try Store.withSource(folder, retention: retention)
        let now = noon + 400 * day
        try fill(
            store, source,
            ages: [400 * day, 40 * day + 1, 40 * day, 20 * day + 1, 20 * day, 10 * day + 1, 10 * day, 0],
            before: now)
        let deleted = try store.commit { try $0.pruneOld(now: now) }
        #expect(deleted == 6 + 3 * 4 + 2 * 2)
        #expect(try ids("packets", store) == [7, 8])
        for table in ["telemetry", "paxcounts", "node_statuses"] { #expect(try ids(table, store) == [5, 6, 7, 8]) }
        for table in ["positions", "traceroutes"] { #expect(try ids(table, store) == [3, 4, 5, 6, 7, 8]) }
        #expect(try ids("messages", store).count == 8)
        #expect(try store.read { try $0.node(alice, in: source) } != nil)
        #expect(try store.commit { try $0.pruneOld(now: now) } == 0)
    }

    @Test func whatIsKeptForEverStays() throws {
        let (store, source) = try Store.withSource(folder, retention: .unlimited)
        try fill(store, source, ages: [4000 * day, 0], before: noon + 4000 * day)
        #expect(try store.commit { try $0.pruneOld(now: noon + 4000 * day) } == 0)
    }

    /// A row that a clock years ahead has stored is passed over, and keeps nothing behind it alive.
    @Test func rowsFromTheFutureKeepNothingAlive() throws {
        let (store, source) = try Store.withSource(folder, retention: .month)
        try fill(store, source, ages: [40 * day, -900 * day, 39 * day, 0], before: noon)
        try store.commit { try $0.pruneOld(now: noon) }
        #expect(try ids("packets", store) == [2, 4])
        #expect(try ids("telemetry", store) == [2, 4])
    }

    @Test func thePacketLogIsBoundedForEachSource() throws {
        let (store, source) = try Store.withSource(folder, retention: .unlimited)
        let packet = MeshPacket(from: alice, to: bob, id: 1, payload: .none)
        let deleted = try store.commit { writer in
            var second = Source.example
            second.uuid = "other"
            let quiet = try writer.insert(second)
            try writer.logPacket(packet, direction: .rx, in: quiet, at: noon)
            for place in 1...(Retention.packetRows + 5) {
                try writer.logPacket(packet, direction: .rx, in: source, at: noon + Int64(place))
            }
            return try writer.pruneOld(now: noon)
        }
        #expect(deleted == 5)
        let all = try store.read { try $0.packets(PacketQuery(in: source, limit: .max)) }
        #expect(all.count == Retention.packetRows)
        #expect(all.last?.at == noon + 6)
    }
}
