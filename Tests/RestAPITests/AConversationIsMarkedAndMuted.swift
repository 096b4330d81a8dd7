import Foundation
import HTTPServer
import MeshModel
import Routes
import Store
import Synchronization
import Testing

@testable import RestAPI

@Suite struct AConversationIsMarkedAndMuted {
    /// Five from the peer, and one on channel 0.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.insert([Channel(index: 0, role: .primary, psk: [1]), Channel(index: 1, role: .secondary, psk: [1])])
        for id in 1...5 as ClosedRange<PacketID> {
            try test.insert("direct \(id)", packetID: id, at: TestGateway.now) {
                ($0.channel, $0.to) = (-1, TestGateway.own)
            }
        }
        try test.insert("to all", packetID: 9, at: TestGateway.now)
        return test
    }

    private static let chat = "/api/v1/conversations/direct:!abcdef12"

    private func id(_ packet: Int, _ test: TestGateway) -> String {
        "\(test.uuid)_\(TestGateway.peer.rawValue)_\(packet)"
    }

    private func unread(_ test: TestGateway, _ path: String = chat, as token: APIToken? = nil) throws -> Int? {
        try test.ask("GET", path, as: token ?? test.token).data["unreadCount"] as? Int
    }

    @Test func forthAndBack() throws {
        let test = try gateway()
        let other = try test.token([])
        #expect(try unread(test) == 5)
        for (action, body, left) in [
            ("read", #"{"messageId":"{3}"}"#, 2), ("read", #"{"messageId":"{1}"}"#, 2),
            ("unread", #"{"messageId":"{2}"}"#, 4), ("unread", #"{"messageId":"{5}"}"#, 4), ("read", "{}", 0),
            ("unread", "{}", 1), ("read", #"{"messageId":null}"#, 0), ("unread", #"{"messageId":"{1}"}"#, 5),
        ] {
            var body = body
            for packet in 1...5 { body = body.replacing("{\(packet)}", with: id(packet, test)) }
            let answer = try test.post(Self.chat + "/" + action, body)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try answer.data["unreadCount"] as? Int == left, "\(action) \(body)")
            #expect(try unread(test) == left)
            // The counts that there were before say the same.
            let counts = try test.get("/api/messages/unread-counts").json["directMessages"] as? [String: Int]
            #expect(counts?["!abcdef12"] ?? 0 == left)
        }
        #expect(try unread(test, as: other) == 5)
        #expect(try unread(test, "/api/v1/conversations/channel:0") == 1)
    }

    /// Whatever is deleted, the mark stays where it is.
    @Test func aDeletedMessageMovesNoMark() throws {
        let test = try gateway()
        _ = try test.post(Self.chat + "/read", #"{"messageId":"\#(id(3, test))"}"#)
        #expect(try test.ask("DELETE", "/api/messages/\(id(3, test))", as: test.token).status == 200)
        #expect(try unread(test) == 2)
        #expect(try test.ask("DELETE", "/api/messages/\(id(4, test))", as: test.token).status == 200)
        #expect(try unread(test) == 1)
        let gone = try test.post(Self.chat + "/unread", #"{"messageId":"\#(id(3, test))"}"#)
        #expect(gone.status == 404)
        #expect(gone.message?.contains("is gone") == true)
    }

    @Test(arguments: [
        ("read", #"{"messageId":7}"#, 400), ("unread", #"{"messageId":"7"}"#, 400), ("read", "[]", 400),
        ("read", #"{"messageId":"{9}"}"#, 404), ("mute", "{}", 400), ("mute", #"{"muted":1}"#, 400),
        ("mute", #"{"muted":true,"mutedUntil":5}"#, 400), ("mute", #"{"muted":true,"mutedUntil":"x"}"#, 400),
        ("mute", #"{"muted":false,"mutedUntil":4102444800000}"#, 400),
    ])
    func whatIsWrongIsRefused(_ action: String, _ body: String, _ status: Int) throws {
        let test = try gateway()
        let answer = try test.post(Self.chat + "/" + action, body.replacing("{9}", with: id(9, test)))
        #expect(answer.status == status, "\(answer.text)")
        #expect(try unread(test) == 5)
        for missing in ["direct:!00000001", "channel:7"] {
            let right = action == "mute" ? #"{"muted":true}"# : "{}"
            #expect(try test.post("/api/v1/conversations/\(missing)/\(action)", right).status == 404)
        }
    }

    @Test func onlyWhatMayBeRead() throws {
        let test = try gateway()
        let token = try test.token(["messages:read", "channel_1:read"])
        for (action, body) in [("read", "{}"), ("unread", "{}"), ("mute", #"{"muted":true}"#)] {
            let refused = try test.ask("POST", "/api/v1/conversations/channel:0/\(action)", as: token, body)
            #expect(refused.status == 403)
            #expect(try refused.json["required"] as? [String: String] == ["resource": "channel_0", "action": "read"])
            #expect(try test.ask("POST", "/api/v1/conversations/channel:1/\(action)", as: token, body).status == 200)
        }
    }

    @Test func aMuteEndsByItself() throws {
        let test = try gateway()
        let now = Mutex(TestGateway.now)
        let api = RestAPI(Endpoints.served, gateway: test.gateway, version: "1", clock: { now.withLock { $0 } })
        let other = try test.token([])
        func ask(_ method: String, _ path: String, _ body: String = "", as token: APIToken? = nil) throws -> Answer {
            let bearer = (name: "Authorization", value: "Bearer " + (token ?? test.token).text)
            return try Answer(
                api.respond(Request(method: method, target: path, headers: [bearer], body: Array(body.utf8))))
        }
        func muted(as token: APIToken? = nil) throws -> [String?] {
            let row = try ask("GET", Self.chat, as: token).data
            return [(row["muted"] as? Bool).map { "\($0)" }, (row["mutedUntil"] as? Int64).map { "\($0)" }]
        }
        #expect(try muted() == ["false", nil])
        let end = TestGateway.now + 1000
        #expect(try ask("POST", Self.chat + "/mute", #"{"muted":true,"mutedUntil":\#(end)}"#).status == 200)
        #expect(try muted() == ["true", "\(end)"])
        #expect(try muted(as: other) == ["false", nil])
        let tag = try #require(try ask("GET", Self.chat).header("ETag"))
        now.withLock { $0 = end }
        #expect(try muted() == ["false", nil])
        // Nothing was written, and still the answer is another one.
        #expect(try ask("GET", Self.chat).header("ETag") != tag)
        #expect(try ask("POST", Self.chat + "/mute", #"{"muted":true}"#).data["muted"] as? Bool == true)
        now.withLock { $0 = end + 1_000_000_000_000 }
        #expect(try muted() == ["true", nil])
        #expect(try ask("POST", Self.chat + "/mute", #"{"muted":false}"#).data["muted"] as? Bool == false)
        #expect(try muted() == ["false", nil])
    }
}
