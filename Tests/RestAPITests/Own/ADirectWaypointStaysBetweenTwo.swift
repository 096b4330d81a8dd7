import Foundation
import Gateway
import MeshModel
import MeshProtocol
import RadioSimulator
import Routes
import Testing

@testable import RestAPI
@testable import Store

/// A waypoint that came as a direct message is seen with `messages:read`, and a change goes to its sender alone.
@Suite struct ADirectWaypointStaysBetweenTwo {
    private static let path = "/api/v1/waypoints/7"
    private static let key = PublicKey([UInt8](repeating: 9, count: 32))!

    private func insert(_ test: TestGateway, from sender: NodeNumber = TestGateway.peer) throws {
        let id = test.id
        try test.store.commit { writer in
            try writer.upsertWaypoint(
                Waypoint(
                    id: 7, latitudeI: 465_000_000, longitudeI: 65_000_000, name: "Cache", description: "Key below"),
                from: sender, in: id, at: TestGateway.now)
        }
    }

    @Test func seenWithDirectMessagesOnly() throws {
        let test = try TestGateway()
        let map = ["nodes:read", "channels:viewOnMap"]
        let (blind, seeing) = (try test.token(map), try test.token(map + ["messages:read"]))
        let streams = (try EventReader(test, as: blind), try EventReader(test, as: seeing))
        _ = (try streams.0.read(), try streams.1.read())
        try insert(test)
        #expect(try test.ask("GET", "/api/v1/waypoints", as: blind).rows.isEmpty)
        #expect(try test.ask("GET", "/api/v1/waypoints", as: seeing).rows.map { $0["name"] as? String } == ["Cache"])
        let hidden = try test.ask("GET", Self.path, as: blind)
        #expect(hidden.status == 404 && hidden.message == "There is no waypoint 7")
        #expect(try test.ask("GET", Self.path, as: seeing).data["channel"] is NSNull)
        let id = test.id
        try test.store.commit { try $0.deleteWaypoint(id: 7, in: id) }
        #expect(try streams.0.read().isEmpty)
        let told = try streams.1.read()
        #expect(told.map(\.kind) == ["waypoint"] && told[0].data.contains(#""deleted":true"#))
        try insert(test)
        #expect(try streams.0.read().isEmpty)
        #expect(try streams.1.read().first?.data.contains("Cache") == true)
        // Who wants one channel alone gets none of them; -1 is direct messages.
        #expect(try EventReader(test, "/api/v1/events?channel=0", as: seeing, lastEventID: told[0].id).news().isEmpty)
        #expect(
            try EventReader(test, "/api/v1/events?channel=-1", as: seeing, lastEventID: told[0].id).news().count == 1)
        // Nor may it be changed, or deleted, by whoever writes on channel 0.
        let writer = try test.token(map + ["messages:write", "channels:write"])
        #expect(try test.ask("PUT", Self.path, as: writer, "{}").status == 404)
        #expect(try test.ask("DELETE", Self.path, as: writer).status == 404)
    }

    /// In the log of packets it is a direct message also where it was not encrypted for one.
    @Test func inTheLogOfPackets() throws {
        let test = try TestGateway()
        let id = test.id
        let packet = MeshPacket(
            from: TestGateway.peer, to: TestGateway.own, id: 5,
            payload: .decoded(MeshData(port: .waypoint, payload: Waypoint(id: 7, name: "Cache").encoded())), hopStart: 3
        )
        try test.store.commit { try $0.logPacket(packet, direction: .rx, in: id, at: TestGateway.now) }
        let blind = try test.token(["packetmonitor:read", "channel_0:read"])
        #expect(try test.ask("GET", "/api/v1/packets", as: blind).rows.isEmpty)
        let seeing = try test.token(["packetmonitor:read", "channel_0:read", "messages:read"])
        #expect(try test.ask("GET", "/api/v1/packets", as: seeing).text.contains("Cache"))
    }

    private func sent(_ live: SentTextsAreRowsAtOnce.Live, _ isWanted: @escaping (Waypoint) -> Bool) throws
        -> MeshPacket
    {
        try #require(
            live.radio.waitForPacket(timeout: 90) { packet in
                guard let data = packet.decoded, case .waypoint(let waypoint) = PacketContent(data) else {
                    return false
                }
                return isWanted(waypoint)
            })
    }

    @Test func aChangeGoesToItsSenderAlone() throws {
        let live = try SentTextsAreRowsAtOnce.Live(pace: SendingPace(text: 0, traceroute: 0, request: 0))
        try live.test.update(TestGateway.peer) { $0.publicKey = Self.key }
        try insert(live.test)
        let token = try live.test.token(["nodes:read", "messages:read", "messages:write"])
        // A second one, too: who has changed it last is not its sender.
        for name in ["Stash", "Hoard"] {
            let changed = try live.test.ask("PUT", Self.path, as: token, #"{"name":"\#(name)"}"#)
            #expect(changed.status == 200, "\(changed.text)")
            #expect(try changed.data["channel"] is NSNull)
            let packet = try sent(live) { $0.name == name }
            #expect(packet.to == TestGateway.peer && packet.pkiEncrypted && packet.publicKey == Self.key)
        }
        let deleted = try live.test.ask("DELETE", Self.path, as: token)
        #expect(try deleted.status == 200 && deleted.data["isTold"] as? Bool == true)
        let last = try sent(live) { $0.expire == 1 }
        #expect(last.to == TestGateway.peer && last.pkiEncrypted)
        #expect(try live.test.ask("GET", Self.path, as: token).status == 404)
    }

    /// Never on a channel's key instead.
    @Test func withoutAKeyItIsRefused() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        try insert(live.test)
        let (id, token) = (live.test.id, try live.test.token(["admin"]))
        let outbox = {
            try live.test.store.read { try $0.outbox(in: id) }.filter { $0.packet.decoded?.port == .waypoint }
        }
        func change() throws -> Answer { try live.test.ask("PUT", Self.path, as: token, #"{"name":"Stash"}"#) }
        let unknown = try change()
        #expect(unknown.status == 409 && unknown.text.contains("!abcdef12"))
        try live.test.update(TestGateway.peer) { node in
            (node.publicKey, node.announcedKey, node.keyMismatch) = (Self.key, PublicKey([UInt8](1...32)), true)
        }
        let doubted = try change()
        #expect(doubted.status == 409 && doubted.text.contains("KEY_MISMATCH"))
        // Nor has our own radio one, for what was made here before channels were kept.
        try insert(live.test, from: live.radio.number)
        #expect(try change().status == 409)
        #expect(try outbox().isEmpty)
        #expect(try live.test.ask("GET", Self.path, as: token).data["name"] as? String == "Cache")
        // It may be thrown away: nobody is told, and the answer says so.
        let deleted = try live.test.ask("DELETE", Self.path, as: token)
        #expect(try deleted.status == 200 && deleted.data["isTold"] as? Bool == false)
        #expect(try live.test.ask("GET", Self.path, as: token).status == 404)
        #expect(try outbox().isEmpty)
    }
}
