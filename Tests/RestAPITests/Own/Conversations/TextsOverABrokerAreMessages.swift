import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI
@testable import Store

/// What is said over a broker stands among the messages, for who asks for it where no source is named.
@Suite struct TextsOverABrokerAreMessages {
    private static let now = TestGateway.now
    private static let club = "/api/v1/conversations/mqtt:club"
    private static let all = "/api/v1/messages?conversation=mqtt:club"
    /// Whatever channels it may read.
    private static let scopes = ["messages:read", "messages:write"]

    /// Five texts; on channel 0 of the radio one was said between the third and the fourth.
    private func gateway() throws -> (test: TestGateway, source: SourceID) {
        let test = try TestGateway()
        try test.insert([Channel(index: 0, role: .primary, name: "c0", psk: [1])])
        let source = try test.make("club", title: "The club")
        for number in 1...5 as ClosedRange<Int64> {
            if number == 4 { try test.insert("on the air", packetID: 1, at: Self.now + 35) }
            try test.hear("text \(number)", from: "Ann", id: "a-\(number)", at: Self.now + number * 10, in: source)
        }
        return (test, source)
    }

    private func texts(_ answer: Answer) throws -> [String] { try answer.rows.map { $0["text"] as? String ?? "" } }

    @Test func aRowHasWhatARadiosRowHasAndMore() throws {
        let (test, source) = try gateway()
        let token = try test.token(Self.scopes)
        let row = try test.ask("GET", Self.all, as: token).rows[0]
        let radios = try test.get("/api/v1/messages").rows[0]
        let more = Set(row.allKeys.compactMap { $0 as? String }).subtracting(
            radios.allKeys.compactMap { $0 as? String })
        #expect(row.count == radios.count + 2 && more == ["topic", "writer"])
        let uuid = try #require(try test.store.read { try $0.source(source)?.uuid })
        #expect(row["channel"] as? Int == -1 && row["fromNodeNum"] as? Int == 0 && row["sourceId"] as? String == uuid)
        #expect(row["topic"] as? String == "club/talk" && row["writer"] as? String == "Ann")
        #expect(row["viaMqtt"] as? Bool == true && row["deliveryState"] is NSNull)
        // One alone, and with all that is known.
        let id = try #require(row["id"] as? String)
        #expect(try test.ask("GET", "/api/v1/messages/\(id)", as: token).data == row)
        let details = try test.ask("GET", "/api/v1/messages/\(id)/details", as: token).data
        #expect(details["message"] as? NSDictionary == row && details["conversation"] as? String == "mqtt:club")
    }

    @Test func theListHasItAmongTheOthers() throws {
        let (test, _) = try gateway()
        try test.make("empty")
        for base in ["/api/v1", "/api/v1/sources/default"] {
            let rows = try test.get(base + "/conversations").rows
            #expect(rows.map { $0["id"] as? String } == ["mqtt:club", "channel:0", "mqtt:empty"], "\(base)")
        }
        let first = try test.get("/api/v1/conversations?limit=1")
        #expect(try first.json["hasMore"] as? Bool == true)
        let behind = try test.get("/api/v1/conversations?before=mqtt:club").rows
        #expect(behind.map { $0["id"] as? String } == ["channel:0", "mqtt:empty"])
        let row = try test.get(Self.club).data
        #expect(try first.rows == [row])
        #expect(row["type"] as? String == "mqtt" && row["channel"] as? Int == -1 && row["nodeId"] is NSNull)
        #expect(row["name"] as? String == "The club" && row["lastSender"] as? String == "Ann")
        let newest = try test.get(Self.all).rows[0]
        #expect(row["unreadCount"] as? Int == 5 && row["lastMessage"] as? NSDictionary == newest)
        #expect((row["connection"] as? NSDictionary)?["state"] as? String == "connected")
        #expect((row["cannotSend"] as? NSDictionary)?["code"] as? String == "READ_ONLY")
        // Silent ones have all members, too.
        #expect(try test.get("/api/v1/conversations/mqtt:empty").data.count == row.count)
        for id in ["mqtt:nobody", "mqtt:", "mqtt:CLUB"] {
            #expect(try test.get("/api/v1/conversations/\(id)").status == 404, "\(id)")
            #expect(try test.get("/api/v1/messages?conversation=\(id)").status == 404, "\(id)")
        }
    }

    @Test func pagesAreFoundByIDsAndTimes() throws {
        let (test, _) = try gateway()
        let rows = try test.get(Self.all).rows
        #expect(rows.map { $0["text"] as? String } == (1...5).reversed().map { "text \($0)" })
        let ids = rows.map { $0["id"] as? String ?? "" }
        #expect(try texts(test.get(Self.all + "&before=\(ids[2])")) == ["text 2", "text 1"])
        #expect(try texts(test.get(Self.all + "&after=\(ids[2])&limit=1")) == ["text 4"])
        #expect(try texts(test.get(Self.all + "&around=\(ids[2])&limit=3")) == ["text 4", "text 3", "text 2"])
        #expect(try texts(test.get(Self.all + "&since=\(Self.now + 40)")) == ["text 5"])
        let page = try test.get(Self.all + "&limit=2").json
        #expect(page["hasBefore"] as? Bool == true && page["last"] as? String == ids[1])
        // No message of a radio is a place here, nor the other way round.
        let radios = "\(test.uuid)_\(TestGateway.peer.rawValue)_1"
        #expect(try test.get(Self.all + "&before=\(radios)").status == 404)
        #expect(try test.get("/api/v1/messages?before=\(ids[0])").status == 404)
        for query in ["channel=0", "fromNodeId=!abcdef12", "toNodeId=broadcast", "before=7"] {
            #expect(try test.get(Self.all + "&" + query).status == 400, "\(query)")
        }
        // Two hundred at once are read while they are sent.
        let many = try test.make("many")
        for number in 1...200 as ClosedRange<Int64> { try test.hear("\(number)", at: Self.now + number, in: many) }
        let long = try test.get("/api/v1/messages?conversation=mqtt:many&limit=200").rows
        #expect(
            long.count == 200
                && long.allSatisfy { $0["topic"] as? String == "club/talk" && $0["channel"] as? Int == -1 })
    }

    @Test func searchFindsThemWhereTheyAreLookedFor() throws {
        let (test, _) = try gateway()
        let found = try test.get("/api/v1/messages/search?q=text&conversation=mqtt:club")
        #expect(try found.json["total"] as? Int == 5 && found.rows[0]["writer"] as? String == "Ann")
        #expect(try found.rows[0]["source"] as? String == "standard")
        #expect(try test.get("/api/v1/messages/search?q=text").json["total"] as? Int == 0)
        #expect(try test.get("/api/v1/messages/search?q=air&conversation=mqtt:club").json["total"] as? Int == 0)
        // Nothing would be found, as if nothing had been said.
        for query in ["fromNodeId=!abcdef12", "channels=0", "channels=-1", "scope=dms"] {
            let answer = try test.get("/api/v1/messages/search?q=text&conversation=mqtt:club&" + query)
            #expect(answer.status == 400, "\(query): \(answer.text)")
        }
    }

    @Test func eachTokenReadsAndMutesForItself() throws {
        let (test, _) = try gateway()
        let (mine, other) = (try test.token(Self.scopes), try test.token(Self.scopes))
        func unread(_ token: APIToken) throws -> Int? {
            try test.ask("GET", Self.club, as: token).data["unreadCount"] as? Int
        }
        let third = try #require(try test.get(Self.all).rows[2]["id"] as? String)
        for (action, body, left) in [
            ("read", "{\"messageId\":\"\(third)\"}", 2), ("read", "{}", 0), ("unread", "{}", 1),
            ("unread", "{\"messageId\":\"\(third)\"}", 3),
        ] {
            let answer = try test.ask("POST", Self.club + "/" + action, as: mine, body)
            #expect(try answer.status == 200 && answer.data["unreadCount"] as? Int == left, "\(action): \(answer.text)")
        }
        #expect(try unread(mine) == 3 && unread(other) == 5)
        #expect(try test.ask("POST", Self.club + "/mute", as: mine, #"{"muted":true}"#).data["muted"] as? Bool == true)
        #expect(try test.ask("GET", Self.club, as: other).data["muted"] as? Bool == false)
        let radios = "\(test.uuid)_\(TestGateway.peer.rawValue)_1"
        #expect(try test.ask("POST", Self.club + "/read", as: mine, "{\"messageId\":\"\(radios)\"}").status == 404)
        // Channel 0 of the radio is another one.
        #expect(try test.get("/api/v1/conversations/channel:0").data["unreadCount"] as? Int == 1)
    }

    @Test func aStreamTellsThemToWhoAsksForNothingElse() throws {
        let (test, source) = try gateway()
        let token = try test.token(["messages:read"])
        let reader = try EventReader(test, as: token)
        // A token of its own for each: it has four streams.
        let named = try ["channel=0", "node=!abcdef12", "source=default", "source=\(test.uuid)"].map {
            try EventReader(test, "/api/v1/events?" + $0, as: test.token(["messages:read"]))
        }
        let radios = try EventReader(test, "/api/v1/sources/\(test.uuid)/events")
        let byDefault = try EventReader(test, "/api/v1/sources/default/events")
        for stream in [reader, radios, byDefault] + named { _ = try stream.read() }
        try test.hear("news", at: Self.now + 99, in: source)
        #expect(try test.ask("POST", Self.club + "/read", as: token, "{}").status == 200)
        let told = try reader.read()
        #expect(told.map(\.kind) == ["message", "read"])
        #expect(try told[0].json == test.ask("GET", Self.all, as: token).rows[0])
        #expect(try told[1].json["id"] as? String == "mqtt:club" && told[1].json["unread"] as? Int == 0)
        #expect(try byDefault.read().map(\.kind) == ["message"])
        for stream in named + [radios] { #expect(try stream.read().isEmpty && !stream.isOver) }
        // Who comes back is told the same, and who may not read messages nothing.
        let first = try #require(told.first?.id)
        #expect(try EventReader(test, as: token, lastEventID: first).news().map(\.kind) == ["read"])
        let blind = try EventReader(test, as: test.token(["nodes:read", "channels:read", "info:read"]))
        _ = try blind.read()
        try test.hear("secret", at: Self.now + 100, in: source)
        #expect(try blind.read().isEmpty)
    }

    @Test func aRemovedOneIsNotTold() throws {
        let (test, source) = try gateway()
        let reader = try EventReader(test)
        _ = try reader.read()
        try test.hear("last", at: Self.now + 99, in: source)
        try test.store.commit { try $0.removeBrokerConversation(source) }
        #expect(try reader.read().isEmpty)
        #expect(try test.get(Self.all).status == 404 && test.get(Self.club).status == 404)
    }

    @Test func whoMayNotReadMessagesSeesNone() throws {
        let (test, _) = try gateway()
        let token = try test.token(["mqtt:read", "channels:read", "nodes:read"])
        let id = try #require(try test.get(Self.all).rows[0]["id"] as? String)
        for path in [Self.club, Self.all, "/api/v1/messages/\(id)", "/api/v1/messages/\(id)/details"] {
            #expect(try test.ask("GET", path, as: token).status == 403, "\(path)")
        }
    }
}
