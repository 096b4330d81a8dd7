import MeshModel
import Testing

@testable import Store

@Suite struct ASliceEndsByTheClock {
    private let folder = Folder()

    private func store(rows: Int) throws -> (Store, SourceID) {
        let week = Retention(telemetry: 7 * day, positions: nil, packets: 7 * day, messages: 7 * day, size: nil)
        let (store, source) = try Store.withSource(folder, retention: week)
        try store.commit { writer in
            for place in 0..<rows {
                let packet = MeshPacket(from: alice, to: bob, id: PacketID(place + 1), payload: .none)
                try writer.logPacket(packet, direction: .rx, in: source, at: noon)
                try writer.insertMessage(.received("x", id: packet.id, at: noon), in: source)
            }
        }
        return (store, source)
    }

    /// A clock that goes on by a millisecond whenever it is looked at: how much fits into a slice is then certain.
    @Test func soManyBatchesAndNoMore() throws {
        let (store, _) = try store(rows: 1000)
        let slices = try store.commit { writer -> [Int] in
            try writer.connection.prepare("INSERT INTO host_clock VALUES (1, ?1, ?1 - 86400000)")
                .bind(noon + 9 * day).run()
            try writer.expire(at: noon + 9 * day)
            var (slices, time): ([Int], UInt64) = ([], 0)
            while writer.pruning != nil {
                slices.append(
                    try writer.prune {
                        time += 1_000_000
                        return time
                    })
            }
            return slices
        }
        // The newest message stays.
        #expect(slices.reduce(0, +) == 1999)
        let batches = Int(Writer.sliceTime / 1_000_000)
        #expect(slices.first == batches * AgingTable.packets.batch)
        #expect(slices.allSatisfy { $0 <= batches * AgingTable.packets.batch })
        #expect(slices.filter { $0 == batches * AgingTable.messages.batch }.count > 20)
    }

    /// Each is a transaction of its own, and others come in between.
    @Test func othersComeInBetween() throws {
        let (store, source) = try store(rows: 5000)
        try store.commit { writer in
            try writer.connection.prepare("INSERT INTO host_clock VALUES (1, ?1, ?1 - 86400000)")
                .bind(noon + 9 * day).run()
        }
        let before = store.health.commits
        store.enqueue(.immediate, { try $0.expire(at: noon + 9 * day) })
        var left: [Int] = []
        // Each of these is an urgent change that finds the writer at work.
        repeat {
            left.append(
                try store.commit { writer in
                    Int(try writer.connection.integer("SELECT count(*) FROM messages WHERE source = 1") ?? 0)
                })
        } while left.last! > 1 && left.count < 100_000
        #expect(left.last == 1)
        // While it was done, not only after it.
        #expect(left.contains { $0 > 1 && $0 < 5000 })
        #expect(store.health.commits - before > 3)
        #expect(store.health.prunedRows >= 9_000)
        _ = source
    }
}
