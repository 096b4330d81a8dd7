import Foundation
import MeshModel
import Testing

@testable import RestAPI

/// Names are 30 bytes in the protocol's fields, and descriptions 100, each with a zero behind them.
@Suite struct AWaypointIsCheckedStrictly {
    private static let place = #""latitude":1,"longitude":2"#

    @Test(arguments: [
        "", "[]", "{}", #"{"name":"x"}"#, #"{\#(place)}"#, #"{"name":"x","latitude":1}"#,
        #"{"name":"","latitude":1,"longitude":2}"#, #"{"name":" \u0007 ","latitude":1,"longitude":2}"#,
        #"{"name":5,"latitude":1,"longitude":2}"#, #"{"name":null,"latitude":1,"longitude":2}"#,
        #"{"name":"\#(String(repeating: "a", count: 30))","latitude":1,"longitude":2}"#,
        #"{"name":"\#(String(repeating: "🏕", count: 8))","latitude":1,"longitude":2}"#,
        #"{"name":"\#(String(repeating: "x", count: 4096))","latitude":1,"longitude":2}"#,
        #"{"name":"x","latitude":90.0001,"longitude":2}"#, #"{"name":"x","latitude":-91,"longitude":2}"#,
        #"{"name":"x","latitude":1,"longitude":180.1}"#, #"{"name":"x","latitude":1e300,"longitude":2}"#,
        #"{"name":"x","latitude":"1","longitude":2}"#, #"{"name":"x","latitude":null,"longitude":null}"#,
        #"{"name":"x",\#(place),"icon":"ab"}"#, #"{"name":"x",\#(place),"icon":"👨‍👩‍👧"}"#,
        #"{"name":"x",\#(place),"icon":"\u0007"}"#, #"{"name":"x",\#(place),"icon":127957}"#,
        #"{"name":"x",\#(place),"expireAt":1}"#, #"{"name":"x",\#(place),"expireAt":2147483647}"#,
        #"{"name":"x",\#(place),"expireAt":"tomorrow"}"#, #"{"name":"x",\#(place),"expireAt":2e9.5}"#,
        #"{"name":"x",\#(place),"locked":1}"#, #"{"name":"x",\#(place),"channel":8}"#,
        #"{"name":"x",\#(place),"channel":-1}"#, #"{"name":"x",\#(place),"channel":"0"}"#,
        #"{"name":"x",\#(place),"description":"\#(String(repeating: "d", count: 100))"}"#,
        #"{"name":"x",\#(place),"description":7}"#,
    ])
    func refused(_ body: String) throws {
        let test = try TestGateway()
        let id = test.id
        let answer = try test.post("/api/v1/waypoints", body)
        #expect(answer.status == 400, "\(body.prefix(80)): \(answer.text)")
        #expect(try test.store.read { try $0.waypoints(in: id) }.isEmpty)
    }

    /// As far as the radio, which is not there.
    @Test(arguments: [
        #"{"name":"\#(String(repeating: "a", count: 29))",\#(place)}"#, #"{"name":"x","latitude":-90,"longitude":180}"#,
        #"{"name":"⛰️ Spitze",\#(place),"icon":"⛰️"}"#, #"{"name":"x",\#(place),"icon":"","expireAt":0}"#,
        #"{"name":"x",\#(place),"icon":null,"expireAt":null,"description":null,"locked":false,"channel":7}"#,
        #"{"name":"x",\#(place),"description":"\#(String(repeating: "d", count: 99))","unknown":1}"#,
    ])
    func taken(_ body: String) throws {
        let test = try TestGateway()
        #expect(try test.post("/api/v1/waypoints", body).status == 503, "\(body)")
    }

    @Test(arguments: ["0", "-1", "4294967296", "99999999999999999999", "x", "1.5", "%00", "7%20", "!abcdef12", "+7"])
    func idsThatAreNone(_ id: String) throws {
        let test = try TestGateway()
        let admin = try test.token(["admin"])
        for (method, body) in [("GET", ""), ("PUT", #"{"name":"x"}"#), ("DELETE", "")] {
            let answer = try test.ask(method, "/api/v1/waypoints/\(id)", as: admin, body)
            #expect(answer.status == 400, "\(method) \(id): \(answer.text)")
        }
        #expect(try test.ask("GET", "/api/v1/waypoints/4294967295", as: admin).status == 404)
    }

    @Test func aWaypointStaysOnItsChannel() throws {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { writer in
            try writer.upsertWaypoint(
                Waypoint(id: 7, name: "Camp"), from: TestGateway.peer, channel: 1, in: id, at: TestGateway.now)
        }
        let answer = try test.ask("PUT", "/api/v1/waypoints/7", as: try test.token(["admin"]), #"{"channel":0}"#)
        #expect(answer.status == 400)
        #expect(
            try answer.json["message"] as? String == "A waypoint stays on its channel: delete it and make another one")
    }

    /// Names from the mesh are data, whatever is in them.
    @Test func hostileNamesComeOutAsJSON() throws {
        let test = try TestGateway()
        let id = test.id
        let name = "</script>\"\\\u{202E}🏴‍☠️"
        try test.store.commit { writer in
            try writer.upsertWaypoint(
                Waypoint(id: 7, name: name, icon: 0xFFFF_FFFF), from: NodeNumber(0), in: id, at: TestGateway.now)
            try writer.upsertWaypoint(
                Waypoint(id: 8, expire: .max, name: "", icon: 7), from: TestGateway.peer, channel: 101, in: id,
                at: TestGateway.now)
        }
        let rows = try test.ask("GET", "/api/v1/waypoints", as: try test.token(["admin"])).rows
        #expect(rows.map { $0["name"] as? String } == [name, ""])
        #expect(rows.allSatisfy { $0["icon"] is NSNull && $0["latitude"] is NSNull })
        #expect(rows[1]["expireAt"] is NSNull)
    }
}
