@testable import StrictJSON

/// Which differences a row of the table of differences permits (`Sources/RestAPI/README.md`).
struct DifferenceRule: Sendable {
    /// The row's first cell.
    let row: String
    let subjects: [String]
    let fields: [String]
    let holds: @Sendable (Difference) -> Bool

    /// - Parameter subjects: as ``Difference/subject`` has them; none: all.
    init(
        _ row: String, _ subjects: [String], _ fields: [String], where holds: @escaping @Sendable (Difference) -> Bool
    ) {
        (self.row, self.subjects, self.fields, self.holds) = (row, subjects, fields, holds)
    }

    func permits(_ difference: Difference) -> Bool {
        (subjects.isEmpty || subjects.contains(difference.subject)) && fields.contains(difference.field)
            && holds(difference)
    }

    static let all = ofNodes + ofTelemetry + ofPackets + ofMessages + ofRoutes + ofMetrics
}

extension Difference {
    func goes(_ theirs: StrictJSON?, _ ours: StrictJSON?) -> Bool { self.theirs == theirs && self.ours == ours }

    /// Ours has U+FFFD for each control character.
    var isCleaned: Bool {
        theirs?.string?.map { $0.isASCII && ($0.asciiValue ?? 32) < 32 ? "\u{FFFD}" : $0 }
            == ours?.string.map(Array.init)
    }
    /// The bells of theirs are left out.
    var isWithoutBells: Bool {
        guard let text = theirs?.string, text.contains("\u{7}") else { return false }
        return text.filter { $0 != "\u{7}" } == ours?.string
    }
    var isOnlyTheirs: Bool { theirs != nil && ours == nil }
    var isOnlyOurs: Bool { theirs == nil && ours != nil }
    /// Of their row, or ours.
    func int(_ key: String) -> Int? { (theirRow ?? ourRow)?[key]?.integer }
    func text(_ key: String) -> String? { (theirRow ?? ourRow)?[key]?.string }

    /// Both are there, theirs null and ours a value.
    var isKnownToUsOnly: Bool { theirs == .null && ours != nil && ours != .null }
    /// The row, or the packet that it came with, is something that the radio repeated.
    var isReplay: Bool { played.replays.contains(int("packetId") ?? int("packet_id") ?? -1) }
}
