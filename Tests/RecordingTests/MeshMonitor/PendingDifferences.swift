@testable import StrictJSON

extension DifferenceRule {
    /// What is not right yet, and has no row.
    static let ofPending: [DifferenceRule] = [
        // A NodeInfo of !219c6b2f that was heard directly tells no signal.
        .init("pending", ["telemetry"], ["data[]"]) {
            $0.isOnlyTheirs && $0.int("nodeNum") == 0x219C_6B2F
                && ["rssi", "snr_local"].contains($0.text("telemetryType") ?? "")
        }
    ]
}
