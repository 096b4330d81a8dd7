import Foundation
import Routes
import Testing

@testable import OpenAPI
@testable import RestAPI

/// What a token needs besides the route's scope stands beside it, in `x-further-scopes`; and the words that people use lead to
/// the right route.
@Suite struct TheDocumentSaysWhatABodyDecides {
    private func operation(_ id: String) throws -> OpenAPIOperation {
        try #require(Operations.all.first { $0.id == id })
    }

    /// A request, the operation, and the token that may do all but what its body decides.
    @Test(arguments: [
        ("POST", "/api/v1/messages", "sendMessage", #"{"text":"a","channel":2}"#, ["messages:read"]),
        ("POST", "/api/v1/messages", "sendMessage", #"{"text":"a","toNodeId":"!abcdef12"}"#, ["messages:read"]),
        ("POST", "/api/v1/actions/alert", "sendAlert", #"{"text":"a","channel":0}"#, ["messages:read"]),
        (
            "POST", "/api/v1/waypoints", "createWaypoint",
            #"{"name":"Hut","latitude":1,"longitude":1,"channel":1}"#, ["messages:write"]
        ),
        (
            "POST", "/api/v1/nodes/2882400018/copy-nodeinfo", "copyNodeInfo",
            #"{"fromSourceId":"default","toSourceId":"default"}"#, ["nodes:read", "channels:viewOnMap"]
        ),
    ])
    func whatIsRefusedForIsNamedThere(
        method: String, path: String, id: String, body: String, scopes: [String]
    ) throws {
        let test = try TestGateway()
        let answer = try test.ask(method, path, as: try test.token(scopes), body)
        #expect(answer.status == 403, "\(answer.text)")
        let required = try #require(try answer.json["required"] as? NSDictionary)
        let scope = "\(required["resource"] ?? "?"):\(required["action"] ?? "?")"
        let further = try operation(id).furtherScopes.map(\.scope)
        #expect(further.contains(scope.replacing(/channel_\d/, with: "channel_N")), "\(scope)")
        // In the document as it is served, under each path.
        let document = try SchemaCheck.served().document
        let operations = try #require(document["paths"]).members.flatMap { $0.value.members.map(\.value) }
        let served = operations.filter { $0["operationId"]?.text?.hasPrefix(id) == true }
        #expect(!served.isEmpty && served.allSatisfy { $0["x-further-scopes"] != nil })
    }

    @Test func eachIsAScope() {
        for operation in Operations.all {
            for (scope, when) in operation.furtherScopes {
                #expect(Scopes.known.contains(scope.replacing("_N:", with: "_0:")), "\(operation.id)")
                #expect(!when.isEmpty)
            }
        }
        #expect(Operations.all.count { !$0.furtherScopes.isEmpty } >= 10)
    }

    /// Our own before MeshMonitor's old form: in the summary before in the description, and below `/api/v1` before elsewhere.
    @Test(arguments: [
        ("reply", "sendMessage"), ("reaction", "sendMessage"), ("tapback", "sendMessage"), ("DM", "sendMessage"),
        ("unread", "conversations"), ("bearer", "me"), ("token", "me"),
    ])
    func aWordLeadsToItsRoute(word: String, id: String) throws {
        let pattern = try Regex("\\b\(word)\\b").ignoresCase()
        func place(_ operation: OpenAPIOperation) -> Int? {
            let words = operation.summary.firstMatch(of: pattern).map {
                operation.summary.distance(from: operation.summary.startIndex, to: $0.range.lowerBound)
            }
            guard let place = words ?? (operation.details.contains(pattern) ? 1_000 : nil) else { return nil }
            return place + (operation.key.contains("/api/v1/") ? 0 : 10_000)
        }
        let found = Operations.all.compactMap { one in place(one).map { (one.id, $0) } }
        #expect(found.min { $0.1 < $1.1 }?.0 == id, "\(found)")
    }
}
