import Foundation
import MeshModel
import Store
import Testing

@testable import RestAPI

/// What rules have told of a node or a message, and why they have not: to each token what it may see of it.
@Suite struct RulesSayWhyTheyToldNothing {
    private let test: TestGateway
    private let node: String
    private let message: String

    init() throws {
        test = try TestGateway(rules: .oneRule)
        let (id, peer) = (test.id, TestGateway.peer)
        try test.insert([Channel(index: 0, role: .primary, name: "", psk: [1])])
        try test.update(peer) { ($0.longName, $0.channel, $0.lastHeard) = ("Ridge", 0, 1) }
        node = "/api/v1/sources/\(test.uuid)/nodes/\(peer.id)/rules"
        message = "/api/v1/sources/\(test.uuid)/messages/\(test.uuid)_\(peer.rawValue)_7/rules"
        try test.insert("hello", packetID: 7, at: TestGateway.now)
        try test.store.commit { writer in
            try writer.store(RuleRow("silent", settings: "when = node silent for 6h", change: 1, at: 1))
            // Heard by another radio, too.
            let key = RuleFiring.key(ofMessage: "another_\(peer.rawValue)_7")
            for (key, title, need) in [
                (key, "Ridge on LongFast", FeedRow.Need.message(channel: 0)),
                ("begins", "Ridge is silent", .node(channel: 0)),
            ] {
                try writer.store(
                    RuleFiring(
                        key: key, fate: .told,
                        row: FeedRow(
                            at: TestGateway.now, in: id, type: "node-silent", title: title, body: "", needs: [need],
                            rule: "silent", node: peer)))
            }
        }
    }

    private func said(_ target: String, _ scopes: String...) throws -> [String] {
        let answer = try test.ask("GET", target, as: try test.token(scopes))
        let data = try #require(answer.json["data"] as? NSDictionary, "\(answer.text)")
        let firings = try #require(data["firings"] as? [NSDictionary])
        let near = try #require(data["nearMisses"] as? [NSDictionary])
        return firings.titles + near.compactMap { $0["condition"] as? String }
    }

    @Test func ofANode() throws {
        #expect(
            try said(node, "admin")
                == ["Ridge is silent", "Ridge on LongFast", "muted", "another node, wanted favourites"])
        #expect(
            try said(node, "configuration:read", "nodes:read", "channel_0:viewOnMap")
                == ["Ridge is silent", "another node, wanted favourites"])
    }

    @Test func ofAMessageWhicheverRadioHeardIt() throws {
        #expect(try said(message, "admin") == ["Ridge on LongFast", "muted"])
        #expect(
            try said(message, "configuration:read", "messages:read", "channel_0:read")
                == ["Ridge on LongFast", "muted"])
    }

    @Test(arguments: [
        (["nodes:read", "messages:read", "channel_0:read", "channel_0:viewOnMap"], 403, 403),
        (["configuration:read"], 403, 403), (["configuration:read", "nodes:read"], 403, 403),
        (["configuration:read", "messages:read"], 403, 404),
    ])
    func notToATokenThatMayNotSeeIt(_ scopes: [String], _ ofNode: Int, _ ofMessage: Int) throws {
        let token = try test.token(scopes)
        #expect(try test.ask("GET", node, as: token).status == ofNode)
        #expect(try test.ask("GET", message, as: token).status == ofMessage)
    }

    @Test func aRulesLogHasItsNearMisses() throws {
        func conditions(_ scopes: String...) throws -> [String] {
            let answer = try test.ask("GET", "/api/v1/rules/silent/log", as: try test.token(scopes))
            return try #require(answer.json["nearMisses"] as? [NSDictionary]).compactMap { $0["condition"] as? String }
        }
        #expect(try conditions("admin") == ["muted", "another node, wanted favourites"])
        #expect(try conditions("configuration:read") == [])
        #expect(
            try conditions("configuration:read", "nodes:read", "channel_0:viewOnMap")
                == ["another node, wanted favourites"])
    }

    @Test func aTestShowsWhatATokenMaySee() throws {
        func count(_ scopes: String...) throws -> [Int] {
            let answer = try test.ask("GET", "/api/v1/rules/silent/test", as: try test.token(scopes))
            let near = try #require(answer.json["nearMisses"] as? [NSDictionary])
            return [try #require(answer.json["count"] as? Int), near.count]
        }
        #expect(try count("admin") == [2, 2])
        #expect(try count("configuration:read") == [0, 0])
        #expect(try count("configuration:read", "messages:read", "channel_0:read") == [1, 1])
        #expect(try test.get("/api/v1/rules/none/test").status == 404)
    }
}
