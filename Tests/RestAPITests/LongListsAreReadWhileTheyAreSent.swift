import Foundation
import HTTPServer
import MeshModel
import Testing

@testable import RestAPI
@testable import Store

/// A long list is in memory as the numbers of its rows: these are read, slice by slice, while they are sent.
@Suite struct LongListsAreReadWhileTheyAreSent {
    private static let now = TestGateway.now

    /// What goes out before and after something happens.
    private func sent(_ response: Response, meanwhile: () throws -> Void) throws -> [UInt8] {
        guard case .stream(_, let next) = response.body else { throw NotStreamed() }
        var bytes = try next() ?? []
        try meanwhile()
        while let chunk = try next() { bytes += chunk }
        return bytes
    }

    private struct NotStreamed: Error {}

    private func get(_ test: TestGateway, _ path: String) -> Response {
        test.api.respond(Request(target: path, headers: [test.bearer]))
    }

    private func object(_ bytes: [UInt8]) throws -> Any { try JSONSerialization.jsonObject(with: Data(bytes)) }

    private func fillMessages(_ test: TestGateway, _ count: Int) throws {
        let id = test.id
        try test.store.commit { writer in
            for number in 1...count {
                let time = Self.now + Int64(number)
                try writer.insertMessage(
                    Message(
                        id: "", from: TestGateway.peer, to: .broadcast, text: "text \(number)", channel: number % 2,
                        packetID: PacketID(number), timestamp: time, createdAt: time, updatedAt: time), in: id)
            }
        }
    }

    @Test func messagesThatAreGoneAreLeftOut() throws {
        let test = try TestGateway()
        try fillMessages(test, 500)
        let id = test.id
        let bytes = try sent(get(test, "/api/v1/messages?limit=10000")) {
            try test.store.commit { writer in
                let row = try #require(try writer.message(packetID: 7, from: nil, in: id))
                #expect(try writer.deleteMessage(id: row.id, in: id) != nil)
            }
        }
        let envelope = try #require(try object(bytes) as? [String: Any])
        let rows = try #require(envelope["data"] as? [[String: Any]])
        // Newest first; what is gone meanwhile is left out.
        #expect(rows.map { $0["text"] as? String } == (1...500).reversed().filter { $0 != 7 }.map { "text \($0)" })
        #expect(envelope["count"] as? Int == 500)
        #expect(JSONText(bytes).keys == ["success", "count", "data"])
    }

    /// The same of a page that begins at a message, or of a conversation.
    @Test func pagesOfMessages() throws {
        let test = try TestGateway()
        try fillMessages(test, 800)
        let id = test.id
        let bytes = try sent(get(test, "/api/v1/messages?conversation=channel:0&limit=300")) {
            try test.store.commit { writer in
                let row = try #require(try writer.message(packetID: 204, from: nil, in: id))
                #expect(try writer.deleteMessage(id: row.id, in: id) != nil)
            }
        }
        let envelope = try #require(try object(bytes) as? [String: Any])
        let rows = try #require(envelope["data"] as? [[String: Any]])
        let numbers = stride(from: 800, through: 202, by: -2).filter { $0 != 204 }
        #expect(rows.map { $0["text"] as? String } == numbers.map { "text \($0)" })
        #expect(envelope["count"] as? Int == 300 && envelope["hasBefore"] as? Bool == true)
        #expect(envelope["first"] as? String == rows.first?["id"] as? String)
        #expect(envelope["last"] as? String == rows.last?["id"] as? String)
        #expect(JSONText(bytes).keys == ["success", "count", "first", "last", "hasBefore", "hasAfter", "data"])
    }

    @Test func traceroutes() throws {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { writer in
            for number in 1...400 as ClosedRange<UInt32> {
                try writer.insertTraceroute(
                    from: TestGateway.own, to: NodeNumber(number), packetID: number,
                    route: RouteDiscovery(route: [], snrTowards: [24]), in: id, at: Self.now + Int64(number))
            }
        }
        let bytes = try sent(get(test, "/api/v1/traceroutes?limit=10000")) {
            try test.store.commit { try $0.connection.execute("DELETE FROM traceroutes WHERE to_node = 3") }
        }
        let envelope = try #require(try object(bytes) as? [String: Any])
        let rows = try #require(envelope["data"] as? [[String: Any]])
        #expect(rows.compactMap { $0["toNodeNum"] as? Int } == (1...400).reversed().filter { $0 != 3 })
        #expect(envelope["count"] as? Int == 400)
    }

    /// Each row is the same, to the byte, in a list that is printed at once.
    @Test func aLongListHasTheRowsOfShortOnes() throws {
        let test = try TestGateway()
        try fillMessages(test, 300)
        let token = try test.token(["messages:read", "channel_1:read"])
        func body(_ query: String) throws -> String { try test.ask("GET", "/api/v1/messages?" + query, as: token).text }
        let long = try body("limit=10000")
        let short = try body("limit=100")
        let rows = try #require(short.split(separator: #""data":["#).last).dropLast(2)
        #expect(long.contains(#""data":[\#(rows),"#))
        #expect(long.hasPrefix(#"{"success":true,"count":150,"data":["#) && long.hasSuffix("]}"))
        #expect(try body("limit=200&channel=1").contains(#""count":150,"#))
        #expect(try body("limit=200&fromNodeId=!99999999") == #"{"success":true,"count":0,"data":[]}"#)
    }

    @Test func waypoints() throws {
        let test = try TestGateway()
        let id = test.id
        try test.store.commit { writer in
            for number in 1...200 as ClosedRange<UInt32> {
                try writer.upsertWaypoint(
                    Waypoint(id: number, name: "hut"), from: TestGateway.peer, channel: 0, in: id, at: Self.now)
            }
        }
        let response = get(test, "/api/v1/waypoints")
        let tag = try #require(response.header("ETag"))
        let bytes = try sent(response) {
            try test.store.commit { try $0.deleteWaypoint(id: 199, in: id) }
        }
        let envelope = try #require(try object(bytes) as? [String: Any])
        let rows = try #require(envelope["data"] as? [[String: Any]])
        #expect(rows.compactMap { $0["waypointId"] as? UInt32 } == (1...200).filter { $0 != 199 })
        #expect(envelope["count"] as? Int == 200)
        func again(_ tag: String) throws -> Int {
            try test.get("/api/v1/waypoints", headers: [(name: "If-None-Match", value: tag)]).status
        }
        #expect(try again(tag) == 200)
        let newer = try #require(get(test, "/api/v1/waypoints").header("ETag"))
        #expect(try again(newer) == 304)
    }

    @Test(arguments: ["/api/neighbor-info", "/api/sources/default/neighbor-info"])
    func neighbours(_ path: String) throws {
        let test = try TestGateway()
        let (id, now) = (test.id, Int64(Date().timeIntervalSince1970 * 1000))
        func report(_ node: Int, _ count: Int) throws {
            let info = NeighborInfo(
                number: NodeNumber(UInt32(node)), lastSentBy: NodeNumber(UInt32(node)), broadcastInterval: 900,
                neighbors: (0..<count).map { .init(number: NodeNumber(UInt32(1000 * node + $0)), snr: Float($0)) })
            try test.store.commit { try $0.replaceNeighbors(info, in: id, at: now - Int64(node)) }
        }
        for node in 1...20 { try report(node, 10) }
        let response = get(test, path)
        let tag = try #require(response.header("ETag"))
        #expect(try test.get(path, headers: [(name: "If-None-Match", value: tag)]).status == 304)
        let bytes = try sent(response) { try report(20, 3) }
        let rows = try #require(try object(bytes) as? [[String: Any]])
        #expect(rows.count == 193)
        #expect(rows.count { $0["nodeNum"] as? Int == 20 } == 3)
        #expect(try test.get(path, headers: [(name: "If-None-Match", value: tag)]).status == 200)
    }
}
