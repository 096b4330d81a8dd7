import MeshModel
import MeshProtocol
import Testing

@Suite struct TheMeshTellsOfItself {
    /// NeighborInfo: node_id 1, last_sent_by 2, interval 3, neighbors 4 { node_id 1, snr 2 }.
    static func neighborInfo(of number: NodeNumber, _ neighbors: [NodeNumber]) -> [UInt8] {
        varint(1, number.rawValue)
            + neighbors.flatMap { neighbor in
                let body = varint(1, neighbor.rawValue) + [0x15, 0, 0, 0xC0, 0x40]
                return [0x22, UInt8(body.count)] + body
            }
    }

    private static func varint(_ field: UInt8, _ value: UInt32) -> [UInt8] {
        var (bytes, rest) = ([field << 3], value)
        while rest > 127 {
            bytes.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    @Test func neighboursAreNodesThatWereNotHeard() throws {
        let test = try TestGateway()
        try test.hear(.heard(.neighborInfo, Self.neighborInfo(of: alice, [bob, .broadcast, NodeNumber(0)])))
        #expect(try test.node(bob) != nil)
        #expect(try test.node(bob)?.lastHeard == nil)
        #expect(try test.node(.broadcast) == nil)
        #expect(try test.node(NodeNumber(0)) == nil)
    }

    @Test func aNodeSpeaksForItselfAlone() throws {
        let test = try TestGateway()
        try test.hear(.heard(.neighborInfo, Self.neighborInfo(of: bob, [carol]), from: bob, id: 1))
        try test.hear(.heard(.neighborInfo, Self.neighborInfo(of: bob, []), from: alice, id: 2))
        let source = try test.source
        let reports = try test.store.read { try $0.neighbors(in: source) }
        #expect(reports.first { $0.node == bob }?.value.neighbors.map(\.number) == [carol])
        #expect(reports.first { $0.node == alice }?.value.neighbors.isEmpty == true)
    }

    @Test func aTracerouteAnswerIsKept() throws {
        let test = try TestGateway()
        let route = RouteDiscovery(
            route: [bob, .broadcast], snrTowards: [24, -128, 12], routeBack: [carol], snrBack: [20, 16])
        let answer = MeshPacket.heard(.traceroute, route.encoded(), to: own) { _, data in data.requestID = 555 }
        try test.hear(.packet(answer), .packet(answer))
        // Without a request id it is somebody's question.
        try test.hear(.heard(.traceroute, RouteDiscovery().encoded(), from: bob, to: own, id: 78))
        let source = try test.source
        let rows = try test.store.read { try $0.traceroutes(in: source) }
        #expect(rows.count == 1)
        #expect(rows.first?.route == route)
        #expect(try test.node(bob) != nil)
        #expect(try test.node(carol) != nil)
        #expect(try test.node(.broadcast) == nil)
    }

    @Test func statusAndPeopleCountedAreKept() throws {
        let test = try TestGateway()
        try test.hear(
            .packet(.heard(.nodeStatus, [0x0A, 5] + Array("Lunch".utf8), id: 1)),
            .packet(.heard(.paxcounter, Paxcount(wifi: 3, ble: 4, uptime: 60).encoded(), id: 2)))
        #expect(try test.node(alice)?.status == "Lunch")
        #expect(try test.node(alice)?.statusUpdatedAt == noon)
        let source = try test.source
        #expect(
            try test.store.read { try $0.paxcounts(in: source) }.map(\.value) == [Paxcount(wifi: 3, ble: 4, uptime: 60)]
        )
        #expect(try test.store.read { try $0.nodeStatuses(in: source) }.map(\.value) == ["Lunch"])
    }

    @Test func theRadiosNoticesAreKept() throws {
        let test = try TestGateway()
        let notice = ClientNotification(replyID: 9, time: noonSeconds, level: 30, message: "Duty cycle limit exceeded")
        try test.hear(.clientNotification(notice))
        let source = try test.source
        #expect(try test.store.read { try $0.notifications(in: source) }.map(\.notification) == [notice])
    }
}
