@testable import StrictJSON

extension DifferenceRule {
    private static let metrics = ["/api/v1/metrics"]

    private static let help = [
        "info", "source_info", "source_connected", "nodes_total", "nodes_active", "messages_last_hour",
        "packets_by_port_last_hour", "node_channel_utilization_percent", "node_air_util_tx_percent",
        "node_battery_level", "node_voltage_volts", "node_snr_db", "node_rssi_dbm",
        "node_last_heard_timestamp_seconds", "node_hops_away",
    ].map { "HELP meshmonitor_\($0)" }

    private static func gauges(_ keys: StrictJSON?) -> [Substring] {
        let names = (keys?.string ?? "").split(separator: "\n").map { $0.prefix { $0 != "{" } }
        return names.indices.filter { $0 == 0 || names[$0] != names[$0 - 1] }.map { names[$0] }
    }

    /// What MeshMonitor does not count.
    private static let ours = [
        "packets_received_total", "packets_sent_total", "node_environment",
    ].map { "mesh_gateway_\($0)" }

    static let ofMetrics: [DifferenceRule] = [
        .init("Metrics", metrics, ours.flatMap { ["HELP \($0)", "TYPE \($0)", "\($0){}"] }) { $0.isOnlyOurs },
        .init("Metrics", metrics, ["meshmonitor_info{}"]) { $0.isOnlyTheirs || $0.isOnlyOurs },
        .init("Metrics", metrics, help) { $0.isOnlyOurs && $0.ours?.string?.hasSuffix(".") == true },
        // The samples of a gauge have no order.
        .init("Metrics", metrics, [" keys"]) {
            gauges($0.theirs) == gauges($0.ours).filter { !$0.hasPrefix("mesh_gateway_") }
        },
        .init("Replays", metrics, ["meshmonitor_packets_by_port_last_hour{}"]) {
            let missing = ($0.theirs?.integer ?? 0) - ($0.ours?.integer ?? 0)
            return missing > 0 && missing <= $0.played.replays.count
        },
        .init("Counted messages", metrics, ["meshmonitor_messages_last_hour{}"]) {
            $0.theirs?.integer == $0.played.messages.theirs && $0.ours?.integer == $0.played.messages.ours
        },
        .init("Unknown values", metrics, ["meshmonitor_node_snr_db{}"]) { $0.goes(.number("0"), nil) },
        .init(
            "What a node has said", metrics,
            ["meshmonitor_node_channel_utilization_percent{}", "meshmonitor_node_air_util_tx_percent{}"]
        ) { $0.isOnlyOurs },
        .init("What a packet shows", metrics, ["meshmonitor_node_hops_away{}"]) { $0.isOnlyOurs },
        .init("Packets of one read", metrics, ["meshmonitor_node_rssi_dbm{}"]) {
            abs(($0.theirs?.integer ?? 0) - ($0.ours?.integer ?? 99)) < 10
        },
    ]
}
