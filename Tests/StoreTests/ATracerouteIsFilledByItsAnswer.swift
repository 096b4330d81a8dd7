import MeshModel
import Testing

@testable import Store

private let route = RouteDiscovery(
    route: [NodeNumber(1_127_301_256), .broadcast], snrTowards: [24, -13, -128], routeBack: [], snrBack: [-8])

@Test func aTracerouteIsFilledByItsAnswer() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        try writer.insertTraceroute(from: alice, to: bob, packetID: 1, route: nil, in: source, at: noon)
        try writer.insertTraceroute(from: alice, to: bob, packetID: 2, route: nil, in: source, at: noon + 1)
        for _ in 1...2 {
            try writer.completeTraceroute(
                from: alice, to: bob, requestID: 1, packetID: 50, route: route, in: source, at: noon + 300_000)
        }
    }
    let rows = try store.read { try $0.traceroutes(in: source) }
    #expect(rows.map(\.packetID) == [2, 1])
    #expect(rows.map(\.route) == [nil, route])
    #expect(rows.map(\.answeredAt) == [nil, noon + 300_000])
    #expect(rows.allSatisfy { $0.from == alice && $0.to == bob })
}

@Test func anAnswerThatNobodyWaitsForIsARowOfItsOwn() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        try writer.insertTraceroute(from: alice, to: bob, packetID: 1, route: nil, in: source, at: noon)
        // Five minutes have passed.
        for _ in 1...2 {
            try writer.completeTraceroute(
                from: alice, to: bob, requestID: 1, packetID: 50, route: route, in: source, at: noon + 300_001)
        }
    }
    let rows = try store.read { try $0.traceroutes(in: source) }
    #expect(rows.map(\.route) == [route, nil])
    #expect(rows.map(\.from) == [bob, alice])
    #expect(rows.map(\.to) == [alice, bob])
}

@Test func fiftyTraceroutesAreKeptForAPair() throws {
    let folder = Folder()
    let (store, source) = try Store.withSource(folder)
    try store.commit { writer in
        try writer.insertTraceroute(from: bob, to: alice, packetID: 1000, route: nil, in: source, at: noon)
        for id in 1...60 as ClosedRange<PacketID> {
            try writer.insertTraceroute(
                from: alice, to: bob, packetID: id, route: nil, in: source, at: noon + Int64(id))
        }
    }
    let rows = try store.read { try $0.traceroutes(in: source, from: alice, to: bob, limit: 1000) }
    #expect(rows.compactMap(\.packetID) == (11...60).reversed())
    #expect(try store.read { try $0.traceroutes(in: source, from: bob) }.count == 1)
}
