@testable import StrictJSON

extension DifferenceRule {
    private static let packets = ["packets"]

    static let ofPackets: [DifferenceRule] = [
        .init("Replays", packets, ["data[]"]) { $0.isOnlyTheirs && $0.isReplay },
        .init("Replays", packets, ["data[] placed"]) {
            $0.request.contains("limit=") || $0.request.contains("offset=")
        },
        .init("Unknown values", packets, ["snr"]) { $0.goes(.number("0"), .null) },
        .init("Texts in previews", packets, ["payload_preview"]) {
            [10, 11, 32, 66].contains($0.int("portnum") ?? 0) && ($0.theirs?.string?.hasSuffix("_APP]") ?? false)
        },
        .init("No position", packets, ["payload_preview"]) {
            $0.ours == .string("[Position]") && ($0.theirs?.string?.hasPrefix("[Position: ") ?? false)
        },
    ]
}
