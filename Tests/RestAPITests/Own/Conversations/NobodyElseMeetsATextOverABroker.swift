import Foundation
import HTTPServer
import MeshModel
import Platform
import Routes
import Testing

@testable import RestAPI
@testable import Store

/// With a conversation of a hundred texts in the database, everything that does not ask for it is answered as without.
@Suite struct NobodyElseMeetsATextOverABroker {
    /// What it may differ in: the time of the answer, and how large and how new the database is.
    private func compared(_ answer: Answer, at target: String) -> String {
        answer.text.replacing(#/"lastUpdated":\d+/#, with: "").replacing(#/"data_version":\d+/#, with: "")
            .replacing(#/mesh_gateway_(database|disk|process|memory|uptime)\S* \S+/#, with: "")
    }

    @Test func byNoGETOfASource() throws {
        let mesh = try MarkedMesh()
        for channel in MarkedMesh.channels { try mesh.talk(on: channel) }
        let token = try mesh.test.token(["admin"])
        // Who asks for them is shown them.
        let targets = (mesh.targets + ["/api/v1/messages", "/api/v1/messages/search?q=M"])
            .filter { $0 != "/api/v1/conversations" && !$0.contains("mqtt") }
        func answers() throws -> [Answer] { try targets.map { try mesh.test.ask("GET", $0, as: token) } }
        let before = try answers()
        let source = try mesh.test.make("club", title: "Mclub")
        for number in 1...100 as ClosedRange<Int64> {
            try mesh.test.hear("Mtext of the club \(number)", at: WallClock.milliseconds() + number, in: source)
        }
        for (target, (old, new)) in zip(targets, zip(before, try answers())) {
            #expect(old.status == new.status && compared(old, at: target) == compared(new, at: target), "\(target)")
        }
    }

    /// Neither its own source nor a radio's shows it, and no id leads there where a source is named.
    @Test func belowNoSourcesID() throws {
        let test = try TestGateway()
        let source = try test.make("club", filters: ["club/talk"])
        try test.hear("secret", in: source)
        let uuid = try #require(try test.store.read { try $0.source(source)?.uuid })
        let id = try #require(try test.get("/api/v1/messages?conversation=mqtt:club").rows[0]["id"] as? String)
        let token = try test.token(["admin"])
        for base in ["/api/v1/sources/\(uuid)", "/api/v1/sources/\(test.uuid)"] {
            for path in [
                "/messages", "/messages?conversation=mqtt:club", "/messages/\(id)", "/messages/\(id)/details",
                "/messages/search?q=secret", "/messages/search?q=secret&conversation=mqtt:club", "/conversations",
                "/conversations/mqtt:club", "/status", "/channels", "/nodes",
            ] {
                let answer = try test.ask("GET", base + path, as: token)
                #expect(!answer.text.contains("secret") && !answer.text.contains("club/talk"), "\(base)\(path)")
                if base.hasSuffix(uuid) { #expect(answer.status == 404, "\(path)") }
            }
            for action in ["read", "unread", "mute"] {
                let answer = try test.ask(
                    "POST", "\(base)/conversations/mqtt:club/\(action)", as: token, #"{"muted":true}"#)
                #expect([400, 404].contains(answer.status), "\(action)")
            }
        }
        for path in [
            "/api/v1/messages?sourceId=\(test.uuid)&conversation=mqtt:club", "/api/v1/messages?sourceId=\(uuid)",
            "/api/v1/messages/\(id)?sourceId=\(test.uuid)", "/api/v1/messages/\(id)/rules", "/api/sources/\(uuid)",
            "/api/unified/messages", "/api/sources/\(uuid)/messages", "/api/v1/sources", "/api/sources",
        ] {
            let answer = try test.ask("GET", path, as: token)
            #expect(!answer.text.contains("secret") && !answer.text.contains(uuid) || answer.status == 404, "\(path)")
        }
        // Its number alone is that of no message.
        let packet = try #require(id.split(separator: "_").last)
        #expect(try test.ask("GET", "/api/v1/messages/\(packet)", as: token).status == 404)
        #expect(try test.ask("GET", "/api/v1/messages/0_\(packet)", as: token).status == 404)
        let marked = try test.ask("POST", "/api/messages/mark-read", as: token, "{\"messageIds\":[\"\(id)\"]}")
        #expect(try marked.json["marked"] as? Int == 0)
        #expect(try test.ask("GET", "/api/messages/unread-counts", as: token).text.contains(#""channels":{}"#))
    }
}
