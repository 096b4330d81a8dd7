import Testing

/// A compiler's message, a search and an editor's list of files show a name without its room: it has to be enough.
@Suite struct NoFileNameIsThereTwice {
    @Test func inTheseSources() throws {
        let found = fileNamesThereTwice(try SourceTree.ofThisRepository())
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    @Test func oneIsFound() {
        func found(_ paths: String...) -> [String] { fileNamesThereTwice(SourceTree(paths: paths, texts: [:])) }
        #expect(
            found("Sources/A/Clock.swift", "Sources/B/Clock.swift") == ["Sources/A/Clock.swift, Sources/B/Clock.swift"])
        #expect(
            found("Sources/A/Clock.swift", "Sources/A/C/Clock.swift") == [
                "Sources/A/C/Clock.swift, Sources/A/Clock.swift"
            ])
        #expect(found("Sources/A/Clock.swift", "Sources/B/HostClock.swift", "Tests/B/Clock.swift") == [])
        #expect(found("Sources/A/README.md", "Sources/B/README.md") == [])
    }
}

func fileNamesThereTwice(_ tree: SourceTree) -> [String] {
    let files = tree.paths.filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
    return Dictionary(grouping: Set(files)) { $0.split(separator: "/").last ?? "" }.values
        .filter { $0.count > 1 }.map { $0.sorted().joined(separator: ", ") }.sorted()
}
