import Foundation
import MeshModel
import Store
import Testing

@testable import Gateway
@testable import RestAPI
@testable import Store

/// What a stream cannot tell row by row is `missed`, with everything that is to be read anew, and nothing else is.
@Suite struct AStreamHidesNothingThatItCannotTell {
    private static let now = TestGateway.now

    private func reload(_ told: EventReader.Told) throws -> Set<String> {
        Set(try #require(try told.json["reload"] as? [String]))
    }

    private func change(_ test: TestGateway, waypoints: Int) throws {
        let id = test.id
        for _ in 0..<waypoints / 500 {
            try test.store.commit { writer in
                for number in 1...500 {
                    try writer.upsertWaypoint(Waypoint(id: UInt32(number)), from: NodeNumber(1), in: id, at: Self.now)
                }
            }
        }
    }

    /// Where a stream stands that has been told everything but of nodes.
    private func place(_ test: TestGateway, nodes: Int64) throws -> String {
        var place = EventPlace(condition: test.gateway.conditions.next - 1, nodes: nodes)
        place.change = try test.store.read { try $0.newestChange() }
        place.time = try test.store.read { try $0.newestMessageTime() }
        return try test.seal().id(of: place)
    }

    /// A Raspberry Pi learns the time while somebody follows: rows of before have got other times.
    @Test func aClockThatIsSetRight() throws {
        let test = try TestGateway()
        try test.insert("in 1970", packetID: 1, at: 60_000)
        let reader = try EventReader(test)
        _ = try reader.read()
        try test.store.commit { try $0.clockWasSet(by: Self.now, at: 120_000) }
        let told = try reader.read()
        #expect(told.first?.kind == "missed")
        #expect(try told[0].json["count"] is NSNull)
        #expect(try reload(told[0]).isSuperset(of: ["message", "node", "position", "telemetry", "waypoint", "packet"]))
        let message = try #require(told.first { $0.kind == "message" })
        #expect(try message.json["timestamp"] as? Int64 == Self.now + 60_000)
        try test.insert("later", packetID: 2, at: Self.now + 120_000)
        #expect(try reader.read().map(\.kind) == ["message"])
    }

    /// Who follows packets alone is no worse off when changes of other kinds are no longer kept.
    @Test func whoFollowsNothingOfItHasMissedNothing() throws {
        let test = try TestGateway()
        let reader = try EventReader(test, "/api/v1/events?kinds=packet,status")
        _ = try reader.read()
        try change(test, waypoints: 20_500)
        #expect(try reader.read().isEmpty)
        let again = try EventReader(test, "/api/v1/events?kinds=packet,status", lastEventID: reader.lastID)
        #expect(try again.read().map(\.kind) == ["start"])
    }

    /// Whose id says nothing may have missed anything that he follows.
    @Test func anIDThatSaysNothing() throws {
        let test = try TestGateway()
        for (kinds, expected) in [
            ("packet", ["packet"]), ("status,problem", ["status", "problem"]),
            ("message,packet", ["message", "packet"]),
        ] {
            let told = try EventReader(test, "/api/v1/events?kinds=\(kinds)", lastEventID: "x").read()
            try #require(told.map(\.kind) == ["start", "missed"], "\(kinds): \(told)")
            #expect(try reload(told[1]) == Set(expected))
        }
    }

    /// The log of packets was emptied while somebody was away, and its numbers begin again.
    @Test func anEmptiedLogOfPackets() throws {
        let test = try TestGateway()
        let id = test.id
        func log(_ count: UInt32) throws {
            try test.store.commit { writer in
                for number in 1...count {
                    let packet = MeshPacket(
                        from: TestGateway.peer, to: .broadcast, id: number,
                        payload: .decoded(MeshData(port: .textMessage, payload: [65])), hopStart: 3)
                    try writer.logPacket(packet, direction: .rx, in: id, at: Self.now)
                }
            }
        }
        try log(9)
        let reader = try EventReader(test, "/api/v1/events?kinds=packet")
        _ = try reader.read()
        try test.store.commit { try $0.connection.execute("DELETE FROM packets") }
        try log(3)
        let told = try reader.read()
        #expect(told.map(\.data) == [#"{"count":null,"reload":["packet"]}"#])
        try log(1)
        #expect(try reader.read().map(\.kind) == ["packet"])
    }

    /// Hundreds of other changes came while a node was waiting for its second: it is told at once all the same.
    @Test func aNodeThatWaitedBehindMuchElse() throws {
        let test = try TestGateway()
        try change(test, waypoints: 500)
        let before = try test.store.read { try $0.newestChange() }
        try change(test, waypoints: 1500)
        try test.update(TestGateway.peer) { $0.longName = "late" }
        let again = try EventReader(
            test, "/api/v1/events?kinds=node", lastEventID: place(test, nodes: before))
        #expect(try again.news().map(\.kind) == ["node"])
    }

    /// So many that the node's change is no longer kept.
    @Test func aNodeThatWaitedForTooLong() throws {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { $0.longName = "lost" }
        try change(test, waypoints: 20_500)
        let again = try EventReader(test, "/api/v1/events?kinds=node", lastEventID: place(test, nodes: 0))
        #expect(try again.news().map(\.data) == [#"{"count":null,"reload":["node"]}"#])
        try test.update(TestGateway.peer) { $0.longName = "later" }
        #expect(try again.news().map(\.kind) == ["node"])
    }
}
