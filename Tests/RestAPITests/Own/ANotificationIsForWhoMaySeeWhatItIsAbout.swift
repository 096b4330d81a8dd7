import Foundation
import MeshModel
import Platform
import Store
import Testing

@testable import RestAPI

@Suite struct ANotificationIsForWhoMaySeeWhatItIsAbout {
    private static let all: [(title: String, needs: Set<FeedRow.Need>)] = [
        ("text on 0", [.message(channel: 0)]), ("text on 1", [.message(channel: 1)]),
        ("text on ours", [.message(channel: 101)]), ("direct", [.message(channel: -1)]),
        ("over a broker", [.brokerText(channels: [])]),
        ("all over", [.brokerText(channels: []), .message(channel: 1)]),
        ("over a bridge", [.brokerText(channels: [0, 1])]), ("over a bridge to 1", [.brokerText(channels: [1])]),
        ("node on 0", [.node(channel: 0)]), ("node on 1", [.node(channel: 1)]), ("node on none", [.node(channel: nil)]),
        ("waypoint on 1", [.waypoint(channel: 1)]), ("direct waypoint", [.waypoint(channel: nil)]), ("link", [.info]),
        ("several", [.node(channel: 0), .node(channel: 1)]), ("mixed", [.node(channel: 0), .info]), ("nobody's", []),
    ]

    private static let titles = Set(all.map { $0.title })

    @Test(
        arguments: [
            (["notifications:read"], []), (["read"], titles.subtracting(["nobody's", "text on ours"])),
            (["admin"], titles.subtracting(["nobody's"])),
            (["notifications:read", "info:read"], ["link"]),
            (["notifications:read", "messages:read"], ["direct", "over a broker"]),
            (
                ["notifications:read", "messages:read", "channel_1:read"],
                ["direct", "over a broker", "over a bridge to 1", "all over", "text on 1"]
            ),
            (
                ["notifications:read", "messages:read", "channel_database:read"],
                ["direct", "over a broker", "text on ours"]
            ),
            (["notifications:read", "nodes:read", "channel_0:viewOnMap"], ["node on 0", "node on none"]),
            (["notifications:read", "nodes:read", "channel_1:viewOnMap"], ["node on 1", "waypoint on 1"]),
            (["notifications:read", "nodes:read", "messages:read"], ["direct", "direct waypoint", "over a broker"]),
            (
                ["notifications:read", "nodes:read", "info:read", "channels:viewOnMap"],
                ["node on 0", "node on 1", "node on none", "waypoint on 1", "link", "several", "mixed"]
            ),
        ] as [([String], Set<String>)])
    func byItsScopes(_ scopes: [String], _ shown: Set<String>) throws {
        let test = try TestGateway()
        let token = try test.token(scopes)
        let reader = try EventReader(test, "/api/v1/events?kinds=notification", as: token)
        _ = try reader.read()
        for row in Self.all { try test.tell(row.title, needs: row.needs) }
        #expect(Set(try test.feed(as: token).titles) == shown)
        let told = try reader.read()
        #expect(Set(try told.compactMap { try $0.json["title"] as? String }) == shown)
        #expect(told.allSatisfy { $0.kind == "notification" })
    }

    @Test func withoutTheScopeThereIsNoFeedAndItsNumberStays() throws {
        let test = try TestGateway()
        let token = try test.token(["info:read", "nodes:read", "messages:read", "channels:read"])
        #expect(try test.ask("GET", "/api/v1/notifications", as: token).status == 403)
        #expect(try test.ask("POST", "/api/v1/notifications/ack", as: token, #"{"ids":[]}"#).status == 403)
        let reader = try EventReader(test, as: token)
        _ = try reader.read()
        for row in Self.all { try test.tell(row.title, needs: row.needs) }
        #expect(try reader.read().allSatisfy { $0.kind != "notification" })
        #expect(try test.ask("GET", "/api/v1/ping", as: token).json["notification_version"] as? Int == 0)
    }

    /// A text over a broker is of a source that is no radio, and has an address without one.
    @Test func aTextOverABrokerLeadsToItsConversation() throws {
        let test = try TestGateway()
        try test.insert([Channel(index: 0, role: .primary, name: "", psk: [1])])
        let club = try test.store.commit { writer in
            let conversation = BrokerConversation("club", broker: "house", filters: ["club/#"])
            return try writer.insert(conversation, uuid: "11111111-2222-4333-8444-555555555555", at: TestGateway.now)
        }
        try test.tell("Ann on club", needs: [.brokerText(channels: [])]) { row in
            (row.source, row.conversation, row.messageID) = (club, .channel(0), "x")
            row.link = "#//c/mqtt:club?m=x"
        }
        let row = try #require(try test.feed().first)
        #expect(row["device_id"] as? String == "gateway" && row["session_id"] as? String == "gateway")
        #expect((row["payload_json"] as? String)?.contains(##""link":"#//c/mqtt:club?m=x""##) == true, "\(row)")
        // The radio's first channel is another conversation.
        #expect(try test.post("/api/v1/conversations/channel:0/mute", #"{"muted":true}"#).status == 200)
        #expect(try test.feed().count == 1)
        let token = try #require(try test.store.read { try $0.tokens() }.first { $0.name == "test" }).id
        try test.store.commit { try $0.mute(.channel(0), .forGood, by: token, in: club) }
        #expect(try test.feed().isEmpty)
    }

    /// What a rule tells through every mute has no conversation.
    @Test func aMuteOfItsOwnHidesIt() throws {
        let test = try TestGateway()
        let now = WallClock.milliseconds()
        try test.insert([Channel(index: 1, role: .secondary, name: "Hikers", psk: [1])])
        try test.tell("on 1", needs: [.message(channel: 1)]) { $0.conversation = .channel(1) }
        try test.tell("help on 1", needs: [.message(channel: 1)])
        try test.tell("on 0", needs: [.message(channel: 0)]) { $0.conversation = .channel(0) }
        let other = try test.token(["read"])
        let reader = try EventReader(test, "/api/v1/events?kinds=notification")
        _ = try reader.read()
        func mute(_ body: String) throws {
            #expect(try test.post("/api/v1/conversations/channel:1/mute", body).status == 200)
        }
        try mute(#"{"muted":true}"#)
        #expect(try test.feed().titles == ["help on 1", "on 0"])
        #expect(try test.feed(as: other).titles == ["on 1", "help on 1", "on 0"])
        try test.tell("muted", needs: [.message(channel: 1)]) { $0.conversation = .channel(1) }
        #expect(try reader.read().isEmpty)
        try mute(#"{"muted":true,"mutedUntil":\#(now + 3_600_000)}"#)
        try test.tell("later", needs: [.message(channel: 1)], at: now + 3_700_000) { $0.conversation = .channel(1) }
        #expect(try test.feed().titles == ["help on 1", "on 0", "later"], "what was muted does not come afterwards")
        try mute(#"{"muted":false}"#)
        #expect(try test.feed().titles == ["on 1", "help on 1", "on 0", "muted", "later"])
    }

    @Test func ofAMessageThatIsDeletedNothingIsLeft() throws {
        let test = try TestGateway()
        let message = try test.insert("secret", packetID: 7, at: WallClock.milliseconds())
        try test.insert("other", packetID: 8, at: WallClock.milliseconds())
        let row = try test.tell("Anna", needs: [.message(channel: 0)]) { row in
            (row.body, row.messageID) = ("secret", message.id)
        }
        try test.tell("Bob", needs: [.message(channel: 0)]) {
            $0.messageID = "\(test.uuid)_\(TestGateway.peer.rawValue)_8"
        }
        let admin = try test.token(["admin"])
        #expect(try test.feed(as: admin).titles == ["Anna", "Bob"])
        #expect(try test.ask("DELETE", "/api/messages/7", as: admin).status == 200)
        #expect(try test.feed(as: admin).titles == ["Bob"])
        let left = try #require(try test.store.read { try $0.feedRow(row.id) })
        #expect(left.title.isEmpty && left.body.isEmpty)
    }

    /// A mute that goes with its conversation shows nothing.
    @Test func ofAConversationThatIsRemovedNothingIsLeft() throws {
        let test = try TestGateway()
        let club = try test.make("club")
        let row = try test.tell("Ann on club", needs: [.brokerText(channels: [])]) { row in
            (row.source, row.conversation, row.messageID) = (club, .channel(0), "x")
            row.body = "secret"
        }
        try test.tell("a link", needs: [.info])
        #expect(try test.feed().titles == ["Ann on club", "a link"])
        let token = try #require(try test.store.read { try $0.tokens() }.first { $0.name == "test" }).id
        try test.store.commit { try $0.mute(.channel(0), .forGood, by: token, in: club) }
        #expect(try test.ask("DELETE", "/api/v1/mqtt/conversations/club", as: test.token(["admin"])).status == 200)
        #expect(try test.feed().titles == ["a link"])
        let left = try #require(try test.store.read { try $0.feedRow(row.id) })
        #expect(left.title.isEmpty && left.body.isEmpty)
    }
}
