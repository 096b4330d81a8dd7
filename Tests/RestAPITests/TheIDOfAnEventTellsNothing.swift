import Foundation
import HTTPServer
import MeshModel
import RadioLink
import Routes
import Store
import Testing

@testable import Gateway
@testable import RestAPI

/// An id counts changes, packets and messages of all channels: it is sealed for the token that got it.
@Suite struct TheIDOfAnEventTellsNothing {
    private static let now = TestGateway.now

    private func startID(_ test: TestGateway, _ token: APIToken, _ query: String = "") throws -> String {
        try #require(try EventReader(test, "/api/v1/events" + query, as: token).read().first?.id)
    }

    @Test func norWhetherAnythingHasHappened() throws {
        let test = try TestGateway()
        let token = try test.token(["traceroute:read"])
        try test.insert("hidden", packetID: 1, at: Self.now)
        let ids = try (1...20).map { _ in try startID(test, token) } + [try startID(test, token, "?kinds=packet")]
        for id in ids {
            #expect(
                id.utf8.count == 86 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
            )
            #expect(!id.contains("\(Self.now)"))
        }
        // The same place looks different each time.
        #expect(Set(ids).count == ids.count)
        #expect(try Set(ids.dropLast().map { try test.place($0, of: token) }).count == 1)
    }

    /// Somebody else's id is none.
    @Test func isOfNoUseToAnotherToken() throws {
        let test = try TestGateway()
        let (mine, others) = (try test.token(["messages:read"]), try test.token(["messages:read"]))
        let id = try startID(test, mine)
        try test.insert("new", packetID: 1, at: Self.now) { $0.channel = -1 }
        #expect(try EventReader(test, as: mine, lastEventID: id).news().map(\.kind) == ["message"])
        for target in ["/api/v1/events", "/api/v1/events?after=\(id)"] {
            let header = target.contains("?") ? nil : id
            let told = try EventReader(test, target, as: others, lastEventID: header).news()
            #expect(told.map(\.kind) == ["missed"])
            #expect(try told[0].json["count"] is NSNull)
        }
    }

    /// One of before ids were sealed, with everything in the right places.
    @Test func anIDOfTheOldFormIsNone() throws {
        let test = try TestGateway()
        let change = try test.store.read { try $0.newestChange() }
        try test.insert("new", packetID: 1, at: Self.now)
        let old = "0.\(change).-1.\(Self.now).\(change)"
        #expect(try EventReader(test, lastEventID: old).news().map(\.kind) == ["missed"])
        let asked = try test.get("/api/v1/events?after=\(old)")
        #expect(
            asked.status == 200 && asked.text.contains("event: missed\n") && asked.text.contains(#""resumed":false"#))
    }

    @Test func isGoodAfterARestart() throws {
        let test = try TestGateway()
        let reader = try EventReader(test)
        try test.insert("one", packetID: 1, at: Self.now)
        _ = try reader.read()
        let id = try #require(reader.lastID)
        try test.insert("two", packetID: 2, at: Self.now + 1)
        // Another process over the same file.
        test.gateway.stop()
        test.store.close()
        let store = try Store(path: test.folder + "/mesh.db")
        defer { store.close() }
        let gateway = try Gateway(store: store, logger: .silent) {
            RadioLink(address: .path("/dev/null/none"), delegate: $0)
        }
        let api = RestAPI(Endpoints.served, gateway: gateway, version: "1.2.3")
        let headers = [test.bearer, (name: "Last-Event-ID", value: id)]
        let answer = try Answer(
            api.respond(Request(target: "/api/v1/events?kinds=message", headers: headers)))
        #expect(answer.text.contains(#""resumed":true"#) && answer.text.contains(#""text":"two""#))
        #expect(!answer.text.contains(#""text":"one""#) && !answer.text.contains("event: missed\n"))
    }

    /// How much was missed counts everything, too.
    @Test func whatWasMissedIsCountedForWhoReadsEverything() throws {
        let test = try TestGateway()
        let narrow = try test.token(["traceroute:read"])
        let ids = (try startID(test, test.token), try startID(test, narrow))
        let id = test.id
        for _ in 0..<41 {
            try test.store.commit { writer in
                for number in 1...500 {
                    try writer.upsertWaypoint(Waypoint(id: UInt32(number)), from: NodeNumber(1), in: id, at: Self.now)
                }
            }
        }
        let all = try #require(try EventReader(test, lastEventID: ids.0).news().first)
        #expect(all.kind == "missed")
        #expect(try all.json["count"] as? Int ?? 0 > 0)
        let few = try #require(try EventReader(test, as: narrow, lastEventID: ids.1).news().first)
        #expect(few.kind == "missed")
        #expect(try few.json["count"] is NSNull)
    }
}
