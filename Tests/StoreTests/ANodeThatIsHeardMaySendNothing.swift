import MeshModel
import Testing

@testable import Store

/// What a node has not sent for a week, although it was heard. Silent it is only when it was not heard.
@Suite struct ANodeThatIsHeardMaySendNothing {
    private let week = QuietNode.patience
    private let now: Int64 = 1_795_000_000_000

    @Test func isSaidOfWhoIsKnownLongEnoughAndHeard() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        let (since, now) = (now - week, now)
        @Sendable func known(_ number: UInt32, from: Int64, heard: Int64?, _ writer: Writer) throws {
            try writer.updateNode(NodeNumber(number), in: source, at: from) { $0.lastHeard = heard.map { $0 / 1000 } }
        }
        try store.commit { writer in
            try known(1, from: since - 10, heard: now, writer)
            try known(2, from: since - 10, heard: now, writer)
            try known(3, from: since - 10, heard: since - 5000, writer)
            try known(4, from: since + 10, heard: now, writer)
            try known(5, from: since - 10, heard: nil, writer)
            let packet = MeshPacket(from: NodeNumber(2), to: .broadcast, id: 1, payload: .none)
            let telemetry = Telemetry(kind: .device, values: [.init("batteryLevel", 50)])
            try writer.insertTelemetry(telemetry, from: NodeNumber(2), packet: packet, in: source, at: now)
        }
        let quiet = try store.read { try $0.quietNodes(since: since, in: source) }
        #expect(
            quiet == [
                QuietNode(number: NodeNumber(1), hasNoTelemetry: true, hasNoPosition: true),
                QuietNode(number: NodeNumber(2), hasNoTelemetry: false, hasNoPosition: true),
            ])
        #expect(
            try store.read { try $0.quietNodes(since: since, in: source, of: NodeNumber(2)) }.map(\.number.rawValue)
                == [2])
        #expect(try store.read { try $0.quietNodes(since: since, in: source, of: NodeNumber(3)) } == [])
    }
}
