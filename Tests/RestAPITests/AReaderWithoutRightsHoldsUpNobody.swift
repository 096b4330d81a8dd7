import MeshModel
import Store
import Testing

@testable import RestAPI
@testable import Store

/// Who may know nothing of all that there is to look through comes on in short steps, between which others have their turn,
/// and does not begin anew when he breaks off.
@Suite struct AReaderWithoutRightsHoldsUpNobody {
    private static let now = TestGateway.now

    @Test func ofChanges() throws {
        let test = try TestGateway()
        let token = try test.token(["info:read"])
        let reader = try EventReader(test, as: token)
        _ = try reader.read()
        let (id, first) = (test.id, try test.place(reader.lastID, of: token).change)
        for _ in 0..<8 {
            try test.store.commit { writer in
                for number in 1...500 {
                    try writer.upsertWaypoint(Waypoint(id: UInt32(number)), from: NodeNumber(1), in: id, at: Self.now)
                }
            }
        }
        #expect(try reader.read().isEmpty)
        #expect(reader.chunks > 4, "4,000 changes in \(reader.chunks) steps")
        #expect(try test.place(reader.lastID, of: token).change > first + 3_000)
    }

    @Test func ofPackets() throws {
        let test = try TestGateway()
        let token = try test.token(["packetmonitor:read", "channel_7:read"])
        let reader = try EventReader(test, "/api/v1/events?kinds=packet", as: token)
        _ = try reader.read()
        let id = test.id
        try test.store.commit { writer in
            for number in 1...3_000 as ClosedRange<UInt32> {
                let packet = MeshPacket(
                    from: TestGateway.peer, to: .broadcast, channel: 1, id: number,
                    payload: .decoded(MeshData(port: .textMessage, payload: [65])), hopStart: 3)
                try writer.logPacket(packet, direction: .rx, in: id, at: Self.now)
            }
        }
        #expect(try reader.read().isEmpty)
        #expect(reader.chunks > 4, "3,000 packets in \(reader.chunks) steps")
        #expect(try test.place(reader.lastID, of: token).packet > 2_000)
    }

    @Test func ofMessagesSince() throws {
        let test = try TestGateway()
        let token = try test.token(["messages:read", "channel_7:read"])
        let id = test.id
        for part in 0..<4 as Range<Int64> {
            try test.store.commit { writer in
                for number in 1...500 as ClosedRange<Int64> {
                    let (place, time) = (part * 500 + number, Self.now + part * 500 + number)
                    try writer.insertMessage(
                        Message(
                            id: "", from: TestGateway.peer, to: .broadcast, text: "text \(place)", channel: 1,
                            packetID: PacketID(place), timestamp: time, createdAt: time, updatedAt: time), in: id)
                }
            }
        }
        let place = EventPlace(condition: 1, change: 9_007_199_254_740_991, packet: 0, time: Self.now, nodes: 0)
        let reader = try EventReader(test, as: token, lastEventID: try test.seal(token).id(of: place))
        #expect(try reader.read().map(\.kind) == ["start", "missed"])
        #expect(reader.chunks > 8, "2,000 messages in \(reader.chunks) steps")
        try test.insert("seen", packetID: 9_000, at: Self.now + 9_000) { $0.channel = 7 }
        #expect(try reader.read().map(\.kind) == ["message"])
    }

    /// Whose token shows no messages is not led through them: there is nothing to look for.
    @Test func ofKindsThatNoneOfItsRightsShows() throws {
        let test = try TestGateway()
        let (id, token) = (test.id, try test.token(["traceroute:read"]))
        try test.insert("known", packetID: 9_000, at: Self.now)
        let before = try EventReader(test, as: token)
        _ = try before.read()
        for part in 0..<2 as Range<Int64> {
            try test.store.commit { writer in
                for number in 1...500 as ClosedRange<Int64> {
                    let (place, time) = (part * 500 + number, Self.now + part * 500 + number)
                    try writer.insertMessage(
                        Message(
                            id: "", from: TestGateway.peer, to: .broadcast, text: "text \(place)", channel: 1,
                            packetID: PacketID(place), timestamp: time, createdAt: time, updatedAt: time), in: id)
                }
            }
        }
        // The changes of that time are no longer kept.
        try test.store.commit {
            try $0.connection.execute("DELETE FROM changes WHERE number < (SELECT max(number) FROM changes)")
        }
        let reader = try EventReader(test, as: token, lastEventID: before.lastID)
        let told = try reader.read()
        #expect(told.map(\.kind) == ["start", "missed"])
        #expect(try told.last?.json["reload"] as? [String] == ["traceroute"])
        #expect(reader.chunks <= 2, "1,000 messages in \(reader.chunks) steps")
        // From here on it is a stream as any other.
        try test.store.commit { writer in
            try writer.insertTraceroute(
                from: TestGateway.own, to: TestGateway.peer, packetID: 21,
                route: RouteDiscovery(route: [], snrTowards: [24]),
                in: id, at: Self.now)
        }
        #expect(try reader.read().map(\.kind) == ["traceroute"])
    }
}
