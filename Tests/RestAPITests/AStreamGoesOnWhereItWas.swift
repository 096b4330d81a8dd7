import Foundation
import HTTPServer
import MeshModel
import Routes
import Testing

@testable import Gateway
@testable import RestAPI
@testable import Store

/// Who comes back with the id of the last event is told everything since; who was away for too long is told how much he has
/// missed, and is given every message all the same.
@Suite struct AStreamGoesOnWhereItWas {
    private static let now = TestGateway.now

    private func texts(_ told: [EventReader.Told]) throws -> [String] {
        try told.filter { $0.kind == "message" }.map { try #require(try $0.json["text"] as? String) }
    }

    @Test(arguments: [true, false]) func behindTheLastEvent(byHeader: Bool) throws {
        let test = try TestGateway()
        let first = try EventReader(test)
        try test.insert("one", packetID: 1, at: Self.now)
        try test.insert("two", packetID: 2, at: Self.now + 1)
        let told = try first.read()
        #expect(try texts(told) == ["one", "two"])
        try test.insert("three", packetID: 3, at: Self.now + 2)
        for (place, left) in [(1, ["two", "three"]), (2, ["three"]), (0, ["one", "two", "three"])] {
            let id = try #require(told[place].id)
            let again =
                byHeader
                ? try EventReader(test, lastEventID: id) : try EventReader(test, "/api/v1/events?after=\(id)")
            let rest = try again.read()
            #expect(rest[0].kind == "start" && rest[0].data.contains(#""resumed":true"#))
            #expect(try texts(rest) == left)
            #expect(!rest.contains { $0.kind == "missed" })
        }
        // What a browser sends by itself is newer than what stands in its URL.
        let id = try #require(told[2].id)
        let again = try EventReader(test, "/api/v1/events?after=\(told[0].id!)", lastEventID: id)
        #expect(try texts(again.read()) == ["three"])
    }

    /// The change log keeps 20,000 changes.
    private func fill(_ test: TestGateway) throws {
        let id = test.id
        for _ in 0..<41 {
            try test.store.commit { writer in
                for number in 1...500 {
                    try writer.upsertWaypoint(Waypoint(id: UInt32(number)), from: NodeNumber(1), in: id, at: Self.now)
                }
            }
        }
    }

    @Test func behindWhatIsNoLongerKept() throws {
        let test = try TestGateway()
        // Three hours ago: an hour is told twice.
        try test.insert("old", packetID: 1, at: Self.now - 10_800_000)
        try test.insert("mine", packetID: 2, at: Self.now - 10_800_000) { message in
            (message.isOwn, message.delivery) = (true, Delivery(state: .queued))
        }
        try test.insert("known", packetID: 3, at: Self.now)
        let reader = try EventReader(test)
        _ = try reader.read()
        let id = test.id
        for number in 10..<60 as Range<PacketID> {
            try test.insert("new \(number)", packetID: number, at: Self.now + Int64(number))
        }
        try test.store.commit { writer in
            _ = try writer.updateMessage(packetID: 2, in: id, at: Self.now + 5) { $0.delivery?.state = .confirmed }
        }
        try fill(test)
        try test.insert("last", packetID: 99, at: Self.now + 1000)
        let again = try EventReader(test, lastEventID: reader.lastID)
        let told = try again.read()
        #expect(told.map(\.kind).prefix(2) == ["start", "missed"])
        let missed = try told[1].json
        #expect((missed["count"] as? Int ?? 0) > 0)
        let reload = try #require(missed["reload"] as? [String])
        #expect(reload.contains("node") && reload.contains("telemetry") && !reload.contains("message"))
        // Who broke off now would begin with the messages once more.
        let interrupted = try EventReader(test, lastEventID: told[1].id)
        #expect(try texts(interrupted.read()) == texts(told))
        // What changed late comes first, then everything in its order.
        let expected = ["mine", "known"] + (10..<60).map { "new \($0)" } + ["last"]
        #expect(try texts(told) == expected)
        #expect(told.dropFirst(2).allSatisfy { $0.kind == "message" })
        // From there on it is a stream as any other.
        try test.insert("later", packetID: 100, at: Self.now + 2000)
        #expect(try texts(again.read()) == ["later"])
        let after = try EventReader(test, lastEventID: again.lastID).read()
        #expect(after.count == 1)
        #expect(again.largestChunk <= 16_384)
    }

    /// A token without the channel is given none of its messages there either.
    @Test func theMessagesOfThatTimeGoByTheTokensRights() throws {
        let test = try TestGateway()
        let token = try test.token(["messages:read", "channel_1:read"])
        try test.insert("known", packetID: 3, at: Self.now)
        let reader = try EventReader(test, as: token)
        _ = try reader.read()
        for channel in [0, 1, -1, 7] {
            try test.insert("on \(channel)", packetID: PacketID(50 + channel), at: Self.now + 1) {
                $0.channel = channel
            }
        }
        try fill(test)
        let again = try EventReader(test, as: token, lastEventID: reader.lastID)
        #expect(try Set(texts(again.read())) == ["on 1", "on -1"])
    }

    /// A slow reader is overtaken in the middle of the stream.
    @Test func aReaderThatIsOvertakenIsToldSo() throws {
        let test = try TestGateway()
        let reader = try EventReader(test)
        _ = try reader.read()
        try test.insert("one", packetID: 1, at: Self.now)
        try fill(test)
        let told = try reader.read()
        #expect(told.first?.kind == "missed")
        #expect(try texts(told) == ["one"])
    }

    @Test(arguments: [
        "", "x", "1.2.3", "1.2.3.4.5", "9999999999999999999.1.1.1.1", "\u{1F600}", "0",
        String(repeating: "A", count: 86), String(repeating: "A", count: 400),
    ])
    func garbageIsSomebodyWhoHasMissedEverything(_ id: String) throws {
        let test = try TestGateway()
        try test.insert("old", packetID: 1, at: Self.now)
        let told = try EventReader(test, lastEventID: id).read()
        guard !id.isEmpty else { return #expect(told.map(\.kind) == ["start"]) }
        #expect(told.map(\.kind) == ["start", "missed"])
        #expect(try told[1].json["count"] is NSNull)
        #expect(try (told[1].json["reload"] as? [String])?.contains("message") == true)
        // And then it goes on.
        let again = try EventReader(test, lastEventID: told[1].id)
        try test.insert("new", packetID: 2, at: Self.now + 1)
        #expect(try texts(again.read()) == ["new"])
        let asked = id == "\u{1F600}" ? "%F0%9F%98%80" : id
        #expect(
            try EventReader(test, "/api/v1/events?after=" + asked).read().map(\.kind) == ["start", "missed"])
    }

    /// The database was restored from a backup: its numbers begin again.
    @Test func anIDFromTheFutureIsNoneOfThisDatabase() throws {
        let test = try TestGateway()
        try test.insert("old", packetID: 1, at: Self.now)
        for place in [
            EventPlace(condition: 1, change: 500, packet: 0, time: Self.now, nodes: 500),
            EventPlace(condition: .max, change: .max, packet: .max, time: 0, nodes: 0),
        ] {
            let told = try EventReader(test, lastEventID: try test.seal().id(of: place)).read()
            #expect(told.map(\.kind).prefix(2) == ["start", "missed"], "\(told)")
            #expect(try texts(told) == ["old"])
        }
    }

    @Test func packetsGoOnByTheLog() throws {
        let test = try TestGateway()
        let reader = try EventReader(test, "/api/v1/events?kinds=packet")
        let id = test.id
        @Sendable func log(_ numbers: ClosedRange<UInt32>) throws {
            try test.store.commit { writer in
                for number in numbers {
                    let packet = MeshPacket(
                        from: TestGateway.peer, to: .broadcast, id: number,
                        payload: .decoded(MeshData(port: .textMessage, payload: [65])), hopStart: 3)
                    try writer.logPacket(packet, direction: .rx, in: id, at: Self.now)
                }
            }
        }
        func ids(_ told: [EventReader.Told]) throws -> [UInt32] {
            try told.filter { $0.kind == "packet" }.compactMap { try ($0.json["packet_id"] as? NSNumber)?.uint32Value }
        }
        try log(1...100)
        let told = try reader.read()
        #expect(try ids(told) == Array(1...100))
        try log(101...150)
        let again = try EventReader(test, "/api/v1/events?kinds=packet", lastEventID: told[50].id)
        #expect(try ids(again.read()) == Array(51...150))
        try test.store.commit { try $0.connection.execute("DELETE FROM packets WHERE id <= 120") }
        let late = try EventReader(test, "/api/v1/events?kinds=packet", lastEventID: told[50].id).read()
        #expect(late[1].kind == "missed" && late[1].data == #"{"count":70,"reload":["packet"]}"#)
        #expect(try ids(late) == Array(121...150))
    }

    /// The ring of the link keeps 64 events.
    @Test func theLinkGoesOnByItsRing() throws {
        let test = try TestGateway()
        let reader = try EventReader(test, "/api/v1/events?kinds=solved")
        let problem = Problem(.regionUnset, "set it")
        func tell(_ count: Int) {
            for _ in 0..<count { test.gateway.events.tell(.solved(problem), from: test.id, at: Self.now) }
        }
        _ = try reader.read()
        tell(3)
        #expect(try reader.read().count == 3)
        // A storm of packets pushes nothing out.
        for _ in 0..<2_000 { test.gateway.events.tell(.notice("x"), from: test.id, at: Self.now) }
        tell(10)
        let id = try #require(reader.lastID)
        #expect(try EventReader(test, "/api/v1/events?kinds=solved", lastEventID: id).news().count == 10)
        tell(100)
        let late = try EventReader(test, "/api/v1/events?kinds=solved,problem", lastEventID: id).news()
        #expect(late.first?.kind == "missed")
        #expect(late.first?.data == #"{"count":46,"reload":["problem","solved"]}"#)
        #expect(late.count == 65)
    }
}
