import Foundation
import MeshModel
import Routes
import Testing

@testable import RestAPI

@Suite struct MessagesArePagedByTheirIDs {
    private static let friend = NodeNumber(0x0000_0777)

    /// 1 to 9: channel 0, channel 1, and direct ones from the peer and a friend.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        for id in 1...9 as ClosedRange<PacketID> {
            try test.insert("m\(id)", packetID: id, at: TestGateway.now + Int64(id)) { message in
                switch id % 4 {
                case 0: (message.channel, message.to) = (-1, TestGateway.own)
                case 1: message.channel = 1
                case 2: (message.channel, message.to, message.from) = (-1, TestGateway.own, Self.friend)
                default: break
                }
            }
        }
        return test
    }

    private func id(_ packet: PacketID, _ test: TestGateway) -> String {
        "\(test.uuid)_\((packet % 4 == 2 ? Self.friend : TestGateway.peer).rawValue)_\(packet)"
    }

    @Test func besideTheRows() throws {
        let test = try gateway()
        let answer = try test.get("/api/v1/messages?limit=2&before=\(id(5, test))")
        #expect(JSONText(answer.body).keys == ["success", "count", "first", "last", "hasBefore", "hasAfter", "data"])
        let json = try answer.json
        #expect(try answer.texts == ["m4", "m3"])
        #expect(json["count"] as? Int == 2)
        #expect((json["first"] as? String, json["last"] as? String) == (id(4, test), id(3, test)))
        #expect((json["hasBefore"] as? Bool, json["hasAfter"] as? Bool) == (true, true))
        let empty = try test.get("/api/v1/messages?before=\(id(1, test))").json
        #expect(empty["first"] is NSNull && empty["last"] is NSNull)
        #expect((empty["hasBefore"] as? Bool, empty["hasAfter"] as? Bool) == (false, true))
    }

    /// MeshMonitor's answer is as it was, also when such a parameter is there and empty.
    @Test func onlyWhenOneOfThemIsGiven() throws {
        let test = try gateway()
        for query in ["", "?limit=3", "?channel=0&since=1", "?before=&after=&around=&conversation="] {
            let answer = try test.get("/api/v1/messages" + query)
            #expect(JSONText(answer.body).keys == ["success", "count", "data"], "\(query)")
        }
    }

    @Test(arguments: [
        ("conversation=channel:1", ["m9", "m5", "m1"]), ("conversation=direct:!abcdef12", ["m8", "m4"]),
        ("conversation=direct:!00000777", ["m6", "m2"]), ("conversation=direct:!00000009", []),
        ("conversation=channel:7", []), ("after={6}", ["m9", "m8", "m7"]), ("after={6}&limit=1", ["m7"]),
        ("around={5}&limit=3", ["m6", "m5", "m4"]), ("around={9}&limit=3", ["m9", "m8", "m7"]),
        ("conversation=channel:1&before={9}", ["m5", "m1"]), ("conversation=channel:1&around={5}&limit=1", ["m5"]),
        // With the filters that there were before.
        ("before={9}&channel=0", ["m7", "m3"]), ("before={9}&fromNodeId=!00000777", ["m6", "m2"]),
        ("after={2}&toNodeId=!12345678&limit=2", ["m6", "m4"]),
        ("conversation=direct:!abcdef12&fromNodeId=!abcdef12", ["m8", "m4"]),
        ("conversation=direct:!abcdef12&toNodeId=!abcdef12", []),
        ("conversation=channel:1&channel=1", ["m9", "m5", "m1"]), ("conversation=channel:1&channel=0", []),
        ("conversation=channel:1&since=1787300000004", ["m9", "m5"]),
        ("conversation=direct:%21abcdef12", ["m8", "m4"]), ("conversation=channel%3A1", ["m9", "m5", "m1"]),
    ])
    func newestFirst(_ query: String, _ texts: [String]) throws {
        let test = try gateway()
        var query = query
        for packet in 1...9 as ClosedRange<PacketID> { query = query.replacing("{\(packet)}", with: id(packet, test)) }
        let prefixes = ["/api/v1/", "/api/v1/sources/default/", "/api/v1/sources/\(test.uuid)/"]
        let answers = try prefixes.map { try test.get($0 + "messages?" + query) }
        #expect(try answers[0].texts == texts)
        #expect(Set(answers.map(\.body)).count == 1)
        let tag = try #require(answers[0].header("ETag"))
        let known = (name: "If-None-Match", value: tag)
        #expect(try test.get("/api/v1/messages?" + query, headers: [known]).status == 304)
        try test.insert("new", packetID: 20, at: TestGateway.now + 20)
        #expect(try test.get("/api/v1/messages?" + query, headers: [known]).status == 200)
    }

    @Test(arguments: ["before", "after", "around"]) func whatIsNoIDIsRefused(_ name: String) throws {
        let test = try gateway()
        for value in [
            "5", "-1", "1787300000005", "2882400018_5", "x", "_", "__", "null", "\(test.uuid)", "\(test.uuid)_x_5",
            "\(test.uuid)_2882400018_", "%00", "\(test.uuid)_2882400018_5_5",
        ] {
            let answer = try test.get("/api/v1/messages?\(name)=\(value)")
            #expect(answer.status == 400, "\(value)")
            let isNamed = answer.message?.hasPrefix("\(name) must be the id of a message, as its row has it") == true
            #expect(isNamed || value == "%00", "\(answer.text)")
        }
        for pair in ["before=\(id(1, test))&after=\(id(1, test))", "after=\(id(1, test))&around=\(id(2, test))"] {
            #expect(try test.get("/api/v1/messages?" + pair).status == 400)
        }
        for value in ["0", "channel", "channel:-1", "channel:x", "direct:", "direct:2882400018", "!abcdef12"] {
            let answer = try test.get("/api/v1/messages?conversation=\(value)")
            #expect(answer.status == 400)
            #expect(answer.message?.contains("such as channel:0, direct:!a1b2c3d4 or mqtt:club") == true)
        }
    }

    @Test func aMessageThatIsGoneIs404() throws {
        let test = try gateway()
        let gone = id(5, test)
        #expect(try test.ask("DELETE", "/api/messages/\(gone)", as: test.token).status == 200)
        for name in ["before", "after", "around"] {
            for missing in [gone, "\(test.uuid)_1_1", "11111111-2222-4333-8444-555555555555_2882400018_4"] {
                let answer = try test.get("/api/v1/messages?\(name)=\(missing)")
                #expect(answer.status == 404)
                #expect(answer.message == "Message \(missing) is gone: it was deleted, or it was never in this source")
            }
            let elsewhere = try test.get("/api/v1/messages?conversation=channel:0&\(name)=\(id(4, test))")
            #expect(elsewhere.status == 404)
            #expect(elsewhere.message == "Message \(id(4, test)) is not in conversation channel:0")
        }
    }

    /// A message that a token may not read is no place for it, and not even known to be there.
    @Test func whatMayNotBeReadIsAsGoodAsGone() throws {
        let test = try gateway()
        let token = try test.token(["messages:read", "channel_1:read"])
        let hidden = try test.ask("GET", "/api/v1/messages?before=\(id(7, test))", as: token)
        let missing = try test.ask("GET", "/api/v1/messages?before=\(test.uuid)_1_7", as: token)
        #expect((hidden.status, missing.status) == (404, 404))
        #expect(hidden.text.replacing(id(7, test), with: "X") == missing.text.replacing("\(test.uuid)_1_7", with: "X"))
        #expect(
            try test.ask("GET", "/api/v1/messages?after=\(id(1, test))", as: token).texts
                == ["m9", "m8", "m6", "m5", "m4", "m2"])
        #expect(
            try test.ask("GET", "/api/v1/messages?around=\(id(5, test))&limit=3", as: token).texts == [
                "m6", "m5", "m4",
            ])
        let refused = try test.ask("GET", "/api/v1/messages?conversation=channel:0", as: token)
        #expect(refused.text == (try test.ask("GET", "/api/v1/messages?channel=0", as: token)).text)
        #expect(refused.status == 403)
    }
}
