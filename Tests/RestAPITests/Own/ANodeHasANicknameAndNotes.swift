import Foundation
import MeshModel
import Testing

@testable import RestAPI

@Suite struct ANodeHasANicknameAndNotes {
    private static let path = "/api/v1/nodes/!abcdef12"

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(TestGateway.peer) { ($0.longName, $0.channel) = ("Ridge", 0) }
        return test
    }

    private func patch(_ test: TestGateway, _ body: String, _ scopes: [String] = ["admin"]) throws -> Answer {
        try test.ask("PATCH", Self.path, as: try test.token(scopes), body)
    }

    @Test func keptAndTakenAway() throws {
        let test = try gateway()
        let before = try test.get(Self.path)
        let answer = try patch(test, #"{"nickname":" Grüezi 🏔 ","notes":"Line 1\r\nLine 2\u0007"}"#)
        #expect(
            answer.text == #"{"success":true,"data":{"nodeId":"!abcdef12","nodeNum":2882400018,"#
                + #""nickname":"Grüezi 🏔","notes":"Line 1\nLine 2"}}"#)
        let row = try test.get(Self.path).data
        #expect(row["nickname"] as? String == "Grüezi 🏔")
        #expect(row["notes"] as? String == "Line 1\nLine 2")
        #expect(row["longName"] as? String == "Ridge")
        // What is not named stays.
        #expect(try patch(test, #"{"nickname":null}"#).data["notes"] as? String == "Line 1\nLine 2")
        #expect(try test.get(Self.path).data["nickname"] == nil)
        _ = try patch(test, #"{"notes":"  "}"#)
        let after = try test.get(Self.path)
        #expect(JSONText(after.body).keys == JSONText(before.body).keys)
        #expect(try after.data["notes"] is NSNull)
    }

    /// What the mesh says later does not touch it, and it is no word of the mesh.
    @Test func whatTheMeshSaysLeavesIt() throws {
        let test = try gateway()
        _ = try patch(test, #"{"nickname":"Bob","notes":"lent him the tent"}"#)
        try test.update(TestGateway.peer, at: TestGateway.now + 1) { $0.longName = "Ridge 2" }
        let row = try test.get(Self.path).data
        #expect(row["nickname"] as? String == "Bob")
        #expect(row["longName"] as? String == "Ridge 2")
    }

    @Test(arguments: [
        "", "[]", "{}", "7", #"{"nickname":7}"#, #"{"notes":["x"]}"#, #"{"nickname":"a\nb"}"#, #"{"nickname":"a\tb"}"#,
        #"{"nickname":"\#(String(repeating: "a", count: 61))"}"#,
        #"{"nickname":"\#(String(repeating: "🏔", count: 16))"}"#,
        #"{"notes":"\#(String(repeating: "n", count: 4096))"}"#, #"{"other":"x"}"#,
    ])
    func refused(_ body: String) throws {
        let test = try gateway()
        #expect(try patch(test, body).status == 400, "\(body.prefix(60))")
        #expect(try test.get(Self.path).data["notes"] is NSNull)
    }

    @Test func forWhoMayWriteNodesAndSeeThisOne() throws {
        let test = try gateway()
        let body = #"{"nickname":"Bob"}"#
        for (scopes, status) in [
            (["nodes:write", "channel_0:viewOnMap"], 200), (["nodes:write"], 403), (["read", "send"], 403),
            (["nodes:write", "channel_1:viewOnMap"], 403),
        ] {
            #expect(try patch(test, body, scopes).status == status, "\(scopes)")
        }
        for id in ["!00000001", "!ABCDEF12", "abcdef12", "!ffffffff", "1"] {
            let answer = try test.ask("PATCH", "/api/v1/nodes/\(id)", as: try test.token(["admin"]), body)
            #expect(answer.status == 404, "\(id)")
        }
    }
}
