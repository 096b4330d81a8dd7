@testable import StrictJSON

// What is being mended.

extension DifferenceRule {
    private static let pending = "pending"

    static let ofPending: [DifferenceRule] = [
        .init(pending, ["telemetry"], ["data[]"]) {
            $0.isOnlyTheirs
                && ["messageHops", "snr_remote", "snr_local", "rssi"].contains($0.text("telemetryType") ?? "")
        },
        .init(pending, ["telemetry"], ["unit"]) { $0.theirs == .string("hits") },
        .init(pending, ["packets"], ["data[]"]) { $0.isOnlyOurs && $0.int("from_node") == $0.played.own },
        .init(pending, ["packets"], ["data[]"]) { $0.isOnlyOurs && $0.int("to_node") == $0.played.own },
        .init(pending, ["packets"], ["metadata", "payload_preview", "xeddsa_signed", "direction"]) { _ in true },
        .init(pending, ["direct-neighbors"], ["{}.packetCount", "{}.avgRssi", "{}.lastHeard"]) { _ in true },
        .init(pending, ["/api/v1/metrics"], ["meshmonitor_packets_by_port_last_hour{}"]) { _ in true },
        .init(pending, ["nodes"], ["mobile"]) { $0.ours == .null && ($0.theirs?.integer ?? 2) < 2 },
        .init(pending, ["nodes"], ["status"]) { $0.request.contains("/api/sources/") },
        .init(pending, ["channels"], ["name", "displayName"]) { $0.theirs?.string?.hasPrefix("Channel ") == true },
        .init(pending, ["neighbor-info"], ["reverseSnr", "reverseTimestamp", "transportClass", "[]"]) { _ in true },
        .init(pending, ["neighbor-info", "/api/neighbor-info"], ["[] order"]) { _ in true },
        .init(
            pending, ["/api/sources", "/api/sources/source"],
            ["updatedAt", "radio", "[] keys", "config.host", "config.port", "status"]
        ) { _ in true },
        .init(pending, ["status"], ["nodeNum", "nodeId", "nodeCount", "activeNodeCount", "sourceName"]) { _ in true },
        .init(pending, ["status"], ["status", "message"]) { $0.request == "GET /api/v1/sources/SOURCE/status" },
    ]
}
