import Foundation
import HTTPServer
import MeshModel
import Routes
import Synchronization
import Testing

@testable import RestAPI
@testable import Store

/// Conversations over brokers are made, changed and removed over REST.
@Suite struct AConversationOverABrokerIsKept {
    private static let path = "/api/v1/mqtt/conversations"
    private static let keys = [
        "name", "title", "broker", "filters", "topic", "canSend", "qos", "json", "from", "sealed", "keyId",
        "connection", "waiting", "unopened", "unsealed", "bridge", "channels",
    ]

    private func ask(_ test: TestGateway, _ method: String, _ path: String = "", _ body: String = "") throws -> Answer {
        try test.ask(method, Self.path + path, as: test.token(["mqtt:read", "mqtt:write"]), body)
    }

    @Test func fromItsMakingToItsEnd() throws {
        let told = Told()
        let test = try TestGateway(conversations: .house { told.count.add(1, ordering: .relaxed) })
        let made = try ask(test, "POST", "", #"{"name":"club","broker":"house","filters":["club/#","news/today"]}"#)
        #expect(made.status == 201 && JSONText(made.body).keys == ["success", "data"], "\(made.text)")
        let row = try made.data
        #expect(Set(row.allKeys.compactMap { $0 as? String }) == Set(Self.keys))
        #expect(row["title"] as? String == "club" && row["topic"] as? String == "news/today")
        #expect(row["canSend"] as? Bool == true && row["qos"] as? Int == 1 && row["json"] as? Bool == false)
        #expect(row["from"] as? String == "mesh-gateway" && row["waiting"] as? Int == 0)
        #expect(made.text.contains(#""connection":{"state":"connected","since":"2026-"#), "\(made.text)")
        #expect(try ask(test, "GET", "/club").data == row)
        #expect(try ask(test, "GET").rows == [row])
        // What is not given stays.
        let changed = try ask(test, "PATCH", "/club", #"{"title":"The club","topic":"club/talk","qos":0,"json":true}"#)
        #expect(changed.status == 200, "\(changed.text)")
        let after = try changed.data
        #expect(after["title"] as? String == "The club" && after["topic"] as? String == "club/talk")
        #expect(after["qos"] as? Int == 0 && after["json"] as? Bool == true)
        #expect(after["filters"] as? [String] == ["club/#", "news/today"])
        let lifted = try ask(test, "PATCH", "/club", #"{"topic":null,"filters":["club/+"],"from":"Hut"}"#)
        #expect(try lifted.data["topic"] is NSNull && lifted.data["canSend"] as? Bool == false)
        #expect(try lifted.data["from"] as? String == "Hut")
        let removed = try ask(test, "DELETE", "/club")
        #expect(removed.status == 200 && removed.text.contains(#""data":{"name":"club","deleted":true}"#))
        for (method, body) in [("GET", ""), ("PATCH", "{}"), ("DELETE", "")] {
            #expect(try ask(test, method, "/club", body).status == 404, "\(method)")
        }
        // The name is free at once.
        #expect(try ask(test, "POST", "", #"{"name":"club","broker":"house","filters":["x"]}"#).status == 201)
        // Each change but a refused one is told to who connects it.
        #expect(told.count.load(ordering: .relaxed) == 5)
    }

    @Test func thirtyTwoOfThemAndEachNameOnce() throws {
        let test = try TestGateway()
        for number in 1...BrokerConversation.limit { try test.make("c\(number)") }
        let more = #"{"name":"more","broker":"house","filters":["x"]}"#
        #expect(try ask(test, "POST", "", more).status == 409)
        #expect(try ask(test, "DELETE", "/c7").status == 200)
        #expect(try ask(test, "POST", "", more.replacing("more", with: "c8")).status == 409)
        #expect(try ask(test, "POST", "", more).status == 201)
        #expect(try ask(test, "GET").rows.count == 32)
    }

    /// The member is named, and nothing is stored. Of a broker that is away, all but the broker can be changed.
    @Test func oneThatCannotBeIsRefused() throws {
        let test = try TestGateway()
        try test.make("known")
        let long = String(repeating: "x", count: 257)
        let cannotBe: [(member: String, body: String)] = [
            ("name", #"{"broker":"house","filters":["a"]}"#),
            ("name", #"{"name":"","broker":"house","filters":["a"]}"#),
            ("name", #"{"name":"Club","broker":"house","filters":["a"]}"#),
            ("name", #"{"name":"the club","broker":"house","filters":["a"]}"#),
            ("name", #"{"name":"\#(long)","broker":"house","filters":["a"]}"#),
            ("name", #"{"name":7,"broker":"house","filters":["a"]}"#), ("broker", #"{"name":"c","filters":["a"]}"#),
            ("broker", #"{"name":"c","broker":"attic","filters":["a"]}"#),
            ("broker", #"{"name":"c","broker":null,"filters":["a"]}"#), ("filters", #"{"name":"c","broker":"house"}"#),
            ("filters", given(#""filters":[]"#)), ("filters", given(#""filters":"a""#)),
            ("filters", given(#""filters":["a",7]"#)), ("filters", given(#""filters":["a","a"]"#)),
            ("filters", given(#""filters":[""]"#)), ("filters", given(#""filters":["$SYS/#"]"#)),
            ("filters", given(#""filters":["a/#/b"]"#)), ("filters", given(#""filters":["a/b#"]"#)),
            ("filters", given(#""filters":["a+/b"]"#)), ("filters", given(#""filters":["a\u0000"]"#)),
            ("filters", given(#""filters":["\#(long)"]"#)), ("filters", given(#""filters":["a\uFFFE"]"#)),
            ("topic", given(#""filters":["a"],"topic":"a\uFDD0""#)),
            ("from", given(#""filters":["a"],"from":"a\uD83F\uDFFF""#)),
            ("filters", given(#""filters":[\#((1...17).map { "\"\($0)\"" }.joined(separator: ","))]"#)),
            ("title", given(#""filters":["a"],"title":"""#)),
            ("title", given(#""filters":["a"],"title":"\#(long.prefix(65))""#)),
            ("title", given(#""filters":["a"],"title":"a\u0007b""#)),
            ("topic", given(#""filters":["a"],"topic":"a/+""#)), ("topic", given(#""filters":["a"],"topic":"$x""#)),
            ("topic", given(#""filters":["a"],"topic":"mesh-gateway/node/restart""#)),
            ("topic", given(#""filters":["a"],"topic":"homeassistant/button/x""#)),
            ("filters", given(#""filters":["homeassistant/talk"]"#)), ("topic", given(#""filters":["a"],"topic":7"#)),
            ("qos", given(#""filters":["a"],"qos":2"#)), ("qos", given(#""filters":["a"],"qos":"1""#)),
            ("qos", given(#""filters":["a"],"qos":0.5"#)), ("json", given(#""filters":["a"],"json":1"#)),
            ("from", given(#""filters":["a"],"from":"""#)), ("filter", given(#""filters":["a"],"filter":"b""#)),
        ]
        #expect(cannotBe.count >= 30)
        for (member, body) in cannotBe {
            let answer = try ask(test, "POST", "", body)
            #expect(answer.status == 400 && answer.message?.contains(member) == true, "\(body): \(answer.text)")
        }
        #expect(
            try ask(test, "POST", "", given(#""filters":["a"],"qos":2"#)).message?.contains("half-finished") == true)
        for body in ["[]", "7", "", #"{"name":"other"}"#, #"{"title":null}"#] {
            #expect(try ask(test, "PATCH", "/known", body).status == (body.isEmpty ? 200 : 400), "\(body)")
        }
        #expect(try ask(test, "GET").rows.count == 1)
        // Its broker goes.
        let away = try TestGateway(conversations: .none)
        try away.make("known")
        #expect(try ask(away, "PATCH", "/known", #"{"title":"Later"}"#).status == 200)
        #expect(try ask(away, "PATCH", "/known", #"{"broker":"house"}"#).status == 400)
    }

    /// Two who change different members at once: none is lost.
    @Test func changesOfTwoAtOnceBothHold() throws {
        let test = try TestGateway()
        try test.make("club")
        let token = try test.token(["mqtt:read", "mqtt:write"])
        for round in 1...100 {
            let bodies = [#"{"title":"t\#(round)"}"#, #"{"from":"f\#(round)"}"#]
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                let answer = try? test.ask("PATCH", Self.path + "/club", as: token, bodies[index])
                #expect(answer?.status == 200)
            }
            let row = try test.ask("GET", Self.path + "/club", as: token).data
            #expect(row["title"] as? String == "t\(round)" && row["from"] as? String == "f\(round)")
        }
    }

    private func given(_ members: String) -> String { "{\"name\":\"c\",\"broker\":\"house\",\(members)}" }

    @Test func byTheirScopes() throws {
        let test = try TestGateway()
        try test.make("club")
        let body = #"{"name":"other","broker":"house","filters":["a"]}"#
        for (scope, method, path, status) in [
            ("read", "GET", "", 200), ("mqtt:read", "GET", "/club", 200), ("messages:read", "GET", "", 403),
            ("mqtt:read", "POST", "", 403), ("mqtt:read", "DELETE", "/club", 403), ("mqtt:write", "POST", "", 201),
            ("mqtt:write", "PATCH", "/nobody", 404),
        ] {
            let answer = try test.ask(method, Self.path + path, as: test.token([scope]), method == "POST" ? body : "{}")
            #expect(answer.status == status, "\(scope) \(method) \(path): \(answer.text)")
        }
    }

    private final class Told: Sendable { let count = Atomic<Int>(0) }
}
