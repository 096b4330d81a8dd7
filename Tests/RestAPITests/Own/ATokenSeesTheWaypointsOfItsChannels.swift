import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct ATokenSeesTheWaypointsOfItsChannels {
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { writer in
            for (number, channel) in [(1, 0), (2, 1), (3, nil), (4, 101)] as [(UInt32, Int?)] {
                try writer.upsertWaypoint(
                    Waypoint(id: number, latitudeI: 1, longitudeI: 2, name: "w\(number)"), from: TestGateway.peer,
                    channel: channel, in: id, at: TestGateway.now)
            }
        }
        return test
    }

    private func seen(_ test: TestGateway, _ scopes: [String]) throws -> [UInt32?] {
        try test.ask("GET", "/api/v1/waypoints", as: try test.token(scopes)).rows.map { $0["waypointId"] as? UInt32 }
    }

    @Test func reading() throws {
        let test = try gateway()
        #expect(try seen(test, ["nodes:read"]) == [])
        #expect(try seen(test, ["nodes:read", "channel_0:viewOnMap"]) == [1])
        // What is on no channel is a direct message, also where nobody knows the channel any more.
        #expect(try seen(test, ["nodes:read", "messages:read"]) == [3])
        #expect(try seen(test, ["nodes:read", "channel_1:read"]) == [2])
        #expect(try seen(test, ["nodes:read", "channel_database:read"]) == [4])
        #expect(try seen(test, ["admin"]) == [1, 2, 3, 4])
        let narrow = try test.token(["nodes:read", "channel_1:viewOnMap"])
        #expect(try test.ask("GET", "/api/v1/waypoints/2", as: narrow).status == 200)
        // The same as of one that is not there.
        for id in [1, 3, 4, 5] {
            let hidden = try test.ask("GET", "/api/v1/waypoints/\(id)", as: narrow)
            #expect(hidden.status == 404)
            #expect(try hidden.json["message"] as? String == "There is no waypoint \(id)")
        }
    }

    @Test func writing() throws {
        let test = try gateway()
        let writer = try test.token(["nodes:read", "channels:viewOnMap", "messages:write", "channel_1:write"])
        let body = #"{"name":"x","latitude":1,"longitude":2,"channel":0}"#
        for (method, path, body) in [
            ("POST", "/waypoints", body), ("PUT", "/waypoints/1", #"{"name":"x"}"#), ("DELETE", "/waypoints/1", ""),
        ] {
            let refused = try test.ask(method, "/api/v1" + path, as: writer, body)
            // Who asks for a change of another channel learns that before whether the radio is there, where that is known.
            #expect([403, 503].contains(refused.status), "\(method): \(refused.text)")
            if method == "POST" {
                #expect(refused.status == 403)
                #expect(
                    try refused.json["required"] as? [String: String] == ["resource": "channel_0", "action": "write"])
            }
        }
        // Its own channel fails later, by the unplugged radio.
        #expect(try test.ask("DELETE", "/api/v1/waypoints/2", as: writer).status == 503)
        // What it may neither see nor write is not there.
        let blind = try test.token(["messages:write", "channel_2:write"])
        #expect(try test.ask("DELETE", "/api/v1/waypoints/1", as: blind).status == 404)
    }

    @Test func writingWithARadio() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let id = live.test.id
        try live.test.store.commit { writer in
            try writer.upsertWaypoint(
                Waypoint(id: 7, name: "Camp"), from: TestGateway.peer, channel: 0, in: id, at: TestGateway.now)
        }
        let token = try live.test.token(["nodes:read", "channels:viewOnMap", "messages:write", "channel_1:write"])
        for (method, body) in [("PUT", #"{"name":"x"}"#), ("DELETE", "")] {
            let refused = try live.test.ask(method, "/api/v1/waypoints/7", as: token, body)
            #expect(refused.status == 403)
            #expect(try refused.json["required"] as? [String: String] == ["resource": "channel_0", "action": "write"])
        }
        #expect(try live.test.store.read { try $0.outbox(in: id) }.isEmpty)
        #expect(try live.test.get("/api/v1/waypoints/7").data["name"] as? String == "Camp")
    }
}
