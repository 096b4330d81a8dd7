import Foundation
import Gateway
import MeshModel
import MeshProtocol
import RadioSimulator
import Testing

@testable import RestAPI

/// SerialReference 4.9: a waypoint is a row here and a packet to everybody on its channel; `expire` 1 deletes it.
@Suite struct WaypointsAreSharedThroughTheAPI {
    typealias Live = SentTextsAreRowsAtOnce.Live

    private static let camp = #"{"name":" Base camp ","latitude":46.2044,"longitude":-6.1432,"icon":"🏕️","channel":1}"#

    private func sent(_ live: Live, _ isWanted: @escaping (Waypoint) -> Bool = { _ in true }) throws -> (
        packet: MeshPacket, waypoint: Waypoint
    ) {
        let packet = try #require(
            live.radio.waitForPacket(timeout: 90) { packet in
                guard let data = packet.decoded, case .waypoint(let waypoint) = PacketContent(data) else {
                    return false
                }
                return isWanted(waypoint)
            })
        guard case .waypoint(let waypoint) = PacketContent(try #require(packet.decoded)) else { fatalError() }
        return (packet, waypoint)
    }

    @Test func madeChangedAndDeleted() throws {
        // Three packets of one port, without the half minute that real ones take.
        let live = try Live(pace: SendingPace(text: 0, traceroute: 0, request: 0))
        let made = try live.test.post("/api/v1/waypoints", Self.camp)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(try made.data["waypointId"] as? UInt32)
        #expect(try made.data["name"] as? String == "Base camp")
        #expect(try made.data["latitude"] as? Double == 46.2044)
        #expect(try made.data["longitude"] as? Double == -6.1432)
        #expect(try made.data["icon"] as? String == "🏕")
        #expect(try made.data["iconCodepoint"] as? Int == 0x1F3D5)
        #expect(try made.data["expireAt"] is NSNull)
        #expect(try made.data["lockedTo"] is NSNull)
        #expect(try made.data["channel"] as? Int == 1)
        #expect(try made.data["ownerNodeId"] as? String == live.radio.number.id)
        let first = try sent(live)
        #expect(first.packet.to == .broadcast && first.packet.channel == 1)
        #expect(
            first.waypoint
                == Waypoint(
                    id: id, latitudeI: 462_044_000, longitudeI: -61_432_000, expire: UInt32(Int32.max),
                    name: "Base camp", icon: 0x1F3D5))
        #expect(try live.test.get("/api/v1/waypoints").rows.map { $0["waypointId"] as? UInt32 } == [id])
        #expect(try live.test.get("/api/v1/waypoints/\(id)").text == made.text)

        let changed = try live.test.ask(
            "PUT", "/api/v1/sources/default/waypoints/\(id)", as: try live.test.token(["admin"]),
            #"{"description":"2 tents","icon":null,"expireAt":2000000000,"locked":true}"#)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try changed.data["name"] as? String == "Base camp")
        #expect(try changed.data["lockedTo"] as? UInt32 == live.radio.number.rawValue)
        #expect(try changed.data["isChangeable"] as? Bool == true)
        let second = try sent(live) { $0.expire == 2_000_000_000 }
        #expect(second.waypoint.description == "2 tents" && second.waypoint.icon == 0)
        #expect(second.waypoint.lockedTo == live.radio.number && second.packet.channel == 1)

        let gone = try live.test.ask("DELETE", "/api/v1/waypoints/\(id)", as: try live.test.token(["admin"]))
        #expect(gone.text == #"{"success":true,"data":{"waypointId":\#(id),"deleted":true,"isTold":true}}"#)
        let last = try sent(live) { $0.expire == 1 }
        #expect(last.waypoint.id == id && last.packet.channel == 1)
        #expect(try live.test.get("/api/v1/waypoints").rows.isEmpty)
        #expect(try live.test.get("/api/v1/waypoints/\(id)").status == 404)
    }

    @Test func anothersLockHolds() throws {
        let live = try Live()
        let id = live.test.id
        let locked = Waypoint(id: 7, latitudeI: 1, longitudeI: 2, lockedTo: TestGateway.peer, name: "Hut")
        try live.test.store.commit { writer in
            try writer.upsertWaypoint(locked, from: TestGateway.peer, channel: 0, in: id, at: TestGateway.now)
        }
        #expect(try live.test.get("/api/v1/waypoints/7").data["isChangeable"] as? Bool == false)
        let admin = try live.test.token(["admin"])
        for (method, body) in [("PUT", #"{"name":"Mine"}"#), ("DELETE", "")] {
            let answer = try live.test.ask(method, "/api/v1/waypoints/7", as: admin, body)
            #expect(answer.status == 409)
            #expect(
                answer.text == #"{"success":false,"error":"Conflict","message":"Only !abcdef12 may change this "#
                    + #"waypoint: it is locked to it"}"#)
        }
        #expect(try live.test.get("/api/v1/waypoints/7").data["name"] as? String == "Hut")
        #expect(try live.test.store.read { try $0.outbox(in: id) }.isEmpty)
    }

    /// What a receiver would not show any more is not shown here either, and cannot be changed.
    @Test func whatHasExpiredIsGone() throws {
        let live = try Live()
        let id = live.test.id
        let old = Waypoint(id: 7, latitudeI: 1, longitudeI: 2, expire: 1_000_000_000, name: "Old")
        try live.test.store.commit { writer in
            try writer.upsertWaypoint(old, from: TestGateway.peer, channel: 0, in: id, at: TestGateway.now)
        }
        #expect(try live.test.get("/api/v1/waypoints").rows.isEmpty)
        let admin = try live.test.token(["admin"])
        for (method, body) in [("GET", ""), ("PUT", #"{"name":"x"}"#), ("DELETE", "")] {
            #expect(try live.test.ask(method, "/api/v1/waypoints/7", as: admin, body).status == 404)
        }
    }

    @Test func withoutARadio() throws {
        let test = try TestGateway()
        let id = test.id
        let answer = try test.post("/api/v1/waypoints", #"{"name":"Camp","latitude":1,"longitude":2}"#)
        #expect(answer.status == 503)
        #expect(try test.store.read { try $0.waypoints(in: id) }.isEmpty)
    }

    @Test func onAChannelThatTheRadioLacks() throws {
        let live = try Live()
        let answer = try live.test.post("/api/v1/waypoints", #"{"name":"Camp","latitude":1,"longitude":2,"channel":7}"#)
        #expect(answer.status == 409)
        #expect(try live.test.get("/api/v1/waypoints").rows.isEmpty)
    }
}
