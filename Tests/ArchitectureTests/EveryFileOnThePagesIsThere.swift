import Testing

@testable import Pages

/// Files that the pages name in `backquotes` are there: by their path, or by its end where the name alone says enough.
@Suite struct EveryFileOnThePagesIsThere {
    private static let pages = [
        "README.md", "deploy/MANUAL.md", "deploy/TROUBLESHOOTING.md", "deploy/RULES.md", "deploy/TARGETS.md",
        "deploy/PUSH.md", "deploy/HOME-ASSISTANT.md", "deploy/CONVERSATIONS.md", "Sources/README.md",
        "Sources/RECIPES.md",
        "Sources/RestAPI/README.md",
        "Sources/RestAPI/Contract.md", "Proto/SerialReference.md",
        "Sources/RestAPI/ThreatModel.md", "Sources/mesh-gateway/README.md", "Tests/README.md",
        "Tests/Benchmarks/README.md", "Tests/Soak/README.md", "Tests/Coverage/README.md",
    ]

    @Test func onThesePages() throws {
        let tree = try SourceTree.ofThisRepository()
        let found = missingFiles(tree, on: Self.pages)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
        let recipes = try #require(tree.pages.first { $0.path == "Sources/RECIPES.md" })
        #expect(recipes.spans.count { isFile($0.text) } > 60, "the recipes are not read")
    }

    @Test(arguments: [
        ("`Sources/A/B.swift`", nil), ("`A/B.swift`", nil), ("`B.swift`", nil), ("`Sources/A`", nil),
        ("`Sources/A/`", nil), ("`C.d`", nil),
        ("`deploy/x --all`", nil), ("`Sources/A/C.swift`", "Sources/A/C.swift"), ("`.swift`", ".swift"),
        ("`E.tsv`", "E.tsv"), ("`Tests/None`", "Tests/None"),
    ])
    func oneThatIsGoneIsFound(line: String, missing: String?) {
        let tree = SourceTree(paths: ["Sources/A/B.swift", "deploy/x"], texts: ["A.md": "# A\n\n\(line)\n"])
        #expect(missingFiles(tree, on: ["A.md"]) == (missing.map { ["A.md:3: there is no \($0)"] } ?? []))
    }
}

/// Whether a span names a file of the repository.
private func isFile(_ span: String) -> Bool {
    let endings = [".swift", ".tsv", ".py", ".proto", ".js", ".css", ".html", "README.md"]
    let folders = ["Sources/", "Tests/", "Proto/", "deploy/", "udev/"]
    return endings.contains(where: span.hasSuffix) || folders.contains(where: span.hasPrefix)
}

func missingFiles(_ tree: SourceTree, on pages: [String]) -> [String] {
    tree.pages.filter { pages.contains($0.path) }.flatMap { page in
        page.spans.filter { isFile($0.text) }.compactMap { number, span in
            let word = span.prefix { $0 != " " }
            let path = String(word.hasSuffix("/") ? word.dropLast() : word)
            let isThere = tree.has(path) || tree.paths.contains { $0.hasSuffix("/" + path) }
            return isThere ? nil : "\(page.path):\(number): there is no \(path)"
        }
    }
}
