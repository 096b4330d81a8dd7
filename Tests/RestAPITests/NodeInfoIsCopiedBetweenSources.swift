import Foundation
import MeshModel
import Routes
import Store
import Testing

@testable import RestAPI

@Suite struct NodeInfoIsCopiedBetweenSources {
    static let second = "11111111-2222-4333-8444-555555555555"
    static let key = PublicKey((0..<32).map { UInt8($0) })
    static let node = TestGateway.peer
    static let path = "/api/v1/nodes/2882400018/"

    /// The default source has the node's short name only; the other one knows six fields and the key.
    private func gateway() throws -> TestGateway {
        let test = try TestGateway()
        try test.update(Self.node) { $0.shortName = "MINE" }
        try test.store.commit { writer in
            let other = try writer.insert(
                Source(uuid: Self.second, name: "Hill", isEnabled: true, createdAt: .max))
            try writer.updateNode(Self.node, in: other, at: TestGateway.now) { node in
                (node.longName, node.shortName, node.hardwareModel, node.role) = ("Ridge", "RDG", 43, 2)
                node.publicKey = Self.key
            }
            try writer.updateNode(NodeNumber(0x100), in: other, at: TestGateway.now) { $0.longName = "Hill only" }
        }
        return test
    }

    private func known(_ test: TestGateway) throws -> Node {
        let id = test.id
        return try #require(try test.store.read { try $0.node(Self.node, in: id) })
    }

    private func ids(_ test: TestGateway) -> String {
        #""fromSourceId":"\#(Self.second)","toSourceId":"\#(test.uuid)""#
    }

    @Test func candidatesAreTheOthersThatKnowTheNode() throws {
        let test = try gateway()
        let rows = try test.get(Self.path + "copy-candidates").rows
        #expect(rows.count == 1)
        let row = try #require(rows.first)
        #expect(row["sourceId"] as? String == Self.second)
        #expect(row["sourceName"] as? String == "Hill")
        #expect(row["sourceType"] as? String == "meshtastic_tcp")
        #expect(row["fieldsFilled"] as? Int == 6, "four, the key, and that there is one")
        #expect(row["totalFields"] as? Int == 8)
        #expect((row["node"] as? NSDictionary)?["longName"] as? String == "Ridge")
        #expect(try test.get("/api/v1/nodes/256/copy-candidates").rows.count == 1)
        #expect(try test.get("/api/v1/sources/\(Self.second)/nodes/256/copy-candidates").rows.isEmpty)
        #expect(try test.get("/api/v1/nodes/x/copy-candidates").message == "nodeNum must be a number")
        #expect(try test.get("/api/v1/nodes/x/copy-candidates").status == 400)
    }

    @Test func whatIsAskedForIsCopied() throws {
        let test = try gateway()
        let token = try test.token(["read", "nodes:write"])
        func copy(_ body: String) throws -> Answer {
            try test.ask("POST", Self.path + "copy-nodeinfo", as: token, body)
        }
        let some = try copy(#"{\#(ids(test)),"fields":["longName","firmwareVersion"],"pushToNodeDb":true}"#)
        #expect(some.text == #"{"success":true,"data":{"copiedFields":["longName"],"pushedToDevice":false}}"#)
        #expect(try known(test).longName == "Ridge")
        #expect(try known(test).shortName == "MINE")
        #expect(try known(test).publicKey == nil)
        let all = try copy("{\(ids(test))}")
        #expect(
            try all.data["copiedFields"] as? [String] == [
                "longName", "shortName", "hwModel", "role", "publicKey", "hasPKC",
            ])
        #expect(try known(test).shortName == "RDG")
        #expect(try known(test).publicKey == Self.key)
        let answer = try test.get("/api/v1/nodes/!abcdef12")
        #expect(try answer.data["hasPKC"] as? Bool == true)
    }

    @Test func badRequestsCopyNothing() throws {
        let test = try gateway()
        let writer = try test.token(["read", "nodes:write"])
        let reader = try test.token(["read"])
        let fields =
            "fields must be an array of: longName, shortName, hwModel, role, macaddr, publicKey, hasPKC, firmwareVersion"
        let cases: [(String, APIToken, Int, String)] = [
            ("{}", writer, 400, "fromSourceId and toSourceId are required"),
            (#"{"fromSourceId":"x"}"#, writer, 400, "fromSourceId and toSourceId are required"),
            (#"{\#(ids(test)),"fields":"longName"}"#, writer, 400, fields),
            (#"{\#(ids(test)),"fields":["longName","position"]}"#, writer, 400, fields),
            (#"{\#(ids(test)),"fields":[7]}"#, reader, 400, fields),
            ("{\(ids(test))}", reader, 403, "Insufficient write permission on target source"),
            (#"{"fromSourceId":"x","toSourceId":"\#(test.uuid)"}"#, writer, 404, "Source x not found"),
        ]
        for (body, token, status, message) in cases {
            let answer = try test.ask("POST", Self.path + "copy-nodeinfo", as: token, body)
            #expect(answer.status == status, "\(body)")
            #expect(answer.message == message)
        }
        let unknown = try test.ask("POST", "/api/v1/nodes/512/copy-nodeinfo", as: writer, "{\(ids(test))}")
        #expect(unknown.message == "Node 512 not found in source \(Self.second)")
        // What a token may not see it may not copy to where it can.
        let blind = try test.token(["nodes:read", "nodes:write", "channel_1:viewOnMap"])
        #expect(try test.ask("POST", Self.path + "copy-nodeinfo", as: blind, "{\(ids(test))}").status == 404)
        #expect(try known(test).longName == nil)
    }

    @Test func gapsAreFoundAndFilled() throws {
        let test = try gateway()
        let data = try test.get("/api/v1/nodes/enrichment/analysis").data
        #expect(data["summary"] as? [String: Int] == ["nodeCount": 1, "targetCount": 1, "fieldCount": 5])
        let node = try #require((data["nodes"] as? [NSDictionary])?.first)
        #expect(node["displayName"] as? String == "Ridge")
        #expect(node["nodeNum"] as? Int == 2_882_400_018)
        let target = try #require((node["targets"] as? [NSDictionary])?.first)
        #expect(target["targetSourceId"] as? String == test.uuid)
        #expect(target["donorSourceName"] as? String == "Hill")
        #expect(target["fillableFields"] as? [String] == ["longName", "hwModel", "role", "publicKey", "hasPKC"])

        let path = "/api/v1/nodes/enrichment/apply"
        let item =
            #"{"nodeNum":2882400018,"targetSourceId":"\#(test.uuid)","donorSourceId":"\#(Self.second)"}"#
        let reader = try test.token(["read"])
        let refused = try test.ask("POST", path, as: reader, #"{"items":[\#(item)]}"#)
        #expect(refused.status == 403)
        #expect(try refused.json["code"] as? String == "FORBIDDEN")
        #expect((try refused.json["missing"] as? [NSDictionary])?.first?["sourceId"] as? String == test.uuid)
        let writer = try test.token(["read", "nodes:write"])
        for (body, code) in [
            ("{}", "INVALID_REQUEST"), (#"{"items":[]}"#, "INVALID_REQUEST"), (#"{"items":[{}]}"#, "INVALID_ITEM"),
            (#"{"items":[\#(item),{"nodeNum":-1}]}"#, "INVALID_ITEM"),
        ] {
            let answer = try test.ask("POST", path, as: writer, body)
            #expect(answer.status == 400)
            #expect(try answer.json["code"] as? String == code)
        }
        #expect(try known(test).longName == nil)
        let applied = try test.ask("POST", path, as: writer, #"{"items":[\#(item)]}"#)
        #expect(try applied.data["totalFieldsCopied"] as? Int == 5)
        #expect(try known(test).shortName == "MINE", "no gap")
        #expect(try known(test).longName == "Ridge")
        let after = try test.get("/api/v1/nodes/enrichment/analysis")
        #expect(
            after.text == #"{"success":true,"data":{"nodes":[],"#
                + #""summary":{"nodeCount":0,"targetCount":0,"fieldCount":0}}}"#)
    }
}
