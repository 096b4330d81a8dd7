import MeshModel
import Testing

@testable import Store

@Suite struct NeighboursAreBounded {
    private func report(_ node: UInt32, _ count: Int) -> NeighborInfo {
        NeighborInfo(
            number: NodeNumber(node), lastSentBy: NodeNumber(node), broadcastInterval: 900,
            neighbors: (0..<count).map { .init(number: NodeNumber(UInt32($0 + 1)), snr: 1) })
    }

    /// As many as a packet can hold.
    @Test func aNodeHasSoManyAtMost() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        try store.commit { [self] in try $0.replaceNeighbors(report(7, 100), in: source, at: 1) }
        let links = try store.read { try $0.neighborLinks(in: source) }
        #expect(links.map(\.neighbor.rawValue) == (1...UInt32(Writer.neighborLimit)).map { $0 })
    }

    /// A flood of made-up reports drives out the oldest, with all that they say.
    @Test func theOldestReportsMakeWay() throws {
        let folder = Folder()
        let (store, source) = try Store.withSource(folder)
        defer { store.close() }
        var second = Source.example
        second.uuid = "other"
        let other = try store.commit { [second] in try $0.insert(second) }
        let count = UInt32(Writer.neighborReportLimit)
        try store.commit { [self] writer in
            try writer.replaceNeighbors(report(7, 2), in: other, at: 1)
            for node in 1...count { try writer.replaceNeighbors(report(node, 2), in: source, at: Int64(node)) }
        }
        #expect(try store.read { try $0.neighborPlaces(in: source, channels: nil) }.count == 2 * Int(count))
        // The oldest one speaks again, and then a new one comes.
        try store.commit { [self] writer in
            try writer.replaceNeighbors(report(1, 2), in: source, at: Int64(count) + 1)
            try writer.replaceNeighbors(report(count + 1, 2), in: source, at: Int64(count) + 2)
        }
        let reports = try store.read { try $0.neighbors(in: source) }
        #expect(reports.count == Int(count) * 15 / 16)
        #expect(reports.map(\.node.rawValue).prefix(1) == [1] && reports.last?.node.rawValue == count + 1)
        #expect(reports.allSatisfy { $0.node.rawValue == 1 || $0.node.rawValue > count / 16 })
        #expect(try store.read { try $0.neighborLinks(in: source) }.count == 2 * reports.count)
        #expect(try store.read { try $0.neighbors(in: other) }.count == 1)
    }
}
