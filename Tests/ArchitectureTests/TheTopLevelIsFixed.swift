import Testing

/// A visitor finds seven entries at the top, and hidden files; a new one needs a reason and a line here.
@Suite struct TheTopLevelIsFixed {
    @Test func thisOneIs() throws {
        let tree = try SourceTree.ofThisRepository()
        #expect(strangersAtTheTop(tree) == [])
    }

    @Test func aStrangerIsFound() {
        let tree = SourceTree(
            paths: ["README.md", "Sources/A/A.swift", ".ci/run", "docs/a.md", "NOTES.md"], texts: [:])
        #expect(strangersAtTheTop(tree) == ["NOTES.md", "docs"])
    }
}

func strangersAtTheTop(_ tree: SourceTree) -> [String] {
    let known: Set = ["Package.swift", "Sources", "Tests", "Proto", "udev", "deploy", "README.md"]
    let entries = Set(tree.paths.map { String($0.prefix { $0 != "/" }) })
    return entries.subtracting(known).filter { !$0.hasPrefix(".") }.sorted()
}
