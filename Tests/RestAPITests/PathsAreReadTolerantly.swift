import HTTPServer
import Testing

@testable import RestAPI

@Suite struct PathsAreReadTolerantly {
    private func route(_ path: String) throws -> Route {
        Route(segments: try #require(Request(target: path).pathSegments))
    }

    @Test(
        arguments: [
            ("/api/health", .health), ("/API/Status/", .serverStatus), ("/api/v1", .v1(.index)),
            ("/api/v1/", .v1(.index)),
            ("/api/v1/sources", .v1(.sources)), ("/api/v1/Sources/", .v1(.sources)),
            ("/api/v1/NODES/", .v1(.of(.preferred, .nodes))),
            ("/api/v1/sources/DEFAULT/nodes", .v1(.of(.preferred, .nodes))),
            ("/api/v1/sources/ab-c/nodes/%21ABcdef12", .v1(.of(.id("ab-c"), .node("!ABcdef12")))),
            ("/api/v1/sources/ab%2Dc/nodes/!x", .v1(.of(.id("ab-c"), .node("!x")))),
            ("/api/v1/messages/Search", .v1(.of(.preferred, .messageSearch))),
            ("/api/v1/messages/a%2Fb", .v1(.of(.preferred, .message("a/b")))),
            ("/api/v1/channels/0", .v1(.of(.preferred, .channel("0")))),
            ("/local/tokens/phone%201", .local(.token(name: "phone 1"))),
            ("/", .unknown), ("//", .unknown), ("/api", .unknown), ("/api/v2", .unknown), ("/api/health/x", .unknown),
            ("//api/health", .unknown), ("/api/v1/sources/x", .v1(.unknown)), ("/api/v1//nodes", .v1(.unknown)),
            ("/api/v1/sources//nodes", .v1(.of(.id(""), .nodes))), ("/api/v1/nodes/a/b", .v1(.unknown)),
            ("/api/v1/messages/search/x", .v1(.unknown)), ("/api/v1/status/x", .v1(.unknown)),
            ("/api/v1/sources/default", .v1(.unknown)), ("/local", .local(.unknown)),
        ] as [(String, Route)])
    func routes(_ path: String, _ expected: Route) throws {
        #expect(try route(path) == expected)
    }
}
