import Foundation
import Testing

@testable import Notifications

/// TARGETS.md has a row for each key of a file, and for no other.
@Test func everyKeyOfATargetIsOnThePage() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "deploy/TARGETS.md"), encoding: .utf8)
    let table = page.components(separatedBy: "## Keys\n")[1].components(separatedBy: "\n## ")[0]
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let named = rows.flatMap { row in
        String(row.split(separator: "|")[0]).matches(of: /`([a-z-]+)`/).map { String($0.1) }
    }
    #expect(Set(named) == Set(TargetFile.Key.allCases.map(\.rawValue)).union(Target.Kind.all.flatMap { $0.keys }))
    #expect(named.count == Set(named).count)
    let ofKind = try #require(rows.first { $0.hasPrefix("| `kind`") })
    for word in Target.Kind.words { #expect(ofKind.contains("`\(word)`")) }
}
