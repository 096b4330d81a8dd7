import Foundation

@testable import ServedProgram
@testable import StrictJSON

/// One request, and the name of the file with its answer.
struct GoldenRequest: Sendable {
    enum Asker {
        case owner, stranger
        /// May read, but for the keys of the channel database.
        case reader
        /// Reads only that.
        case keeper
    }

    let name: String
    var method = "GET"
    let path: @Sendable (SeededMesh) -> String
    var body: (@Sendable (SeededMesh) -> JSON)?
    var status = 200
    var asker = Asker.owner

    /// Read first; then what acts, in this order.
    static let all = reads + oldReads + refusals + actions + oldActions

    private static func get(_ name: String, _ path: @escaping @Sendable (SeededMesh) -> String) -> Self {
        Self(name: name, path: path)
    }

    private static func get(_ name: String, _ path: String) -> Self { Self(name: name, path: { _ in path }) }

    private static func post(
        _ name: String, _ path: String, status: Int = 200, _ body: @escaping @Sendable (SeededMesh) -> JSON
    ) -> Self {
        Self(name: name, method: "POST", path: { _ in path }, body: body, status: status)
    }

    /// Routes of v1.
    private static let reads: [Self] = [
        get("index", "/api/v1/"),
        get("sources", "/api/v1/sources"),
        get("status", "/api/v1/status"),
        get("nodes", "/api/v1/nodes"),
        get("nodes-nodeId") { "/api/v1/nodes/\($0.hiker.id)" },
        get("nodes-nodeId-position-history") { "/api/v1/nodes/\($0.hiker.id)/position-history" },
        get("nodes-enrichment-analysis", "/api/v1/nodes/enrichment/analysis"),
        get("nodes-nodeNum-copy-candidates") { "/api/v1/nodes/\($0.hiker.rawValue)/copy-candidates" },
        get("channels", "/api/v1/channels"),
        Self(name: "channels-for-a-reader", path: { _ in "/api/v1/channels" }, asker: .reader),
        get("channels-id", "/api/v1/channels/1"),
        get("messages", "/api/v1/messages"),
        get("messages-id") { "/api/v1/messages/\($0.id(2))" },
        get("messages-search", "/api/v1/messages/search?q=morning"),
        get("messages-of-a-conversation") {
            "/api/v1/messages?conversation=direct:\($0.hiker.id)&limit=2&around=\($0.source)_\($0.hiker.rawValue)_\($0.id(5))"
        },
        get("messages-id-details") { "/api/v1/messages/\($0.id(2))/details" },
        get("conversations", "/api/v1/conversations"),
        get("nodes-fields", "/api/v1/nodes?fields=nodeId,longName"),
        get("telemetry", "/api/v1/telemetry"),
        get("telemetry-by-type", "/api/v1/telemetry?type=voltage"),
        get("telemetry-nodeId") { "/api/v1/telemetry/\($0.hut.id)" },
        get("telemetry-count", "/api/v1/telemetry/count"),
        get("traceroutes", "/api/v1/traceroutes"),
        get("traceroutes-from-to") { "/api/v1/traceroutes/\($0.hut.id)/\($0.own.id)" },
        get("network", "/api/v1/network"),
        get("network-topology", "/api/v1/network/topology"),
        get("network-direct-neighbors", "/api/v1/network/direct-neighbors"),
        get("packets", "/api/v1/packets"),
        get("packets-encrypted", "/api/v1/packets?encrypted=true"),
        get("packets-id", "/api/v1/packets/2"),
        get("solar", "/api/v1/solar"),
        get("solar-range", "/api/v1/solar/range?start=1787300000&end=1787386400"),
        get("metrics", "/api/v1/metrics"),
        get("channel-database-progress", "/api/v1/channel-database/retroactive-decrypt/progress"),
    ]

    /// Routes outside v1 (Contract 4).
    private static let oldReads: [Self] = [
        get("api-health", "/api/health"),
        Self(name: "api-status", path: { _ in "/api/status" }, asker: .stranger),
        get("api-server-info", "/api/server-info"),
        get("api-connection", "/api/connection"),
        get("api-csrf-token", "/api/csrf-token"),
        get("api-version-check", "/api/version/check"),
        get("api-automations", "/api/automations"),
        get("api-analysis-solar-nodes", "/api/analysis/solar-nodes"),
        get("api-analysis-solar-forecast", "/api/analysis/solar-forecast"),
        get("api-nodes", "/api/nodes"),
        get("api-sources", "/api/sources"),
        get("api-sources-id") { "/api/sources/\($0.source)" },
        get("api-sources-id-nodes") { "/api/sources/\($0.source)/nodes" },
        get("api-sources-id-status") { "/api/sources/\($0.source)/status" },
        get("api-sources-id-messages") { "/api/sources/\($0.source)/messages" },
        get("api-sources-id-channels") { "/api/sources/\($0.source)/channels" },
        get("api-sources-id-traceroutes") { "/api/sources/\($0.source)/traceroutes" },
        get("api-sources-id-neighbor-info") { "/api/sources/\($0.source)/neighbor-info" },
        get("api-neighbor-info") { "/api/neighbor-info?sourceId=\($0.source)" },
        get("api-traceroutes-recent") { "/api/traceroutes/recent?sourceId=\($0.source)" },
        get("api-traceroutes-history") {
            "/api/traceroutes/history/\($0.hut.rawValue)/\($0.own.rawValue)?sourceId=\($0.source)"
        },
        get("api-unified-messages", "/api/unified/messages"),
        get("api-messages-unread-counts") { "/api/messages/unread-counts?sourceId=\($0.source)" },
        get("api-telemetry-nodeId") { "/api/telemetry/\($0.hiker.id)?sourceId=\($0.source)&hours=24" },
        get("api-telemetry-nodeId-linkquality") {
            "/api/telemetry/\($0.hiker.id)/linkquality?sourceId=\($0.source)&hours=24"
        },
        get("api-telemetry-available-nodes") { "/api/telemetry/available/nodes?sourceId=\($0.source)" },
    ]

    /// One for each layer with a body of its own.
    private static let refusals: [Self] = [
        Self(name: "refused-without-a-token", path: { _ in "/api/v1/nodes" }, status: 401, asker: .stranger),
        Self(name: "refused-path", path: { _ in "/api/v1/nowhere" }, status: 404),
        Self(name: "refused-source", path: { _ in "/api/v1/sources/nowhere/nodes" }, status: 404),
        Self(name: "refused-node", path: { _ in "/api/v1/nodes/!00000001" }, status: 404),
        Self(name: "refused-session", path: { _ in "/api/neighbor-info" }, status: 401, asker: .stranger),
        Self(
            name: "refused-permission", method: "POST", path: { _ in "/api/v1/messages" },
            body: { _ in ["text": "Hello", "channel": 1] }, status: 403, asker: .reader),
        Self(
            name: "refused-action", method: "POST", path: { _ in "/api/v1/actions/traceroute" }, body: { _ in [:] },
            status: 400),
        Self(
            name: "refused-length", method: "POST", path: { _ in "/api/v1/messages" },
            body: { _ in ["text": .string(String(repeating: "x", count: 601)), "channel": 1] }, status: 413),
    ]

    private static let actions: [Self] = [
        post("messages-post", "/api/v1/messages", status: 201) { _ in ["text": "Good night", "channel": 1] },
        post("messages-post-direct", "/api/v1/messages", status: 201) {
            ["text": "Good night", "toNodeId": .string($0.hiker.id), "replyId": .integer(Int($0.id(5)))]
        },
        post("messages-post-split", "/api/v1/messages", status: 202) { _ in
            ["text": .string(String(repeating: "word ", count: 50)), "channel": 1]
        },
        post("actions-traceroute", "/api/v1/actions/traceroute") { ["destination": .string($0.hiker.id)] },
        post("actions-request-position", "/api/v1/actions/request-position") { ["nodeId": .string($0.hiker.id)] },
        post("actions-request-nodeinfo", "/api/v1/actions/request-nodeinfo") {
            ["nodeNum": .integer(Int($0.hiker.rawValue)), "channel": 0]
        },
        post("actions-request-neighbors", "/api/v1/actions/request-neighbors") {
            ["destination": .string($0.hiker.id)]
        },
        post("channel-database-post", "/api/v1/channel-database", status: 201) { _ in
            ["name": "Ridge", "psk": "1PG7OiApB1nwvP+rz05pAQ==", "description": "Repeaters"]
        },
        get("channel-database", "/api/v1/channel-database"),
        get("channel-database-id", "/api/v1/channel-database/1"),
        Self(name: "channel-database-for-a-reader", path: { _ in "/api/v1/channel-database/1" }, asker: .keeper),
        Self(
            name: "channel-database-id-put", method: "PUT", path: { _ in "/api/v1/channel-database/1" },
            body: { _ in ["name": "The ridge"] }),
        Self(name: "channel-database-id-permissions", path: { _ in "/api/v1/channel-database/1/permissions" }),
        Self(name: "channel-database-id-delete", method: "DELETE", path: { _ in "/api/v1/channel-database/1" }),
    ]

    private static let oldActions: [Self] = [
        post("api-traceroute", "/api/traceroute") { ["destination": .string($0.hiker.id)] },
        post("api-position-request", "/api/position/request") { ["destination": .string($0.hiker.id)] },
        post("api-nodeinfo-request", "/api/nodeinfo/request") { ["destination": .string($0.hiker.id)] },
        Self(
            name: "api-nodes-id-favorite", method: "POST", path: { "/api/nodes/\($0.hut.id)/favorite" },
            body: { ["sourceId": .string($0.source), "isFavorite": true, "syncToDevice": false] }),
        Self(
            name: "api-nodes-id-ignored", method: "POST", path: { "/api/nodes/\($0.hut.id)/ignored" },
            body: { ["sourceId": .string($0.source), "isIgnored": true, "syncToDevice": false] }),
        post("api-messages-mark-read", "/api/messages/mark-read") {
            ["sourceId": .string($0.source), "channelId": 0]
        },
        post("api-messages-send", "/api/messages/send") {
            [
                "sourceId": .string($0.source), "text": "🎉", "channel": 0, "replyId": .integer(Int($0.id(1))),
                "emoji": 1,
            ]
        },
        Self(
            name: "messages-delete", method: "DELETE", path: { "/api/v1/messages?node=\($0.hut.rawValue)" }),
        Self(
            name: "api-messages-nodes-num-delete", method: "DELETE",
            path: { "/api/messages/nodes/\($0.hiker.rawValue)?sourceId=\($0.source)" }),
    ]
}
