@testable import StrictJSON

extension DifferenceRule {
    private static let packets = ["packets"]

    private static let environment = "metadata.decoded_payload.environmentMetrics."

    static let ofPackets: [DifferenceRule] = [
        .init("Replays", packets, ["data[]"]) { $0.isOnlyTheirs && $0.isReplay },
        .init("Replays", packets, ["data[] placed"]) {
            $0.request.contains("limit=") || $0.request.contains("offset=")
        },
        .init("Large numbers", packets, ["lightningDistanceKm", "lightningStrikeCount_1h"].map { environment + $0 }) {
            $0.isOnlyOurs
        },
        .init("Control characters", packets, ["payload_preview", "metadata.decoded_payload"]) {
            $0.ours?.string?.contains("\u{FFFD}") == true && $0.isCleaned
        },
        .init("Bells", packets, ["payload_preview", "metadata.decoded_payload"]) { $0.isWithoutBells },
        .init("Deleted waypoints", packets, ["payload_preview"]) {
            guard let theirs = $0.theirs?.string, let ours = $0.ours?.string else { return false }
            return theirs.hasPrefix("[Waypoint: id=") && ours.hasPrefix("[Waypoint delete: id=")
        },
        .init("Unknown values", packets, ["snr"]) { $0.goes(.number("0"), .null) },
        .init("Texts in previews", packets, ["payload_preview"]) {
            [10, 11, 32, 36, 66].contains($0.int("portnum") ?? 0) && ($0.theirs?.string?.hasSuffix("_APP]") ?? false)
        },
        .init("No position", packets, ["payload_preview"]) {
            $0.ours == .string("[Position]") && ($0.theirs?.string?.hasPrefix("[Position: ") ?? false)
        },
    ]
}
