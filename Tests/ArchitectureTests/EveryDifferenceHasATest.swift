import Foundation
import Testing

@testable import Pages

/// The table of differences from MeshMonitor names a test for each of its rows, and the test is there.
@Suite struct EveryDifferenceHasATest {
    static let page = "Sources/RestAPI/README.md"
    static let heading = "Where it differs from MeshMonitor"

    @Test func inTheTable() throws {
        let rows = try Page(Self.page).rows(below: Self.heading)
        #expect(rows.count > 80, "the table is not read")
        let found = mistakes(in: rows, tests: try testNames())
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    @Test(arguments: [
        ("| A | nodes | 1 | 2 | x | `shown` |", nil), ("| A | nodes | 1 | 2 | | `shown` |", nil),
        ("| A | nodes | 1 | 2 | x | `gone` |", "A: there is no test `gone`"),
        ("| A | nodes | 1 | 2 | x | |", "A: no test"), ("| A | nodes | 1 | `shown` |", "A: 4 cells"),
        ("| A | nodes | 1 | | x | `shown` |", "A: an empty cell"),
        ("| A | n | 1 | 2 | x | `shown` |\n| A | m | 1 | 2 | x | `shown` |", "A: there twice"),
    ])
    func aRowWithoutOneIsFound(row: String, mistake: String?) {
        let table = "## T\n\n| what | route | MeshMonitor | ours | why | test |\n|---|---|---|---|---|---|\n" + row
        let rows = Page(path: "A.md", text: table).rows(below: "T")
        #expect(mistakes(in: rows, tests: ["shown"]) == (mistake.map { [$0] } ?? []))
    }

    private func mistakes(in rows: [[String]], tests: Set<String>) -> [String] {
        var seen: Set<String> = []
        return rows.compactMap { row in
            guard row.count == 6 else { return "\(row.first ?? ""): \(row.count) cells" }
            guard seen.insert(row[0]).inserted else { return "\(row[0]): there twice" }
            guard row[0...3].allSatisfy({ !$0.isEmpty }) else { return "\(row[0]): an empty cell" }
            guard row[5].hasPrefix("`"), row[5].hasSuffix("`") else { return "\(row[0]): no test" }
            let test = String(row[5].dropFirst().dropLast())
            return tests.contains(test) ? nil : "\(row[0]): there is no test `\(test)`"
        }
    }

    /// The functions of all files of tests.
    private func testNames() throws -> Set<String> {
        let tests = Page.root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        for case let file as URL in files ?? FileManager.DirectoryEnumerator() where file.pathExtension == "swift" {
            for found in try String(contentsOf: file, encoding: .utf8).matches(of: /func ([a-zA-Z0-9]+)\(/) {
                names.insert(String(found.1))
            }
        }
        return names
    }
}
