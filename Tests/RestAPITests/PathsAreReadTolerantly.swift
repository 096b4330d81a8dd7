import HTTPServer
import Routes
import Testing

@testable import RestAPI

@Suite struct PathsAreReadTolerantly {
    private func match(_ path: String) throws -> Router.Match? {
        Endpoints.router.match(try #require(Request(target: path).pathSegments))
    }

    /// - Parameter arguments: what is asked for, the endpoint's own path, the source that is named, the parameters.
    @Test(
        arguments: [
            ("/api/health", "/api/health", nil, []), ("/API/Status/", "/api/status", nil, []),
            ("/api/v1", "/api/v1", nil, []), ("/api/v1/", "/api/v1", nil, []),
            ("/api/v1/Sources/", "/api/v1/sources", nil, []), ("/api/v1/sources//", "/api/v1/sources", nil, []),
            ("/api/v1/sources#x/y?z", "/api/v1/sources", nil, []),
            ("http://host/api/v1/sources///#", "/api/v1/sources", nil, []),
            ("/api/v1/NODES/", "/api/v1/sources/{sourceId}/nodes", nil, []),
            ("/api/v1/sources/DEFAULT/nodes", "/api/v1/sources/{sourceId}/nodes", "DEFAULT", []),
            (
                "/api/v1/sources/ab%2Dc/nodes/%21ABcdef12", "/api/v1/sources/{sourceId}/nodes/{nodeId}", "ab-c",
                ["!ABcdef12"]
            ),
            ("/api/v1/messages/Search", "/api/v1/sources/{sourceId}/messages/search", nil, []),
            ("/api/v1/messages/a%2Fb", "/api/v1/sources/{sourceId}/messages/{messageId}", nil, ["a/b"]),
            ("/api/v1/channels/0", "/api/v1/sources/{sourceId}/channels/{channelId}", nil, ["0"]),
            ("/api/v1/sources//nodes", "/api/v1/sources/{sourceId}/nodes", "", []),
            ("/local/tokens/phone%201", "/local/tokens/{name}", nil, ["phone 1"]),
        ] as [(String, String, String?, [String])])
    func found(_ asked: String, _ path: String, _ source: String?, _ parameters: [String]) throws {
        let match = try #require(try match(asked))
        #expect(Set(match.target.endpoints.map(\.path)) == [path])
        #expect(match.source == source)
        #expect(match.parameters == parameters)
    }

    @Test(arguments: [
        "/", "//", "/api", "/api/v2", "/api/health/x", "//api/health", "/api/v1/sources/x", "/api/v1//nodes",
        "/api/v1/messages/search/x", "/api/v1/status/x", "/api/v1/sources/default", "/local",
    ])
    func notFound(_ asked: String) throws {
        #expect(try match(asked) == nil)
    }
}
