import Foundation
import HTTPServer
import MeshModel
import Routes
import Testing

@testable import RestAPI
@testable import Store

/// A bridge is set over REST, by whoever may read and write the channel.
@Suite struct AConversationIsBridgedToAChannel {
    private static let path = "/api/v1/mqtt/conversations"

    /// Two conversations as JSON, and a radio with the channels 0 and 1.
    private func valley() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert([
            Channel(index: 0, role: .primary, name: "Valley", psk: [1]),
            Channel(index: 1, role: .secondary, name: "Hikers", psk: [2]),
        ])
        for name in ["club", "news"] {
            try test.make(name, filters: ["\(name)/talk"])
            #expect(try change(test, #"{"json":true}"#, of: name).status == 200)
        }
        return test
    }

    private func change(
        _ test: TestGateway, _ body: String, of name: String = "club", as token: APIToken? = nil
    ) throws -> Answer {
        try test.ask("PATCH", "\(Self.path)/\(name)", as: token ?? test.token(["admin"]), body)
    }

    private func bridge(_ answer: Answer) throws -> NSDictionary? { try answer.data["bridge"] as? NSDictionary }

    @Test func fromItsSettingToItsEnd() throws {
        let test = try valley()
        let set = try change(test, #"{"bridge":{"channel":1}}"#)
        #expect(
            set.text.contains(
                #""bridge":{"channel":1,"source":"\#(test.uuid)","up":true,"down":true,"textsPerHour":20,"reason":null,"#
                    + #""dropped":0,"lastReason":null,"warnings":[]},"channels":[1]"#), "\(set.text)")
        let other = try change(
            test, #"{"title":"Club","bridge":{"channel":1,"source":"\#(test.uuid)","up":false,"textsPerHour":60}}"#)
        #expect(try bridge(other)?["up"] as? Bool == false && bridge(other)?["textsPerHour"] as? Int == 60)
        #expect(try other.data["title"] as? String == "Club")
        // What is not given stays.
        #expect(try bridge(change(test, #"{"title":"The club"}"#))?["textsPerHour"] as? Int == 60)
        let ended = try change(test, #"{"bridge":null}"#)
        #expect(try ended.data["bridge"] is NSNull && ended.data["channels"] as? [Int] == [1])
        // Then another channel may follow, whose rights count, too.
        #expect(try change(test, #"{"bridge":{"channel":0}}"#).data["channels"] as? [Int] == [0, 1])
    }

    @Test(arguments: [
        "7", "[]", "true", "{}", #"{"channel":"1"}"#, #"{"channel":-1}"#, #"{"channel":8}"#, #"{"channel":5}"#,
        #"{"channel":1,"up":false,"down":false}"#, #"{"channel":1,"up":1}"#, #"{"channel":1,"textsPerHour":0}"#,
        #"{"channel":1,"textsPerHour":61}"#, #"{"channel":1,"textsPerHour":"7"}"#, #"{"channel":1,"source":"none"}"#,
        #"{"channel":1,"source":7}"#, #"{"channel":1,"radio":"x"}"#,
    ])
    func oneThatCannotBeIsRefused(_ bridge: String) throws {
        let test = try valley()
        let answer = try change(test, #"{"bridge":\#(bridge)}"#)
        #expect(answer.status == 400 && answer.message?.contains("bridge") == true, "\(answer.text)")
        #expect(try test.ask("GET", Self.path + "/club", as: test.token(["admin"])).data["bridge"] is NSNull)
    }

    /// A raw text has no id for clients of MQTT 3.1.1, and would go in circles.
    @Test func itNeedsJSONAndATopicToWriteTo() throws {
        let test = try valley()
        #expect(try change(test, #"{"json":false,"bridge":{"channel":1}}"#).status == 400)
        #expect(try change(test, #"{"filters":["club/#"],"bridge":{"channel":1}}"#).status == 400)
        #expect(try change(test, #"{"filters":["club/#"],"bridge":{"channel":1,"up":false}}"#).status == 200)
        #expect(try change(test, #"{"json":false}"#).status == 400)
        let made = try test.ask(
            "POST", Self.path, as: test.token(["admin"]),
            #"{"name":"c","broker":"house","filters":["c"],"json":true,"bridge":{"channel":0}}"#)
        #expect(made.status == 400 && made.message?.contains("bridge") == true)
    }

    @Test func aChannelHasOneAndAConversationHasOne() throws {
        let test = try valley()
        #expect(try change(test, #"{"bridge":{"channel":1}}"#).status == 200)
        let taken = try change(test, #"{"title":"News","bridge":{"channel":1}}"#, of: "news")
        #expect(taken.status == 409 && taken.message?.contains("mqtt:club") == true, "\(taken.text)")
        // Nothing of a change that is refused is stored.
        #expect(try test.get(Self.path + "/news").data["title"] as? String == "news")
        #expect(try change(test, #"{"bridge":{"channel":0}}"#).status == 409)
        #expect(try change(test, #"{"bridge":null}"#).status == 200)
        #expect(try change(test, #"{"bridge":{"channel":1}}"#, of: "news").status == 200)
    }

    @Test(
        arguments: [
            (["messages:read", "messages:write", "channel_1:read", "channel_1:write"], "{\"channel\":1}", 200),
            (["messages:read", "messages:write", "channel_1:read"], "{\"channel\":1}", 403),
            (["messages:read", "messages:write", "channel_1:write"], "{\"channel\":1}", 403),
            (["messages:read", "channel_1:read", "channel_1:write"], "{\"channel\":1}", 403),
            (["messages:read", "messages:write", "channel_0:read", "channel_0:write"], "{\"channel\":1}", 403),
            (["messages:read", "channel_1:read"], "{\"channel\":1,\"down\":false}", 200),
            (["messages:write", "channel_1:write"], "{\"channel\":1,\"up\":false}", 200),
            (["messages:write", "channel_1:write"], "{\"channel\":1,\"down\":false}", 403),
            ([], "{\"channel\":1}", 403),
        ] as [([String], String, Int)])
    func byTheRightsOfTheChannel(_ scopes: [String], _ bridge: String, _ status: Int) throws {
        let test = try valley()
        let token = try test.token(["mqtt:write"] + scopes)
        #expect(try change(test, #"{"bridge":\#(bridge)}"#, as: token).status == status)
        // Anybody may end it who changes conversations.
        #expect(try change(test, #"{"bridge":\#(bridge)}"#).status == 200)
        #expect(try change(test, #"{"bridge":null,"title":"Club"}"#, as: token).status == 200)
        // Whoever may not read and write the channel does not lead its words elsewhere, nor those of others to it.
        let isAll = ["messages:read", "messages:write", "channel_1:read", "channel_1:write"].allSatisfy(scopes.contains)
        for body in [#"{"topic":"elsewhere"}"#, #"{"filters":["else"]}"#, #"{"json":true}"#] {
            #expect(try change(test, body, as: token).status == (isAll ? 200 : 403), "\(body)")
        }
        let key = "/api/v1/mqtt/conversations/club/key"
        #expect(try test.ask("POST", key, as: token, "{}").status == (isAll ? 201 : 403))
        #expect(try test.ask("DELETE", key, as: token).status == (isAll ? 200 : 403))
    }

    /// The channel's rights count also for what was said before, and after the bridge is gone.
    @Test(arguments: [false, true]) func whoMayNotReadTheChannelDoesNotReadIt(isOver: Bool) throws {
        let test = try valley()
        let club = try #require(try test.store.read { try $0.brokerConversation("club")?.source })
        try test.hear("secret", id: "a-1", in: club)
        let all = try test.token(["messages:read", "messages:write", "channels:read", "channels:write"])
        let id = try #require(
            try test.ask("GET", "/api/v1/messages?conversation=mqtt:club", as: all).rows[0]["id"] as? String)
        #expect(try change(test, #"{"bridge":{"channel":1}}"#).status == 200)
        if isOver { #expect(try change(test, #"{"bridge":null}"#).status == 200) }
        let some = try test.token(["messages:read", "messages:write", "channel_0:read", "channel_0:write"])
        let reader = try EventReader(test, as: some)
        _ = try reader.read()
        try test.hear("secret, too", id: "a-2", in: club)
        try test.store.commit { try $0.markRead(.channel(0), by: 0, in: club) }
        #expect(try reader.read().isEmpty)
        for path in [
            "conversations/mqtt:club", "messages?conversation=mqtt:club", "messages/search?q=x&conversation=mqtt:club",
        ] {
            let answer = try test.ask("GET", "/api/v1/" + path, as: some)
            #expect(answer.status == 403 && answer.text.contains("channel_1"), "\(path): \(answer.text)")
            #expect(try test.ask("GET", "/api/v1/" + path, as: all).status == 200, "\(path)")
        }
        for path in ["messages/\(id)", "messages/\(id)/details"] {
            #expect(try test.ask("GET", "/api/v1/" + path, as: some).status == 404, "\(path)")
            #expect(try test.ask("GET", "/api/v1/" + path, as: all).status == 200, "\(path)")
        }
        #expect(try test.ask("GET", "/api/v1/conversations?before=mqtt:club", as: some).status == 403)
        for (token, isShown) in [(all, true), (some, false)] {
            let list = try test.ask("GET", "/api/v1/conversations", as: token)
            #expect(list.text.contains("mqtt:club") == isShown && list.text.contains("mqtt:news"), "\(list.text)")
        }
        for action in ["read", "unread", "mute"] {
            let answer = try test.ask(
                "POST", "/api/v1/conversations/mqtt:club/\(action)", as: some, #"{"muted":true}"#)
            #expect(answer.status == 403, "\(action)")
        }
    }

    @Test func whoMayNotWriteOnTheChannelDoesNotWriteHere() throws {
        let test = try valley()
        #expect(try change(test, #"{"bridge":{"channel":1}}"#).status == 200)
        func send(_ scopes: [String]) throws -> Answer {
            try test.ask(
                "POST", "/api/v1/messages", as: test.token(["messages:read", "messages:write"] + scopes),
                #"{"conversation":"mqtt:club","text":"Servus"}"#)
        }
        let refused = try send(["channel_1:read"])
        #expect(refused.status == 403 && refused.text.contains("channel_1"), "\(refused.text)")
        #expect(try send(["channel_1:read", "channel_1:write"]).status == 201)
        // A list says so before anybody writes.
        let token = try test.token(["messages:read", "messages:write", "channel_1:read"])
        let row = try test.ask("GET", "/api/v1/conversations/mqtt:club", as: token).data
        #expect(row["canSend"] as? Bool == false)
        #expect((row["cannotSend"] as? NSDictionary)?["code"] as? String == "INSUFFICIENT_SCOPE")
    }

    /// A reader loses the right while it follows.
    @Test func aBridgeEndsWhatAStreamTells() throws {
        let test = try valley()
        let club = try #require(try test.store.read { try $0.brokerConversation("club")?.source })
        let reader = try EventReader(test, as: test.token(["messages:read", "channel_0:read"]))
        _ = try reader.read()
        try test.hear("for all", in: club)
        #expect(try reader.read().map(\.kind) == ["message"])
        #expect(try change(test, #"{"bridge":{"channel":1}}"#).status == 200)
        try test.hear("for hikers", in: club)
        #expect(try reader.read().isEmpty)
    }
}
