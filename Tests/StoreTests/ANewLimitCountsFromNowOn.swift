import MeshModel
import Testing

@testable import Store

@Suite struct ANewLimitCountsFromNowOn {
    private let folder = Folder()

    @Test func ofAge() throws {
        let (store, source) = try Store.withSource(folder, retention: .unlimited)
        let now = noon + 30 * day
        try store.commit { writer in
            for place in 0..<3 {
                let packet = MeshPacket(from: alice, to: bob, id: PacketID(place + 1), payload: .none)
                try writer.logPacket(packet, direction: .rx, in: source, at: noon + Int64(place) * 10 * day)
            }
        }
        #expect(try store.commit { try $0.pruneOld(now: now) } == 0)
        store.retention.packets = 15 * day
        #expect(try store.commit { try $0.pruneOld(now: now) } == 2)
        #expect(
            store.retention
                == Retention(
                    telemetry: nil, positions: nil, packets: 15 * day, messages: nil, feed: nil, size: nil))
    }

    /// Also when there was nothing left to delete for the limit before.
    @Test func ofSize() throws {
        let retention = Retention(telemetry: nil, positions: nil, packets: nil, messages: nil, size: 100_000)
        let (store, source) = try Store.withSource(folder, retention: retention)
        func rows() throws -> Int64? { try secondConnection(store).integer("SELECT count(*) FROM packets") }
        func fill(_ numbers: Range<UInt32>) throws {
            for number in numbers {
                try store.commit { writer in
                    let packet = MeshPacket(
                        from: alice, to: .broadcast, id: number, payload: .encrypted([UInt8](repeating: 7, count: 200)))
                    try writer.logPacket(packet, direction: .rx, in: source, at: noon + Int64(number))
                }
            }
        }
        store.retention = .unlimited
        try fill(1..<1000)
        #expect(try rows() == 999, "without a limit everything stays")
        store.retention = retention
        try fill(1000..<1050)
        var isBusy = true
        for _ in 0..<2000 where isBusy { isBusy = try store.commit { $0.pruning != nil } }
        #expect(!isBusy)
        #expect(try #require(try rows()) < 500)
    }
}
