@testable import StrictJSON

extension DifferenceRule {
    private static let telemetry = ["telemetry"]
    private static let lists = ["telemetry", "position-history"]
    /// What comes with a position, beside its place.
    private static let besides: Set = ["altitude", "ground_speed", "ground_track", "sats_in_view"]

    /// 64-bit numbers, and fields of EnvironmentMetrics from 24 on.
    private static let notStored: Set = [
        "hostFreememBytes", "hostDiskfree1Bytes", "hostDiskfree2Bytes", "hostDiskfree3Bytes", "lightningDistanceKm",
        "lightningStrikeCount1h",
    ]

    static let ofTelemetry: [DifferenceRule] = [
        .init("Replays", lists, ["data[]"]) { $0.isOnlyTheirs && $0.isReplay },
        .init("Handshakes", lists, ["data[]"]) {
            $0.isOnlyTheirs && $0.int("packetId") == nil && $0.int("nodeNum") == $0.played.own
        },
        .init("SNR of handshakes", telemetry, ["data[]"]) {
            $0.isOnlyTheirs && $0.text("telemetryType") == "snr_remote" && $0.theirs?["value"]?.double == 0
        },
        .init("Signal of what came over MQTT", ["telemetry"], ["data[]"]) {
            $0.isOnlyTheirs && ["rssi", "snr_local"].contains($0.text("telemetryType") ?? "")
                // The only one of the recordings with via_mqtt and no hops.
                && $0.int("packetId") == 3_096_386_657
        },
        .init("Order of telemetry", telemetry, ["data[] order of storing"]) { _ in true },
        .init("Order of telemetry", telemetry, ["createdAt"]) {
            $0.text("telemetryType") == "snr_remote" && $0.ours == $0.ourRow?["timestamp"]
        },
        .init("Hops of receptions", telemetry, ["data[]"]) {
            $0.isOnlyTheirs && $0.text("telemetryType") == "messageHops" && $0.played.isRepeatedText($0.int("packetId"))
        },
        .init("Channels of readings", telemetry, ["channel"]) { $0.theirs == .null && $0.ours?.integer != nil },
        .init("Receptions of readings", telemetry, ["rxSnr", "hopStart", "hopLimit", "precisionBits"]) {
            $0.isKnownToUsOnly && besides.contains($0.text("telemetryType") ?? "")
        },
        .init("Unknown values", telemetry, ["gpsAccuracy", "rxSnr"]) { $0.goes(.number("0"), .null) },
        .init("Unknown values", ["position-history"], ["snr"]) { $0.goes(.number("0"), nil) },
        .init("Uptime as a time", telemetry, ["packetTimestamp"]) {
            $0.ours == .null && ($0.theirs?.double ?? 1e12) < 1e9
        },
        .init("Ground track", telemetry, ["value"]) {
            $0.text("telemetryType") == "ground_track" && $0.theirs?.double == ($0.ours?.double ?? 0) * 1000
        },
        .init("Ground track", ["position-history"], ["groundTrack"]) {
            $0.theirs?.double == ($0.ours?.double ?? 0) * 1000
        },
        .init("Standing still", telemetry, ["data[]"]) {
            $0.isOnlyOurs && ["ground_speed", "ground_track"].contains($0.text("telemetryType") ?? "")
                && $0.ours?["value"]?.double == 0
        },
        .init("Standing still", ["position-history"], ["groundSpeed", "groundTrack"]) { $0.goes(nil, .number("0")) },
        .init("Large numbers", telemetry, ["data[]"]) {
            $0.isOnlyOurs && notStored.contains($0.text("telemetryType") ?? "")
        },
        .init("Pages of telemetry", telemetry, ["data[] placed"]) { !$0.request.contains("/telemetry/") },
        .init("Replays", telemetry, ["data[] placed"]) { $0.request.contains("limit=") },
        .init("Pages of positions", ["position-history"], ["data[] placed"]) { $0.request.contains("?") },
        .init("Numbers of pages", lists + ["packets"], ["limit"]) {
            $0.goes(.number("-1"), .number("10000")) || $0.goes(.null, .number("100"))
        },
        .init("Numbers of pages", lists + ["packets"], ["offset"]) {
            [.number("-1"), .null].contains($0.theirs) && $0.ours == .number("0")
        },
    ]
}
