import Foundation
import MeshModel
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct ConversationsAreListed {
    private static let friend = NodeNumber(0x0000_0777)
    private static let keys = [
        "id", "type", "channel", "nodeId", "name", "shortName", "isPublic", "lastMessage", "lastSender",
        "unreadCount", "muted", "mutedUntil", "canSend", "cannotSend", "sourceId",
    ]

    /// Channels 0 to 2, of which nobody speaks on 2; channel 5, which is no longer in use; chats with the peer and a friend.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert(
            (0...2).map { Channel(index: $0, role: $0 == 0 ? .primary : .secondary, name: "c\($0)", psk: [1]) })
        try test.update(TestGateway.peer) { ($0.longName, $0.channel) = ("Ridge", 0) }
        try test.insert("zero", packetID: 1, at: TestGateway.now + 1)
        try test.insert("one", packetID: 2, at: TestGateway.now + 2) { $0.channel = 1 }
        try test.insert("five", packetID: 3, at: TestGateway.now + 3) { $0.channel = 5 }
        for id in 4...6 as ClosedRange<PacketID> {
            try test.insert("direct \(id)", packetID: id, at: TestGateway.now + Int64(id)) {
                ($0.channel, $0.to) = (-1, TestGateway.own)
                if id == 5 { $0.from = Self.friend }
            }
        }
        return test
    }

    private func list(_ test: TestGateway, _ query: String = "", as token: APIToken? = nil) throws -> [NSDictionary] {
        try test.ask("GET", "/api/v1/conversations" + query, as: token ?? test.token).rows
    }

    private func ids(_ test: TestGateway, _ query: String = "", as token: APIToken? = nil) throws -> [String] {
        try list(test, query, as: token).map { try #require($0["id"] as? String) }
    }

    private static let all = [
        "direct:!abcdef12", "direct:!00000777", "channel:5", "channel:1", "channel:0", "channel:2",
    ]

    @Test func newestFirstWithTheirLastMessage() throws {
        let test = try gateway()
        let answer = try test.get("/api/v1/conversations")
        #expect(JSONText(answer.body).keys == ["success", "count", "hasMore", "data"])
        let rows = try answer.rows
        #expect(rows.map { $0["id"] as? String } == Self.all)
        #expect(rows.map { $0["name"] as? String } == ["Ridge", "!00000777", "Channel 5", "c1", "c0", "c2"])
        #expect(rows.map { $0["type"] as? String }.filter { $0 == "direct" }.count == 2)
        #expect(rows.map { $0["channel"] as? Int } == [-1, -1, 5, 1, 0, 2])
        #expect(rows.map { $0["nodeId"] as? String } == ["!abcdef12", "!00000777", nil, nil, nil, nil])
        #expect(rows.map { $0["unreadCount"] as? Int } == [2, 1, 1, 1, 1, 0])
        for row in rows { #expect(Set(row.allKeys.compactMap { $0 as? String }) == Set(Self.keys)) }
        // The last message is the row of GET messages.
        for row in rows.dropLast() {
            let id = try #require(row["id"] as? String)
            let newest = try test.get("/api/v1/messages?limit=1&conversation=\(id)").rows.first
            #expect(row["lastMessage"] as? NSDictionary == newest, "\(id)")
        }
        #expect(rows.last?["lastMessage"] is NSNull)
        let one = try test.get("/api/v1/conversations/direct:!abcdef12").data
        #expect(one == rows[0])
    }

    @Test func aPageEndsBeforeAConversation() throws {
        let test = try gateway()
        for limit in 1...7 {
            var (seen, query): ([String], String) = ([], "?limit=\(limit)")
            while true {
                let answer = try test.get("/api/v1/conversations" + query)
                let page = try answer.rows.map { try #require($0["id"] as? String) }
                seen += page
                guard try answer.json["hasMore"] as? Bool == true, let last = page.last else { break }
                #expect(page.count == limit)
                query = "?limit=\(limit)&before=\(last)"
            }
            #expect(seen == Self.all, "\(limit)")
        }
        #expect(try test.get("/api/v1/conversations?before=direct:!00000009").status == 404)
        #expect(try test.get("/api/v1/conversations?before=7").status == 400)
        for id in ["direct:!00000009", "channel:7"] {
            #expect(try test.get("/api/v1/conversations/\(id)").status == 404, "\(id)")
        }
        #expect(try test.get("/api/v1/conversations/nonsense").status == 400)
    }

    @Test func eachPrefixAndEachSource() throws {
        let test = try gateway()
        let hill = FilledGateway.hill
        try test.store.commit { writer in
            let other = try writer.insert(Source(uuid: hill, name: "Hill", isEnabled: true, createdAt: .max))
            _ = try writer.insertMessage(
                Message(
                    id: "", from: Self.friend, to: .broadcast, text: "from the hill", channel: 0, packetID: 1,
                    timestamp: 1, createdAt: 1, updatedAt: 1), in: other)
        }
        let bodies = try ["", "/sources/default", "/sources/\(test.uuid)"].map {
            try test.get("/api/v1\($0)/conversations").body
        }
        #expect(Set(bodies).count == 1)
        let rows = try test.get("/api/v1/sources/\(hill)/conversations").rows
        #expect(rows.map { $0["id"] as? String } == ["channel:0"])
        #expect((rows[0]["lastMessage"] as? NSDictionary)?["text"] as? String == "from the hill")
        #expect(rows[0]["sourceId"] as? String == hill)
        #expect((rows[0]["cannotSend"] as? NSDictionary)?["code"] as? String == "CHANNEL_NOT_IN_USE")
    }

    /// What a token may do, it does; what it lacks is named. The radio is unplugged.
    @Test func whoCannotSendIsToldWhy() throws {
        let test = try gateway()
        let writer = try test.token(["messages:read", "messages:write", "channels:read", "channel_1:write"])
        let reasons = { (token: APIToken) in
            try list(test, as: token).map { row in
                #expect(row["canSend"] as? Bool == (row["cannotSend"] is NSNull))
                return (row["cannotSend"] as? NSDictionary)?["code"] as? String
            }
        }
        #expect(
            try reasons(writer) == [
                "NOT_CONNECTED", "NOT_CONNECTED", "CHANNEL_NOT_IN_USE", "NOT_CONNECTED", "INSUFFICIENT_SCOPE",
                "INSUFFICIENT_SCOPE",
            ])
        let row = try #require(try list(test, as: test.token(["read"])).first)
        let reason = try #require(row["cannotSend"] as? NSDictionary)
        #expect(reason["required"] as? [String: String] == ["resource": "messages", "action": "write"])
        // Who may write the channel database may read what its keys have decrypted, and not send there.
        let entry = try test.gateway.channelDatabase.add(
            name: "Hut", psk: Array("0123456789abcdef".utf8), description: nil, isEnabled: true, enforcesName: false)
        let channel = ChannelEntry.channel(of: entry.id)
        try test.insert("secret", packetID: 9, at: TestGateway.now + 9) { $0.channel = channel }
        let keeper = try test.token(["messages:read", "channel_database:read"])
        let hut = try #require(try list(test, as: keeper).first)
        #expect((hut["id"] as? String, hut["name"] as? String) == ("channel:\(channel)", "Hut"))
        #expect((hut["cannotSend"] as? NSDictionary)?["code"] as? String == "READ_ONLY")
        #expect(try !ids(test).contains("channel:\(channel)"))
        #expect(try test.get("/api/v1/conversations/channel:\(channel)").status == 403)
    }

    @Test func withARadioTheyCan() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        try live.test.insert("hello", packetID: 7, at: TestGateway.now)
        try live.test.insert("hello", packetID: 8, at: TestGateway.now) {
            ($0.channel, $0.to) = (-1, live.radio.number)
        }
        let key = PublicKey([UInt8](repeating: 7, count: 32))
        try live.test.update(TestGateway.peer) { $0.publicKey = key }
        let sendable = { (id: String) in try live.test.get("/api/v1/conversations/\(id)").data["canSend"] as? Bool }
        #expect(try sendable("channel:0") == true)
        #expect(try sendable("direct:!abcdef12") == true)
        try live.test.update(TestGateway.peer) { $0.announcedKey = PublicKey([UInt8](repeating: 8, count: 32)) }
        let row = try live.test.get("/api/v1/conversations/direct:!abcdef12").data
        #expect((row["cannotSend"] as? NSDictionary)?["code"] as? String == "KEY_MISMATCH")
        // As the text itself is answered.
        let refused = try live.test.post("/api/v1/messages", #"{"text":"x","toNodeId":"!abcdef12"}"#)
        #expect(try refused.json["code"] as? String == "KEY_MISMATCH")
    }

    /// Over every single scope, and each channel without rights: a token's conversations are those of its messages.
    @Test func theyAreThoseOfTheMessagesThatATokenReads() throws {
        let test = try gateway()
        for scopes in Permission.all.map({ [$0.description] })
            + Permission.all.map({ ["messages:read", $0.description] })
            + [["admin"], ["read"], ["messages:read", "channel_0:read", "channel_5:read"]]
        {
            let token = try test.token(scopes)
            let answer = try test.ask("GET", "/api/v1/conversations", as: token)
            let messages = try test.ask("GET", "/api/v1/messages", as: token)
            #expect(answer.status == messages.status, "\(scopes)")
            guard answer.status == 200 else { continue }
            let rows = try answer.rows
            let read = try messages.rows
            var expected: [String] = []
            for message in read {
                let channel = try #require(message["channel"] as? Int)
                let id = channel < 0 ? "direct:\(message["fromNodeId"] as! String)" : "channel:\(channel)"
                if !expected.contains(id) { expected.append(id) }
                let row = rows.first { $0["id"] as? String == id }
                #expect(row != nil, "\(scopes): \(id)")
            }
            let shown = rows.filter { !($0["lastMessage"] is NSNull) }
            #expect(shown.map { $0["id"] as? String } == expected, "\(scopes)")
            for row in shown { #expect(read.contains(row["lastMessage"] as! NSDictionary)) }
            #expect(rows.reduce(0) { $0 + ($1["unreadCount"] as! Int) } == read.count)
            // A node's name is for those who see the node.
            let sees = ["admin", "read"].contains(scopes[0])
            #expect(rows.contains { $0["name"] as? String == "Ridge" } == sees, "\(scopes)")
            for channel in [0, 1, 2, 5] {
                let one = try test.ask("GET", "/api/v1/conversations/channel:\(channel)", as: token).status
                let list = try test.ask("GET", "/api/v1/messages?channel=\(channel)", as: token).status
                #expect(one == list, "\(scopes): \(channel)")
            }
        }
    }

    @Test func anUnchangedListIsNotSentAgain() throws {
        let test = try gateway()
        let tag = try #require(try test.get("/api/v1/conversations").header("ETag"))
        let known = (name: "If-None-Match", value: tag)
        // A node that is heard changes nothing here.
        try test.update(TestGateway.peer, at: TestGateway.now + 5) { $0.batteryLevel = 50 }
        #expect(try test.get("/api/v1/conversations", headers: [known]).status == 304)
        #expect(try test.post("/api/v1/conversations/channel:0/read", "{}").status == 200)
        #expect(try test.get("/api/v1/conversations", headers: [known]).status == 200)
    }
}
