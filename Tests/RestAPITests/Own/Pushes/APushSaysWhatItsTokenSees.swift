import Foundation
import MeshModel
import Platform
import Routes
import Store
import Testing

@testable import RestAPI

/// What waits for a registration is looked at again when it is sent, by its token's rights of then.
@Suite struct APushSaysWhatItsTokenSees {
    private let test: TestGateway
    private let token: APIToken
    private let feed: FeedOfTokens

    init() throws {
        test = try TestGateway()
        token = try test.token(["notifications:read", "messages:read", "channel_0:read"])
        feed = FeedOfTokens(test.gateway)
    }

    private var owner: Token { get throws { try test.store.read { try $0.tokens() }.last! } }

    private func seen(_ row: FeedRow, by token: Int64? = nil) throws -> FeedRow? {
        let owner = try token ?? owner.id
        // As it waits.
        let dispatch = Dispatch(to: "push:1", at: row.createdAt, row)
        return try test.store.read { try feed.seen(dispatch, by: owner, $0) }
    }

    private func text() throws -> FeedRow {
        let message = try test.insert("hello", packetID: 7, at: TestGateway.now)
        return try test.tell("Anna says hello", needs: [.message(channel: 0)]) { row in
            (row.messageID, row.conversation, row.rule) = (message.id, .channel(0), "texts")
        }
    }

    @Test func whatItsGETShows() throws {
        let row = try text()
        #expect(try seen(row)?.title == "Anna says hello")
        #expect(try test.feed(as: token).titles == ["Anna says hello"])
        #expect(try seen(test.tell("elsewhere", needs: [.message(channel: 1)])) == nil)
        #expect(try seen(test.tell("nobody's", needs: [])) == nil)
    }

    @Test func nothingOnceItIsRevoked() throws {
        let (row, owner) = (try text(), try owner)
        _ = try test.store.commit { try $0.revokeToken(name: owner.name, at: 1) }
        #expect(try seen(row, by: owner.id) == nil && seen(row, by: 999) == nil)
    }

    @Test func nothingOnceItHasExpired() throws {
        let row = try text()
        let now = WallClock.milliseconds()
        for (name, end) in [("over", now - 1), ("good", now + 60_000)] {
            _ = try TokenRegister(store: test.store).create(name: name, scopes: .read, expiresAt: end)
            #expect(try (seen(row) != nil) == (name == "good"), "\(name)")
        }
    }

    @Test func nothingWithoutTheRight() throws {
        let row = try text()
        for scopes in [
            ["messages:read", "channel_0:read"], ["notifications:read", "channel_0:read"], ["notifications:read"],
        ] {
            _ = try test.token(scopes)
            #expect(try seen(row) == nil, "\(scopes)")
        }
    }

    @Test func nothingOfAConversationThatItHasMuted() throws {
        let row = try text()
        let path = "/api/v1/conversations/channel:0/mute"
        #expect(try test.ask("POST", path, as: test.token, #"{"muted":true}"#).status == 200)
        #expect(try seen(row) != nil, "somebody else has")
        #expect(try test.ask("POST", path, as: token, #"{"muted":true}"#).status == 200)
        #expect(try seen(row) == nil)
    }

    @Test func nothingOfADeletedMessage() throws {
        let row = try text()
        let id = try #require(row.messageID)
        let admin = try test.token(["messages:write", "messages:read", "channel_0:read", "channel_0:write"])
        let reader = try #require(try test.store.read { try $0.tokens() }.dropLast().last).id
        #expect(try seen(row, by: reader) != nil)
        let answer = try test.ask("DELETE", "/api/messages/\(id)", as: admin)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try seen(row, by: reader) == nil)
    }

    /// A row that counts others has for each the count that it may know.
    @Test func ofWhatIsCountedItsShare() throws {
        let id = test.id
        let row = try test.store.commit { writer in
            try writer.store(RuleRow("texts", settings: "when = message", change: 1, at: 1))
            for channel in [0, 0, 1] {
                let counted = FeedRow(
                    at: WallClock.milliseconds(), in: id, type: "message", title: "on \(channel)", body: "",
                    needs: [.message(channel: channel)], rule: "texts")
                try writer.store(RuleFiring(key: randomUUID(), fate: .counted, row: counted))
            }
            let counting = FeedRow(
                counting: [], count: 3, since: "12:00", of: "texts", at: WallClock.milliseconds(), priority: nil,
                needs: [.message(channel: 0), .message(channel: 1)])
            let stored = try writer.insert(counting)!
            try writer.store(RuleFiring(key: randomUUID(), fate: .told, row: stored))
            return stored
        }
        let pushed = try seen(row)
        #expect(pushed?.title == "texts: and 2 more since 12:00" && pushed?.body == "on 0\non 0")
        #expect(try test.feed(as: token).first?["title"] as? String == pushed?.title)
        _ = try test.token(["notifications:read", "messages:read", "channels:read"])
        #expect(try seen(row)?.title == "texts: and 3 more since 12:00")
    }

    @Test func aSummaryIsAboutAllThatItReplaces() throws {
        var row = FeedRow(
            at: 1, in: nil, type: "summary", title: "", body: "", needs: [.message(channel: 0), .message(channel: 1)])
        var summary = Dispatch(to: "push:1", at: 1, row)
        summary.counts = [DispatchCount(rule: "texts", count: 2)]
        let owner = try owner.id
        #expect(try test.store.read { try feed.seen(summary, by: owner, $0) } == nil)
        row.needs = [.message(channel: 0)]
        summary.row = row
        #expect(try test.store.read { try feed.seen(summary, by: owner, $0) } != nil)
    }
}
