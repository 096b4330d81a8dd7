import Folders
import Foundation
import Testing

@testable import MeshModel
@testable import Rules

/// RULES.md says that a rule takes any value of `/api/v1/telemetry`, and names those that it does not take.
@Suite struct ThePageNamesTheValuesThatNoRuleTakes {
    /// The names in brackets of the row.
    private static func named() throws -> Set<String> {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/RULES.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let row = try #require(lines.first { $0.hasPrefix("| `temperature below 0` |") })
        let lists = row.matches(of: /\(([^)]*)\)/).flatMap { $0.1.split(separator: ",") }
        return Set(lists.map { $0.filter { $0 != " " && $0 != "`" } })
    }

    /// Everything that the API shows.
    private static let shown: Set<String> = Set(
        Telemetry.shownKinds.flatMap(\.metrics).map(\.name) + Position.units.keys + Paxcount.units.keys
            + DerivedMetric.allCases.map(\.name))

    @Test func andNoOthers() throws {
        let refused = Self.shown.filter { name in
            do throws(BadValue) {
                _ = try Trigger(words: "\(name) below 0")
                return false
            } catch {
                return true
            }
        }
        #expect(refused.count > 10, "the list is not read")
        #expect(try Self.named() == refused)
    }
}
