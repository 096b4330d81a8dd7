import MeshModel
import Testing

@testable import Store

@Suite struct TheDatabaseStaysWithinItsSize {
    static let size: Int64 = 2_000_000
    private let folder = Folder()
    private let store: Store
    private let source: SourceID

    init() throws {
        let retention = Retention(telemetry: nil, positions: nil, packets: nil, messages: nil, size: Self.size)
        (store, source) = try Store.withSource(folder, retention: retention)
    }

    private func rows(_ table: String) throws -> Int {
        Int(try secondConnection(store).integer("SELECT count(*) FROM \(table)") ?? 0)
    }

    /// So many of each kind, of ten nodes; each change as if a packet had come.
    private func fill(
        packets: Int = 0, telemetry: Int = 0, positions: Int = 0, messages: Int = 0, from first: Int = 0
    ) async throws {
        let source = source
        for place in first..<(first + max(packets, telemetry, positions, messages)) {
            let change: @Sendable (Writer) throws -> Void = { writer in
                let (number, at) = (NodeNumber(100 + UInt32(place % 10)), noon + Int64(place))
                let packet = MeshPacket(
                    from: number, to: .broadcast, id: PacketID(place + 1),
                    payload: .encrypted([UInt8](repeating: 7, count: 200)))
                if place < first + packets { try writer.logPacket(packet, direction: .rx, in: source, at: at) }
                if place < first + telemetry {
                    let values = [Telemetry.Value("batteryLevel", 87), .init("voltage", 3.7), .init("airUtilTx", 1.5)]
                    try writer.insertTelemetry(
                        Telemetry(kind: .device, values: values), from: number, packet: packet, in: source, at: at)
                }
                if place < first + positions {
                    try writer.insertPosition(
                        Position(latitudeI: 465_000_000, longitudeI: 75_000_000), from: number, packet: packet,
                        in: source, at: at)
                }
                if place < first + messages {
                    let text = "message number \(place) of them all"
                    try writer.insertMessage(.received(text, from: number, id: packet.id, at: at), in: source)
                }
            }
            store.enqueue(.grouped, change)
            // Not more than the queue takes, and of texts not more at once than a mesh ever says.
            let flood = messages > 0 ? 4 : 4000
            if place % flood == flood - 1 { try store.commit { _ in } }
        }
        try await idle()
    }

    /// Waits until nothing is left to delete.
    private func idle() async throws {
        // The size is looked at when a group is committed, which is after this change, together with what came before it.
        try store.commit { _ in }
        for _ in 0..<2000 {
            let isBusy = try store.commit { $0.pruning != nil }
            if !isBusy { return }
        }
        Issue.record("the writer goes on deleting")
    }

    /// - Parameter ahead: bytes by which the file may have grown beyond the size for a moment.
    private func expectWithinSize(ahead: Int64 = 0) throws {
        let used = try store.read { try $0.usage() }.used
        #expect(used <= Retention.upperMark(Self.size))
        let pages = try secondConnection(store).integer("PRAGMA page_count") ?? 0
        #expect(pages * 1024 <= Self.size + ahead)
    }

    @Test func aFloodOfPacketsTakesNothingFromMessages() async throws {
        try await fill(telemetry: 200, positions: 200, messages: 1000)
        try await fill(packets: 12_000, from: 1000)
        try expectWithinSize()
        #expect(try rows("messages") == 1000)
        #expect(try rows("telemetry") == 200)
        #expect(try rows("positions") == 200)
        let kept = try rows("packets")
        #expect(kept > 1000)
        #expect(store.health.prunedRows == 12_000 - kept)
        // The newest ones.
        let usage = try store.read { try $0.usage() }
        #expect(usage.oldestPacket == noon + 13_000 - Int64(kept))
        #expect(usage.oldestMessage == noon)
    }

    @Test func telemetryGoesBeforePositions() async throws {
        try await fill(packets: 1000, positions: 2000)
        try await fill(telemetry: 20_000, from: 2000)
        try expectWithinSize()
        // The packet log down to its share, before anything else.
        #expect(try Int64(rows("packets")) == AgingTable.packets.share(of: Self.size))
        #expect(try rows("positions") == 2000)
        #expect(try (1000..<20_000).contains(rows("telemetry")))
    }

    @Test func messagesGoLastAndKeepTheirShare() async throws {
        try await fill(packets: 1000, telemetry: 2000, positions: 2000, messages: 8000)
        // Thousands of texts a second, faster than any mesh: their pages in eight indexes come free one by one, so that the
        // file of two megabytes can get a few dozen kilobytes ahead, and twice that where deleting is slow. Of 200 MB that would
        // be nothing.
        try expectWithinSize(ahead: 250_000)
        let messages = try rows("messages")
        #expect(messages < 8000)
        #expect(Int64(messages) >= AgingTable.messages.share(of: Self.size))
        for table in [AgingTable.packets, .telemetry, .positions] {
            #expect(try Int64(rows(table.name)) == table.share(of: Self.size))
        }
        let source = source
        #expect(try store.read { try $0.counts(in: source).messages } == messages)
        #expect(try store.read { try $0.message(packetID: 8000, from: nil, in: source) } != nil)
        #expect(try store.read { try $0.message(packetID: 1, from: nil, in: source) } == nil)
    }

    /// What cannot be deleted makes no endless work.
    @Test func nodesAloneMayBeTooMuch() async throws {
        let source = source
        for first in stride(from: 0, to: 12_000, by: 1000) {
            try store.commit { writer in
                for number in first..<(first + 1000) {
                    try writer.updateNode(NodeNumber(UInt32(1000 + number)), in: source, at: noon) { node in
                        node.longName = "A node with quite a long name, whose row is large \(number)"
                        node.lastHeard = noon / 1000
                        node.publicKey = PublicKey([UInt8](repeating: 1, count: 32))
                    }
                }
            }
        }
        try await fill(packets: 300, messages: 300)
        let commits = store.health.commits
        try await fill(packets: 10, from: 300)
        #expect(store.health.commits - commits < 10)
        #expect(try rows("nodes") == 12_000)
    }
}
