import Foundation
import Testing

@testable import Pages

/// What differs from the answers that MeshMonitor gave about the same recordings is in the table of differences.
@Suite struct TheAnswersAreMeshMonitors {
    @Test(arguments: RecordedAnswer.recordings) func butForTheTable(_ name: String) throws {
        let found = try AnswerComparison.differences(of: name).filter { difference in
            !DifferenceRule.all.contains { $0.permits(difference) }
        }
        if let path = ProcessInfo.processInfo.environment["MESH_GATEWAY_DIFFERENCES"] {
            let lines = found.map(\.line).joined(separator: "\n")
            try lines.write(toFile: "\(path)/\(name).tsv", atomically: false, encoding: .utf8)
        }
        for difference in found.prefix(20) { Issue.record("\(difference.line.prefix(1000))") }
        #expect(found.count <= 20, "and \(found.count - 20) more")
    }

    /// A rule that nothing needs any more goes away, and its row with it.
    @Test func noRuleIsIdle() throws {
        var idle = Dictionary(grouping: DifferenceRule.all.enumerated(), by: \.offset)
        for name in RecordedAnswer.recordings {
            for difference in try AnswerComparison.differences(of: name) {
                idle = idle.filter { !DifferenceRule.all[$0.key].permits(difference) }
            }
        }
        let found = idle.keys.sorted().map { "\(DifferenceRule.all[$0].row): \(DifferenceRule.all[$0].fields)" }
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    @Test func everyRuleIsARowAndEveryRowIsShown() throws {
        let rows = try Page("Sources/RestAPI/README.md").rows(below: "Where it differs from MeshMonitor")
        let rules = Set(DifferenceRule.all.map(\.row).filter { $0 != "pending" })
        let missing = rules.subtracting(rows.compactMap(\.first))
        #expect(missing.isEmpty, "no row: \(missing.sorted())")
        let unshown = rows.filter { $0.last == "`butForTheTable`" && !rules.contains($0[0]) }.map { $0[0] }
        #expect(unshown.isEmpty, "no rule, and no test of its own: \(unshown)")
    }
}
