import MeshModel
import Store
import Testing

/// A packet says of itself how many hops it took, its message and its node say the same, and the packet log's SQL finds
/// exactly those packets that took none.
@Suite struct HopsAreCountedByOneRule {
    /// hop start | hop limit | bitfield | hops away, nil: unknown
    private static let table: [(start: UInt32, limit: UInt32, bitfield: UInt32?, hops: UInt32?)] = [
        (3, 3, 1, 0), (3, 3, nil, 0), (7, 7, 0, 0), (3, 2, 1, 1), (7, 0, nil, 7),
        // Sent for neighbours only. Firmware before 2.3 sends no hop start, which looks the same but for the bitfield.
        (0, 0, 1, 0), (0, 0, 0, 0), (0, 0, nil, nil),
        // A relay that does not count down has raised the limit.
        (0, 3, 1, nil), (0, 3, nil, nil), (3, 4, 1, nil), (3, 7, nil, nil),
    ]

    @Test func byPacketMessageNodeAndLog() throws {
        let test = try TestGateway()
        let senders = (0..<Self.table.count).map { NodeNumber(0xB000_0000 + UInt32($0)) }
        for (sender, row) in zip(senders, Self.table) {
            let packet = MeshPacket.text("hello", from: sender, id: 100 + sender.rawValue) { packet, data in
                (packet.hopStart, packet.hopLimit, data.bitfield) = (row.start, row.limit, row.bitfield)
            }
            #expect(packet.hopsAway == row.hops, "\(row)")
            try test.hear(packet)
        }

        let source = try test.source
        let messages = try test.store.read { try $0.messages(MessageQuery(source: source)) }
        let direct = try test.store.read { try $0.directNeighbors(in: source, since: 0, own: own) }.map(\.number)
        for (sender, row) in zip(senders, Self.table) {
            #expect(try test.node(sender)?.hopsAway == row.hops, "\(row)")
            #expect(direct.contains(sender) == (row.hops == 0), "\(row)")
            // A message's row has no bitfield.
            let message = try #require(messages.first { $0.from == sender })
            #expect(message.hopsAway == (row.start == 0 ? nil : row.hops), "\(row)")
        }
    }
}
