import Foundation
import HTTPServer
import MeshModel
import Testing

@testable import Gateway
@testable import RestAPI

@Suite struct KeysAreDecidedOverTheLocalSocket {
    private static let me = Peer.local(user: geteuid(), group: getegid(), process: 1)
    private static let known = PublicKey((1...32).map { UInt8($0) })!
    private static let other = PublicKey((2...33).map { UInt8($0) })!
    private static let anna = NodeNumber(0xA1)
    private static let bert = NodeNumber(0xB2)
    private static let bertoo = NodeNumber(0xB3)

    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(Self.bert) { node in
            (node.longName, node.shortName, node.lastHeard) = ("Bert", "B", 3)
            node.pin(Self.other)
        }
        try test.update(Self.bertoo) { node in (node.longName, node.shortName, node.lastHeard) = ("Bert", "12", 2) }
        try test.update(Self.anna) { node in
            (node.longName, node.shortName, node.lastHeard) = ("Anna am Berg", "AN", 1)
            node.pin(Self.known)
            node.saw(Self.other, .announced, at: 4711)
        }
        return test
    }

    private func ask(_ test: TestGateway, _ method: String, _ path: String) throws -> Answer {
        try test.ask(method, path, peer: Self.me)
    }

    private func keys(_ test: TestGateway, _ method: String, _ path: String) throws -> [NSDictionary] {
        let page = try ask(test, method, path).json
        #expect(page["schema"] as? String == "keys/1" && page["via"] as? String == "daemon")
        return try #require(page["keys"] as? [NSDictionary])
    }

    @Test func whatNeedsAPersonComesFirst() throws {
        let list = try keys(gateway(), "GET", "/local/keys")
        #expect(list.map { $0["nodeId"] as? String } == ["!000000a1", "!000000b2", "!000000b3"])
        #expect(list.map { $0["state"] as? String } == ["changed", "known", "none"])
        #expect(list[0]["key"] as? String == "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=")
        #expect(list[0]["announcedKey"] as? String == "AgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICE=")
        #expect(list[0]["since"] as? String == "1970-01-01T00:00:04.711Z")
        #expect(list[0]["longName"] as? String == "Anna am Berg" && list[0]["verified"] as? Bool == false)
    }

    @Test(arguments: ["!a1", "!000000A1", "161", "AN", "an", "Anna%20am%20Berg", "anna%20AM%20berg"])
    func aNodeIsNamedAsPeopleNameIt(_ name: String) throws {
        let test = try gateway()
        let found = try keys(test, "GET", "/local/keys/\(name)")
        #expect(found.map { $0["nodeId"] as? String } == ["!000000a1"])
        let accepted = try keys(test, "POST", "/local/keys/\(name)/accept")
        #expect(accepted.first?["key"] as? String == found.first?["announcedKey"] as? String)
        let id = test.id
        #expect(try test.store.read { try $0.node(Self.anna, in: id) }?.publicKey == Self.other)
    }

    @Test func aNameOfSeveralIsRefused() throws {
        let test = try gateway()
        for (method, path) in [("GET", ""), ("POST", "/accept"), ("POST", "/verify")] {
            let answer = try ask(test, method, "/local/keys/bert\(path)")
            #expect(answer.status == 409)
            let candidates = "!000000b2 (Bert), !000000b3 (Bert)"
            #expect(answer.message == "Several nodes are called \"bert\", name one by its id: \(candidates)")
            #expect(try ask(test, method, "/local/keys/carl\(path)").status == 404)
        }
        // A number before a name that looks like one.
        #expect(try ask(test, "GET", "/local/keys/12").status == 200)
        try test.update(NodeNumber(12)) { _ in }
        #expect(try keys(test, "GET", "/local/keys/12").first?["nodeId"] as? String == "!0000000c")
    }

    @Test func theKnownOneIsVerified() throws {
        let test = try gateway()
        let row = try #require(try keys(test, "POST", "/local/keys/AN/verify").first)
        #expect(row["state"] as? String == "verified" && row["verified"] as? Bool == true)
        #expect(row["announcedKey"] is NSNull)
    }

    @Test func whereThereIsNothingToDecide() throws {
        let test = try gateway()
        #expect(try ask(test, "POST", "/local/keys/!b2/accept").status == 409)
        #expect(try ask(test, "POST", "/local/keys/!b3/verify").status == 409)
    }

    @Test func whoPostsIsToldWhatToDo() throws {
        let live = try SentTextsAreRowsAtOnce.Live()
        let hiker = live.radio.nodes[0].number
        try #require(
            try eventually { try live.test.get("/api/v1/nodes/\(hiker.id)").data["hasPKC"] as? Bool == true })
        live.radio.changeKey(of: hiker)
        try #require(
            try eventually {
                try live.test.get("/api/v1/nodes/\(hiker.id)").data["keyMismatchDetected"] as? Bool == true
            })
        for path in ["/api/v1/messages", "/api/messages/send"] {
            let body =
                path.hasPrefix("/api/v1")
                ? #"{"text":"hello","toNodeId":"\#(hiker.id)"}"#
                : #"{"text":"hello","destination":"\#(hiker.id)"}"#
            let answer = try live.test.post(path, body)
            #expect(answer.status == 409)
            #expect(JSONText(answer.body).keys == ["success", "error", "code", "message"])
            #expect(JSONText(answer.body).raw("code") == "\"KEY_MISMATCH\"")
            for word in ["verify", "accept"] {
                #expect(answer.message?.contains("mesh-gateway keys \(word) '\(hiker.id)'") == true)
            }
        }
    }
}
