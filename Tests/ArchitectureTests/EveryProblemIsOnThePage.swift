import Testing

@testable import Pages

/// Whoever reads the name of a problem in `mesh-gateway status` finds it in TROUBLESHOOTING.md, as README.md promises.
@Suite struct EveryProblemIsOnThePage {
    private static let path = "deploy/TROUBLESHOOTING.md"

    @Test func ofTheSources() throws {
        let tree = try SourceTree.ofThisRepository()
        #expect(problems(in: tree).count > 20, "the sources are not read")
        let missing = problems(in: tree).subtracting(Self.named(in: tree)).sorted()
        #expect(missing == [], "\(Self.path) has no row for these")
    }

    /// All but those that a trigger of their own tells of, and the one that says that no daemon runs.
    @Test func rulesKnowThemByName() throws {
        let tree = try SourceTree.ofThisRepository()
        let text = try #require(tree.texts["Sources/Rules/TriggerWords.swift"])
        let list = try #require(text.firstMatch(of: /problemNames = \[([^\]]*)\]/)).1
        let named = Set(list.matches(of: /"([a-z-]+)"/).map { String($0.1) })
        #expect(named == problems(in: tree).subtracting(["disk-failing", "keys-in-doubt", "not-running"]))
    }

    @Test(arguments: [
        (#"Self(name: "port-gone", advice: "Gone.")"#, "port-gone"),
        ("LinkState.Problem(\n    name: \"port-gone\",\n    advice:\n        \"Gone.\")", "port-gone"),
        (#"Problem(.warning, "slow-disk", "\(n) slow")"#, "slow-disk"),
        ("Problem(\n    .fault, \"slow-disk\",\n    \"slow\")", "slow-disk"),
        (#"Node(name: "anna-berg", number: 1)"#, nil), (#"ConfigWarning(name: "hidden-file", origin: nil)"#, nil),
    ])
    func oneIsFound(code: String, name: String?) {
        let tree = SourceTree(paths: [], texts: ["Sources/A/B.swift": code, Self.path: "| `another` | why | what |\n"])
        #expect(problems(in: tree) == Set([name].compactMap { $0 }))
        #expect(Self.named(in: tree) == ["another"])
    }

    /// What the first columns of the page's tables name.
    private static func named(in tree: SourceTree) -> Set<String> {
        let page = Page(path: path, text: tree.texts[path] ?? "")
        let cells = page.prose.compactMap { Page.cells(of: $0.text)?.first }
        return Set(cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } })
    }
}

/// Names of problems, each with its advice beside it.
private func problems(in tree: SourceTree) -> Set<String> {
    var names: Set<String> = []
    for (path, text) in tree.texts where path.hasPrefix("Sources/") && path.hasSuffix(".swift") {
        names.formUnion(text.matches(of: /\bname: "([a-z-]+)",\s+advice:/).map { String($0.1) })
        names.formUnion(text.matches(of: /\bProblem\(\s*\.(?:fault|warning), "([a-z-]+)"/).map { String($0.1) })
    }
    return names
}
