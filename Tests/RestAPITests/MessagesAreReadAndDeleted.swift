import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct MessagesAreReadAndDeleted {
    private static let friend = NodeNumber(0x0000_0777)

    /// Two on channel 0, one on channel 2, two direct ones from the peer, one from a friend.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { $0.longName = "Peer" }
        try test.update(Self.friend) { $0.longName = "Friend" }
        try test.insert("one", packetID: 1, at: TestGateway.now + 1)
        try test.insert("two", packetID: 2, at: TestGateway.now + 2)
        try test.insert("three", packetID: 3, at: TestGateway.now + 3) { $0.channel = 2 }
        for id in 4...6 as ClosedRange<PacketID> {
            try test.insert("direct \(id)", packetID: id, at: TestGateway.now + Int64(id)) {
                ($0.channel, $0.to) = (-1, TestGateway.own)
                if id == 6 { $0.from = Self.friend }
            }
        }
        return test
    }

    private func unread(_ test: TestGateway, as token: APIToken? = nil) throws -> String {
        try test.ask("GET", "/api/messages/unread-counts", as: token ?? test.token).text
    }

    private static let all = #"{"channels":{"0":2,"2":1},"directMessages":{"!00000777":1,"!abcdef12":2}}"#

    @Test func eachTokenReadsForItself() throws {
        let test = try gateway()
        let other = try test.token([])
        #expect(try unread(test) == Self.all)
        #expect(try test.post("/api/messages/mark-read", #"{"channelId":0}"#).text == #"{"marked":2}"#)
        #expect(try test.post("/api/messages/mark-read", #"{"channelId":0}"#).text == #"{"marked":0}"#)
        #expect(try test.post("/api/messages/mark-read", #"{"nodeId":"!00000777"}"#).text == #"{"marked":1}"#)
        #expect(try unread(test) == #"{"channels":{"2":1},"directMessages":{"!abcdef12":2}}"#)
        let id = "\(test.uuid)_\(TestGateway.peer.rawValue)_4"
        #expect(
            try test.post("/api/messages/mark-read", #"{"messageIds":["\#(id)","nonsense",7]}"#).text
                == #"{"marked":1}"#)
        #expect(try unread(test) == #"{"channels":{"2":1},"directMessages":{"!abcdef12":1}}"#)
        #expect(try unread(test, as: other) == Self.all)
        #expect(
            try test.ask("POST", "/api/messages/mark-read", as: other, #"{"allDMs":true}"#).text == #"{"marked":3}"#)
        #expect(try unread(test, as: other) == #"{"channels":{"0":2,"2":1},"directMessages":{}}"#)
        for body in ["{}", #"{"channelId":"x"}"#, #"{"channelId":8}"#, #"{"allDMs":false}"#, "[]"] {
            #expect(try test.post("/api/messages/mark-read", body).status == 400, "\(body)")
        }
    }

    @Test func whatMayNotBeReadIsNotCounted() throws {
        let test = try gateway()
        let token = try test.token(["messages:read", "channel_2:read"])
        #expect(
            try unread(test, as: token) == #"{"channels":{"2":1},"directMessages":{"!00000777":1,"!abcdef12":2}}"#)
        let answer = try test.ask("POST", "/api/messages/mark-read", as: token, #"{"channelId":0}"#)
        #expect(answer.status == 403)
    }

    private func delete(_ test: TestGateway, _ target: String, as token: APIToken? = nil) throws -> Answer {
        try test.ask("DELETE", target, as: token ?? test.token)
    }

    @Test func oneIsDeletedByEachOfItsIDs() throws {
        let test = try gateway()
        let id = "\(test.uuid)_\(TestGateway.peer.rawValue)_2"
        let answer = try delete(test, "/api/messages/\(id)")
        #expect(answer.status == 200)
        #expect(try answer.json["id"] as? String == id)
        #expect(try delete(test, "/api/messages/\(id)").status == 404)
        #expect(try delete(test, "/api/messages/3").status == 200)
        #expect(try delete(test, "/api/messages/nonsense").status == 404)
        #expect(try test.get("/api/v1/messages").texts == ["direct 6", "direct 5", "direct 4", "one"])
        #expect(try test.get("/api/v1/messages/2").status == 404)
        #expect(try test.get("/api/v1/messages/search?q=two").rows.isEmpty)
        let statistics = try test.ask("GET", "/api/status").json["statistics"] as? [String: Int]
        #expect(statistics?["messages"] == 4)
    }

    @Test func whatMayNotBeReadIsNotDeleted() throws {
        let test = try gateway()
        let token = try test.token(["messages:read", "messages:write", "channel_2:read"])
        #expect(try delete(test, "/api/messages/1", as: token).status == 404)
        #expect(try deleted(test, "node=!abcdef12", as: token) == 3)
        #expect(try test.get("/api/v1/messages").texts == ["direct 6", "two", "one"])
        #expect(try delete(test, "/api/messages/1", as: test.token(["read"])).status == 403)
    }

    private func deleted(_ test: TestGateway, _ query: String, as token: APIToken? = nil) throws -> Int? {
        let answer = try delete(test, "/api/v1/messages?" + query, as: token)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.data["node"] as? String == TestGateway.peer.id)
        return try answer.data["messagesDeleted"] as? Int
    }

    /// The node stays, and so does what others have said.
    @Test(arguments: ["node=!abcdef12", "node=%21ABCDEF12", "node=2882400018", "node=0xabcdef12"])
    func allOfANode(_ query: String) throws {
        let test = try gateway()
        #expect(try deleted(test, query) == 5)
        #expect(try deleted(test, query) == 0)
        #expect(try test.get("/api/v1/messages").texts == ["direct 6"])
        #expect(try test.get("/api/v1/nodes/\(TestGateway.peer.id)").status == 200)
        // The mesh repeats itself.
        let (id, uuid) = (test.id, test.uuid)
        let again = Message(
            id: "\(uuid)_\(TestGateway.peer.rawValue)_1", from: TestGateway.peer, to: .broadcast, text: "one",
            channel: 0,
            packetID: 1, timestamp: TestGateway.now, createdAt: TestGateway.now, updatedAt: TestGateway.now)
        #expect(try !test.store.commit { try $0.insertMessage(again, in: id) })
    }

    @Test func eachPrefixHasIt() throws {
        let test = try gateway()
        for path in ["", "/sources/default", "/sources/\(test.uuid)"] {
            #expect(try delete(test, "/api/v1\(path)/messages?node=\(Self.friend.id)").status == 200, "\(path)")
        }
        #expect(try test.get("/api/v1/messages").rows.count == 5)
    }

    @Test(arguments: [
        "", "?node=", "?node=x", "?node=abcdef12", "?node=!", "?node=0", "?node=-1", "?node=!ffffffff",
        "?node=4294967295", "?node=broadcast", "?nodeId=!abcdef12",
    ])
    func aNodeHasToBeNamed(_ query: String) throws {
        let test = try gateway()
        let answer = try delete(test, "/api/v1/messages" + query)
        #expect(answer.status == 400)
        #expect(try answer.json["success"] as? Bool == false)
        #expect(try test.get("/api/v1/messages").rows.count == 6)
    }

    /// Writing alone is not enough to delete what may not be read.
    @Test func whoReadsNoMessagesDeletesNone() throws {
        let test = try gateway()
        let token = try test.token(["messages:write", "channels:read"])
        #expect(try delete(test, "/api/v1/messages?node=!abcdef12", as: token).status == 403)
        #expect(try test.get("/api/v1/messages").rows.count == 6)
    }
}
