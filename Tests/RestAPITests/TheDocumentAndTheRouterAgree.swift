import Routes
import Testing

@testable import OpenAPI
@testable import RestAPI

/// The OpenAPI document as it is served, held against the table of endpoints and the router.
@Suite struct TheDocumentAndTheRouterAgree {
    private static let methods = ["get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE"]

    /// `GET /api/v1/nodes` and the operation.
    private struct Described {
        let method: String
        let path: String
        let operation: JSONTree
    }

    private func document() throws -> JSONTree { try SchemaCheck.served().document }

    private func operations(of document: JSONTree) throws -> [Described] {
        try #require(document["paths"]).members.flatMap { path, operations in
            try operations.members.map { name, operation in
                Described(method: try #require(Self.methods[name], "\(path) \(name)"), path: path, operation: operation)
            }
        }
    }

    /// Where an endpoint answers: the local socket's are nobody's business.
    private func paths(of endpoint: Endpoint) -> [String] {
        if case .local = endpoint.access { return [] }
        guard endpoint.isPerSource else { return [endpoint.path] }
        let rest = endpoint.path.dropFirst(Endpoint.sourcePrefix.count)
        return [endpoint.path, "/api/v1/sources/default\(rest)", "/api/v1\(rest)"]
    }

    @Test func everyEndpointIsDescribedUnderEachOfItsPaths() throws {
        let described = Set(try operations(of: document()).map { "\($0.method) \($0.path)" })
        for endpoint in Endpoints.all {
            for path in paths(of: endpoint) {
                let line = "\(endpoint.method.rawValue) \(path)"
                #expect(described.contains(line), "\(line) has no description: see Sources/OpenAPI/")
            }
        }
    }

    @Test func everyDescriptionIsOfAnEndpoint() throws {
        for described in try operations(of: document()) {
            let segments = described.path.split(separator: "/").map { $0.hasPrefix("{") ? "1" : String($0) }
            let match = try #require(Endpoints.router.match(segments), "\(described.path) leads nowhere")
            let method = try #require(Endpoint.Method(rawValue: described.method))
            let endpoint = try #require(match.target[method], "\(described.method) \(described.path)")
            #expect(paths(of: endpoint).contains(described.path))
        }
        let keys = Set(Endpoints.all.map(\.key))
        for operation in Operations.all { #expect(keys.contains(operation.key), "no endpoint is \(operation.key)") }
    }

    @Test func securityIsWhatTheEndpointAsksFor() throws {
        for described in try operations(of: document()) {
            let segments = described.path.split(separator: "/").map { $0.hasPrefix("{") ? "1" : String($0) }
            let method = try #require(Endpoint.Method(rawValue: described.method))
            let endpoint = try #require(Endpoints.router.match(segments)?.target[method])
            let security = try #require(described.operation["security"]).elements
            if case .open = endpoint.access {
                #expect(security.isEmpty)
            } else {
                let scopes = try #require(security.first?["bearer"]).elements.compactMap(\.text)
                #expect(scopes == (endpoint.scope.map { [$0] } ?? []), "\(described.path)")
                #expect(described.operation["responses"]?["401"] != nil)
                #expect((described.operation["responses"]?["403"] != nil) || endpoint.scope == nil)
            }
        }
    }

    @Test func everyParameterOfAPathIsExplained() throws {
        for described in try operations(of: document()) {
            let named = described.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                $0.dropFirst().dropLast()
            }
            let parameters = (described.operation["parameters"]?.elements ?? []).filter { $0["in"] == .text("path") }
            #expect(parameters.compactMap { $0["name"]?.text } == named.map(String.init), "\(described.path)")
            #expect(parameters.allSatisfy { !($0["description"]?.text ?? "").isEmpty }, "\(described.path)")
        }
    }

    @Test func everyReferenceResolvesAndEverySchemaIsUsed() throws {
        let check = try SchemaCheck.served()
        let document = check.document
        let references = document.all("$ref").compactMap(\.text)
        for reference in Set(references) { #expect(check.resolve(reference) != nil, "\(reference)") }
        for (name, _) in try #require(document["components"]?["schemas"]).members {
            #expect(references.contains("#/components/schemas/\(name)"), "nothing uses the schema \(name)")
        }
    }

    @Test func operationsHaveIDsOfTheirOwn() throws {
        let ids = try operations(of: document()).compactMap { $0.operation["operationId"]?.text }
        #expect(Set(ids).count == ids.count)
        #expect(ids.count == (try operations(of: document()).count))
    }
}
