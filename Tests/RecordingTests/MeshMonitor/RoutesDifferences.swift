@testable import StrictJSON

extension DifferenceRule {
    static let ofRoutes: [DifferenceRule] = [
        .init("404 as JSON", [], ["type"]) {
            $0.goes(.string("text/html; charset=utf-8"), .string("application/json; charset=utf-8"))
        },
        .init("Primary channel", ["channels"], ["name"]) { $0.theirs == .string("") && $0.ours?.string != nil },
        .init("Primary channel", ["channels"], ["displayName"]) {
            $0.theirs == .string("Primary") && $0.ours?.string != nil
        },
        .init(
            "Where a route's nodes were",
            ["traceroutes", "/api/sources/source/traceroutes", "/api/traceroutes/history", "/api/traceroutes/recent"],
            ["routePositions", "channel"]
        ) {
            $0.theirs == .null && $0.ours != nil
        },
        .init("Status", ["status"], ["localNodeNum", "localNodeId", "longName", "shortName"]) { $0.isKnownToUsOnly },
        .init("Status", ["status"], ["link", "storage"]) { $0.isOnlyOurs },
        .init(
            "Server", ["/api/status", "/api/health", "/api/v1"], ["version", "server", "note", "firmwareOtaEnabled"]
        ) {
            $0.ours != nil
        },
        .init("Server", ["/api/server-info"], ["timezone"]) { $0.theirs?.string != nil && $0.ours?.string != nil },
        .init("Everybody", ["/api/status"], ["statistics.nodes"]) {
            $0.theirs?.integer == ($0.ours?.integer ?? 0) + 1
        },
        .init("Counted messages", ["/api/status"], ["statistics.messages"]) {
            $0.theirs?.integer == $0.played.messages.theirs && $0.ours?.integer == $0.played.messages.ours
        },
        .init("Our own number", ["direct-neighbors"], ["{}"]) { $0.isOnlyTheirs && $0.theirs?["packetCount"] != nil },
        .init("Numbers of pages", ["direct-neighbors"], ["{}"]) { $0.isOnlyOurs && $0.request.hasSuffix("hours=-1") },
        .init("Errors of the server", ["/api/v1/sources"], ["status"]) {
            $0.goes(.number("500"), .number("404")) && $0.request.hasSuffix("/API/V1/SOURCES")
        },
        .init("Spellings of paths", ["status", "nodes"], ["status"]) {
            $0.goes(.number("404"), .number("200")) && $0.request.contains("/DEFAULT/")
        },
        .init("Tags", [], ["tag"]) { $0.goes(.bool(true), .bool(false)) && $0.status >= 400 },
        .init("Tags", ["/api/status", "/api/health", "/api/v1/metrics"], ["tag"]) {
            $0.goes(.bool(true), .bool(false))
        },
        // Of a node that is not there.
        .init("Tags", ["telemetry", "position-history"], ["tag"]) { $0.goes(.bool(true), .bool(false)) },
        .init("A missing token", ["/api/v1/sources/source/nodes"], ["status"]) {
            $0.goes(.number("403"), .number("401"))
        },
        .init("A missing token", ["/api/v1/sources/source/nodes"], ["error", "message", "code"]) {
            $0.request.hasPrefix("POST") && ($0.theirs == nil || $0.theirs?.string?.contains("CSRF") == true)
        },
        .init("Tokens everywhere", ["/api/messages/unread-counts"], ["status"]) {
            $0.goes(.number("403"), .number("200"))
        },
        .init("Tokens everywhere", [], ["status"]) {
            $0.subject.hasPrefix("/api/telemetry/") && $0.goes(.number("403"), .number("200"))
        },
        .init("Tokens everywhere", ["/api/sources/source/channels", "channels"], ["[]"]) {
            $0.isOnlyOurs && !$0.request.contains("v1")
        },
        .init("Paths without a source", ["/api/v1/nodes", "/api/v1/status"], ["status", "type", "tag"]) {
            $0.place != "status" || $0.goes(.number("404"), .number("200"))
        },
        .init("Nodes of all sources", ["/api/nodes"], ["[]"]) { $0.isOnlyOurs },
        .init("Settings of sources", ["/api/sources", "/api/sources/source"], ["config.host", "config.port"]) {
            $0.ours == .null && $0.theirs != nil
        },
        .init("Settings of sources", ["/api/sources"], ["radio.frequencyMhz"]) { $0.ours == .null && $0.theirs != nil },
        .init("Names of sources", ["status"], ["sourceName"]) { $0.ours == .string("Default") },
        .init("Names of sources", ["status"], ["nodeCount", "activeNodeCount"]) { $0.isOnlyOurs },
        .init("Newer versions", ["/api/version/check"], ["currentVersion", "deploymentMethod", "error"]) {
            $0.ours?.string != nil
        },
        .init("Order of neighbours", ["/api/neighbor-info"], ["[] order"]) { _ in true },
        .init("Routes that are not there", notThere, ["status"]) { $0.ours == .number("404") },
        .init("Routes that are not there", notThere, ["type", "error", "message", "code", "success", "required"]) { _ in
            true
        },
    ]

    private static let notThere = [
        "/health", "/api/channels", "/api/channels/all", "/api/device/tx-status", "/api/nodes/active",
        "/api/messages", "/api/messages/channel/0", "/api/packets", "/api/virtual-node/status",
    ]
}
