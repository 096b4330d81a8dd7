import Foundation
import HTTPServer
import MeshModel
import Testing

@testable import RestAPI

/// Each operation is asked for what it documents, of a gateway with a radio and some rows, and the answers are held
/// against their schemas.
@Suite struct EveryAnswerFitsTheDocument {
    /// A request for each success that an operation documents. `{…}` in it stands for something of this gateway.
    private struct Sample {
        let target: String
        let body: String
        let status: Int

        init(_ target: String, _ body: String = "", _ status: Int = 200) {
            self.target = target
            self.body = body
            self.status = status
        }
    }

    private static let samples: [String: [Sample]] = [
        "GET /api/health": [Sample("/api/health")],
        "GET /api/status": [Sample("/api/status")],
        "GET /api/v1": [Sample("/api/v1"), Sample("/api/v1/")],
        "GET /api/v1/docs": [Sample("/api/v1/docs")],
        "GET /api/v1/docs/openapi.json": [Sample("/api/v1/docs/openapi.json")],
        "GET /api/v1/docs/openapi.yaml": [Sample("/api/v1/docs/openapi.yaml")],
        "GET /api/v1/sources": [Sample("/api/v1/sources")],
        "GET P/status": [Sample("P/status")],
        "GET P/channels": [Sample("P/channels")],
        "GET P/channels/{channelId}": [Sample("P/channels/0")],
        "GET P/nodes": [Sample("P/nodes"), Sample("P/nodes?active=true")],
        "GET P/nodes/{nodeId}": [Sample("P/nodes/!abcdef12"), Sample("P/nodes/{own}")],
        "GET P/messages": [Sample("P/messages"), Sample("P/messages?channel=-1"), Sample("P/messages?limit=1")],
        "POST P/messages": [
            Sample("P/messages", #"{"text":"to all","channel":0}"#, 201),
            Sample("P/messages", #"{"text":"to one","toNodeId":"!abcdef12"}"#, 201),
            Sample("P/messages", #"{"text":"\#(String(repeating: "long ", count: 60))","channel":1}"#, 202),
        ],
        "GET P/messages/search": [Sample("P/messages/search?q=hello")],
        "GET P/messages/{messageId}": [Sample("P/messages/7"), Sample("P/messages/{sent}")],
    ]

    /// A gateway with a live radio, and in its database what a mesh leaves there.
    private static func filled() throws -> SentTextsAreRowsAtOnce.Live {
        let live = try SentTextsAreRowsAtOnce.Live()
        let test = live.test
        try test.update(TestGateway.peer) { node in
            node.longName = "Ridge"
            node.channel = 0
            node.latitude = 46.2
            node.longitude = 6.1
            node.publicKey = PublicKey([UInt8](repeating: 7, count: 32))
        }
        try test.insert("hello", packetID: 7, at: TestGateway.now)
        return live
    }

    @Test func eachOfThem() throws {
        let live = try Self.filled()
        let test = live.test
        let check = try SchemaCheck.served()
        var sent = ""
        // What makes rows comes first.
        let operations = Operations.all.sorted { !$0.key.hasPrefix("GET") && $1.key.hasPrefix("GET") }
        for operation in operations {
            let key = operation.key.replacing(Endpoint.sourcePrefix + "/", with: "P/")
            var statuses: Set<Int> = []
            var hasTag = false
            for sample in Self.samples[key] ?? [] {
                let target = sample.target.replacing("P/", with: "/api/v1/sources/\(test.uuid)/")
                    .replacing("{own}", with: live.radio.number.id).replacing("{sent}", with: sent)
                let method = String(operation.key.prefix { $0 != " " })
                let answer = try test.ask(method, target, as: try test.token(["admin"]), sample.body)
                #expect(answer.status == sample.status, "\(method) \(target): \(answer.text)")
                statuses.insert(answer.status)
                hasTag = hasTag || answer.header("ETag") != nil
                sent = (try? JSONTree(answer.body))?["data"]?["messageId"]?.text ?? sent
                Self.compare(answer, to: operation, check)
            }
            #expect(hasTag == operation.answers.contains(where: \.isTagged), "\(key): an ETag")
            let documented = Set(operation.answers.map(\.status))
            #expect(statuses == documented, "\(key): the samples show \(statuses) of \(documented)")
        }
    }

    private static func compare(_ answer: Answer, to operation: OpenAPIOperation, _ check: SchemaCheck) {
        let parts = operation.key.split(separator: " ")
        let described = check.document["paths"]?[String(parts[1])]?[parts[0].lowercased()]?["responses"]
        guard let response = described?[String(answer.status)] else {
            Issue.record("\(operation.key) does not document \(answer.status)")
            return
        }
        #expect(answer.header("ETag") == nil || response["headers"]?["ETag"] != nil, "\(operation.key)")
        for (type, content) in response["content"]?.members ?? [:] {
            #expect(answer.header("Content-Type")?.hasPrefix(type) == true, "\(operation.key)")
            guard type == "application/json", let schema = content["schema"] else { continue }
            guard let tree = try? JSONTree(answer.body) else {
                Issue.record("\(operation.key): no JSON: \(answer.text.prefix(200))")
                continue
            }
            let mistakes = check.mistakes(tree, schema, at: operation.key)
            #expect(mistakes.isEmpty, "\(mistakes.prefix(5).joined(separator: "\n"))")
        }
    }

    @Test(arguments: [
        ("GET", "P/nodes/!00000001", "", 404), ("GET", "P/channels/9", "", 400), ("GET", "P/messages/search", "", 400),
        ("POST", "P/messages", "{", 400), ("POST", "P/messages", "{}", 400), ("GET", "P/messages/none", "", 404),
    ])
    func refusalsToo(_ method: String, _ path: String, _ body: String, _ status: Int) throws {
        let test = try TestGateway()
        let check = try SchemaCheck.served()
        let target = path.replacing("P/", with: "/api/v1/")
        for token in [nil, test.token] {
            let headers =
                (token.map { [(name: "Authorization", value: "Bearer " + $0.text)] } ?? [])
                + [(name: "Content-Type", value: "application/json")]
            let answer = try test.ask(method, target, headers: headers, body: Array(body.utf8))
            let expected = token == nil && body != "{" ? 401 : status
            #expect(answer.status == expected)
            let segments = target.split(separator: "?")[0].split(separator: "/").map(String.init)
            let method = try #require(Endpoint.Method(rawValue: method))
            let endpoint = try #require(Endpoints.router.match(segments)?.target.endpoints[method])
            let described = check.document["paths"]?[endpoint.path]?[method.rawValue.lowercased()]?["responses"]
            let response = try #require(described?[String(answer.status)])
            let named = try #require(response["$ref"]?.text.flatMap { check.resolve($0) })
            let schema = try #require(named["content"]?["application/json"]?["schema"])
            #expect(check.mistakes(try JSONTree(answer.body), schema) == [])
        }
    }
}
