import MeshModel
import Testing

@testable import Store

/// The kept number goes with the rows: through changes that are undone, groups, and a new start.
@Test func theKeptNumberIsThatOfTheRows() throws {
    struct Undone: Error {}
    let folder = Folder()
    let (first, source) = try Store.withSource(folder)
    var store = first
    func rows() throws -> Int64? { try secondConnection(store).integer("SELECT count(*) FROM nodes") }
    for round in 0..<3 as Range<UInt32> {
        for number in 10..<20 as Range<UInt32> {
            store.enqueue(
                .grouped, { try $0.updateNode(NodeNumber(number), in: source, at: noon) { $0.rssi = Int(round) } })
        }
        _ = try? store.commit { writer in
            try writer.updateNode(NodeNumber(50 + round), in: source, at: noon) { $0.rssi = 1 }
            throw Undone()
        }
        try store.commit { writer in
            try writer.updateNode(NodeNumber(100 + round), in: source, at: noon) { _ in }
            try writer.updateNode(NodeNumber(100 + round), in: source, at: noon) { $0.rssi = 1 }
        }
        #expect(try rows() == Int64(11 + round))
        #expect(try store.read { try $0.counts(in: source).nodes } == 11 + Int(round))
        #expect(try store.read { try $0.counts(in: nil).nodes } == 11 + Int(round))
        store.close()
        store = try Store(path: folder.database)
    }
}

@Test func nodesAreCountedAsTheyAreListed() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let other = try store.commit { writer in
        for (number, channel, heard) in [(10, nil, 5), (11, 0, 6), (12, 1, nil), (13, 1, 7)] as [(UInt32, Int?, Int64?)]
        {
            try writer.updateNode(NodeNumber(number), in: source, at: noon) {
                ($0.channel, $0.lastHeard) = (channel, heard)
            }
        }
        var second = Source.example
        second.uuid = "other"
        let other = try writer.insert(second)
        for number in [11, 13, 14] as [UInt32] {
            try writer.updateNode(NodeNumber(number), in: other, at: noon) { _ in }
        }
        return other
    }
    try store.read { reader throws in
        for channels in [nil, [0], [1], [0, 1], []] as [[Int]?] {
            for since in [nil, 5, 6, 99] as [Int64?] {
                let numbers = try reader.nodeNumbers(in: source, heardSince: since, channels: channels)
                #expect(try reader.nodeCount(in: source, heardSince: since, channels: channels) == numbers.count)
            }
        }
        #expect(try reader.nodeCount(in: source) == 4)
        #expect(try reader.nodeCount(in: source, heardSince: 5, channels: [0]) == 1)
        #expect(try reader.nodeCount(in: other) == 3)
        #expect(try reader.sharedNodeNumbers() == [NodeNumber(11), NodeNumber(13)])
    }
}
