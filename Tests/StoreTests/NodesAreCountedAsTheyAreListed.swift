import MeshModel
import Testing

@testable import Store

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
