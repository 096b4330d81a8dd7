import MeshModel
import Testing

@testable import Store

@Test func traceroutesAreFoundByTheirNodes() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let carol = NodeNumber(0xCA40_1003)
    try store.commit { writer in
        let pairs = [(alice, bob), (bob, alice), (alice, carol), (alice, bob)]
        for (place, pair) in pairs.enumerated() {
            try writer.insertTraceroute(
                from: pair.0, to: pair.1, packetID: PacketID(place), route: nil, in: source, at: noon + Int64(place))
        }
    }
    try store.read { reader throws in
        #expect(try reader.traceroutes(in: source).map(\.packetID) == [3, 2, 1, 0])
        #expect(try reader.traceroutes(in: source, from: alice).map(\.packetID) == [3, 2, 0])
        #expect(try reader.traceroutes(in: source, to: alice).map(\.packetID) == [1])
        #expect(try reader.traceroutes(in: source, from: alice, to: bob, limit: 1).map(\.packetID) == [3])
        #expect(try reader.traceroutes(in: source, since: noon + 2).map(\.packetID) == [3, 2])
        #expect(try reader.traceroutes(between: bob, and: alice, in: source, limit: 9).map(\.packetID) == [3, 1, 0])
        #expect(try reader.traceroutes(between: alice, and: bob, in: source, limit: 2).map(\.packetID) == [3, 1])
        #expect(try reader.tracerouteCount(in: source, limit: 100) == 4)
        #expect(try reader.tracerouteCount(in: source, limit: 3) == 3)
    }
}

@Test func neighboursThatReportEachOtherAreBidirectional() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    let carol = NodeNumber(0xCA40_1003)
    let pairs: [(NodeNumber, [NodeNumber])] = [(alice, [carol, bob]), (bob, [alice])]
    try store.commit { writer in
        for (node, neighbors) in pairs {
            let info = NeighborInfo(
                number: node, lastSentBy: node, broadcastInterval: 0,
                neighbors: neighbors.map { .init(number: $0, snr: -3.5, lastRxTime: 77) })
            try writer.replaceNeighbors(info, in: source, at: noon)
        }
        // What another radio heard tells nothing about this one's mesh.
        var other = Source.example
        other.uuid = "other"
        let stranger = try writer.insert(other)
        let info = NeighborInfo(
            number: carol, lastSentBy: carol, broadcastInterval: 0, neighbors: [.init(number: alice, snr: 1)])
        try writer.replaceNeighbors(info, in: stranger, at: noon)
    }
    let links = try store.read { try $0.neighborLinks(in: source) }
    #expect(links.map(\.node) == [alice, alice, bob])
    #expect(links.map(\.neighbor) == [carol, bob, alice])
    #expect(links.map(\.place) == [0, 1, 0])
    #expect(links.map(\.isBidirectional) == [false, true, true])
    #expect(links.allSatisfy { $0.snr == -3.5 && $0.lastRxTime == 77 && $0.at == noon })
}
