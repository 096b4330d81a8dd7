import Testing

/// Nobody reads a page that only grows. To add to a full one, take something out or find a better place.
@Suite struct PagesKeepToTheirBudget {
    private static let budgets = [
        Budget("README.md", lines: 180, bytes: 13_000), Budget("deploy/MANUAL.md", lines: 550, bytes: 35_000),
        Budget("deploy/TROUBLESHOOTING.md", lines: 150, bytes: 12_000),
        Budget("deploy/RULES.md", lines: 260, bytes: 20_500), Budget("deploy/TARGETS.md", lines: 110, bytes: 7_000),
        Budget("deploy/PUSH.md", lines: 110, bytes: 7_500),
        Budget("deploy/HOME-ASSISTANT.md", lines: 280, bytes: 21_500),
        Budget("deploy/CONVERSATIONS.md", lines: 190, bytes: 12_500),
        Budget("Sources/README.md", lines: 200, bytes: 20_000), Budget("Sources/RECIPES.md", lines: 240, bytes: 20_500),
        Budget("Tests/README.md", lines: 150, bytes: 14_000),
        Budget("Sources/RestAPI/Contract.md", lines: 250, bytes: 25_000),
        Budget("Proto/SerialReference.md", lines: 350, bytes: 25_000),
    ]

    @Test func thesePagesDo() throws {
        let found = overBudget(try SourceTree.ofThisRepository(), Self.budgets)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    @Test func onePageThatDoesNotIsNamed() {
        let tree = SourceTree(paths: [], texts: ["A.md": "1\n2\n3\n", "B.md": "ä\n"])
        func found(_ budget: Budget) -> [String] { overBudget(tree, [budget]) }
        #expect(found(Budget("A.md", lines: 3, bytes: 6)) == [])
        #expect(found(Budget("A.md", lines: 2, bytes: 6)) == ["A.md has 3 lines, and may have 2"])
        #expect(found(Budget("B.md", lines: 1, bytes: 2)) == ["B.md has 3 bytes, and may have 2"])
        #expect(found(Budget("C.md", lines: 1, bytes: 1)) == ["there is no C.md"])
    }
}

struct Budget {
    let path: String
    let lines: Int
    let bytes: Int

    init(_ path: String, lines: Int, bytes: Int) { (self.path, self.lines, self.bytes) = (path, lines, bytes) }
}

func overBudget(_ tree: SourceTree, _ budgets: [Budget]) -> [String] {
    budgets.flatMap { budget in
        guard let text = tree.texts[budget.path] else { return ["there is no \(budget.path)"] }
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") }
        let measures = [("lines", lines, budget.lines), ("bytes", text.utf8.count, budget.bytes)]
        return measures.filter { $0.1 > $0.2 }.map { "\(budget.path) has \($0.1) \($0.0), and may have \($0.2)" }
    }
}
