import Routes
import Testing

@testable import RestAPI

/// Whoever writes a client for MeshMonitor too sees in the document what he will not find there.
@Test func whatIsOursIsMarked() throws {
    let document = try SchemaCheck.served().document
    for (path, method, isOurs) in [
        ("/api/v1/sources/{sourceId}/waypoints", "get", true), ("/api/v1/waypoints/{id}", "put", true),
        ("/api/v1/sources/default/nodes/{nodeId}", "patch", true), ("/api/v1/nodes/{nodeId}", "get", false),
        ("/api/v1/actions/alert", "post", true), ("/api/v1/actions/traceroute", "post", false),
        ("/api/v1/self", "get", true), ("/api/v1/status", "get", false),
    ] {
        let operation = try #require(document["paths"]?[path]?[method], "\(method) \(path)")
        #expect((operation["x-mesh-gateway-only"] != nil) == isOurs, "\(method) \(path)")
    }
}
