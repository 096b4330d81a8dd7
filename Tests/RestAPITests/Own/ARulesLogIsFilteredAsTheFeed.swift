import Foundation
import MeshModel
import Platform
import Store
import Testing

@testable import RestAPI

/// A rule's log has for each token what the feed would show it, told or not.
@Suite struct ARulesLogIsFilteredAsTheFeed {
    private let test: TestGateway

    init() throws {
        test = try TestGateway()
        try test.insert([Channel(index: 1, role: .secondary, name: "Hikers", psk: [1])])
        let id = test.id
        let rows: [(String, FeedRow.Need, Conversation?)] = [
            ("node on 0", .node(channel: 0), nil), ("text on 1", .message(channel: 1), .channel(1)),
            ("help on 1", .message(channel: 1), nil), ("link", .info, nil),
        ]
        try test.store.commit { writer in
            try writer.store(RuleRow("all", settings: "when = message", change: 1, at: 1))
            for (number, row) in rows.enumerated() {
                let fate: RuleFiring.Fate = number % 2 == 0 ? .told : .counted
                try writer.store(
                    RuleFiring(
                        key: "\(number)", fate: fate,
                        row: FeedRow(
                            at: WallClock.milliseconds(), in: id, type: "message", title: row.0, body: "",
                            needs: [row.1], rule: "all", conversation: row.2)))
            }
        }
    }

    private func titles(_ scopes: [String]?, _ query: String = "") throws -> [String] {
        let token = try scopes.map { try test.token($0) } ?? test.token
        let answer = try test.ask("GET", "/api/v1/rules/all/log\(query)", as: token)
        return try #require(answer.json["firings"] as? [NSDictionary], "\(answer.text)").titles
    }

    @Test func byWhatATokenMaySee() throws {
        #expect(try titles(nil) == ["link", "help on 1", "text on 1", "node on 0"])
        #expect(try titles(["configuration:read"]).isEmpty)
        #expect(try titles(["configuration:read", "info:read"]) == ["link"])
        #expect(try titles(["configuration:read", "nodes:read", "channel_0:viewOnMap"], "?limit=1") == ["node on 0"])
        let without = try test.token(["notifications:read", "info:read"])
        #expect(try test.ask("GET", "/api/v1/rules/all/log", as: without).status == 403)
        #expect(try test.get("/api/v1/rules/none/log").status == 404)
    }

    @Test func byAMuteOfItsOwn() throws {
        #expect(try test.post("/api/v1/conversations/channel:1/mute", #"{"muted":true}"#).status == 200)
        #expect(try titles(nil) == ["link", "help on 1", "node on 0"])
        #expect(try titles(["read"]).count == 4)
    }
}
