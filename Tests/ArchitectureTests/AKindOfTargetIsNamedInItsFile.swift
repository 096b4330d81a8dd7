import Testing

/// What a kind of target is called stands in its file alone: others ask the kinds.
@Suite struct AKindOfTargetIsNamedInItsFile {
    @Test func nobodyElseNamesOne() throws {
        let tree = try SourceTree.ofThisRepository()
        #expect(kindsOfTargets(in: tree).count >= 4, "the kinds are not found")
        #expect(namedElsewhere(tree) == [])
    }

    @Test func oneThatIsNamedIsFound() {
        let kind = #"    static let word = "pigeon""#
        let tree = SourceTree(
            paths: ["Sources/Notifications/Targets/Kinds/Pigeon.swift", "Sources/A/B.swift"],
            texts: [
                "Sources/Notifications/Targets/Kinds/Pigeon.swift": kind,
                "Sources/A/B.swift": "let a = \"a pigeon\"\n// \"pigeon\" is one\nif kind == \"pigeon\" {}",
            ])
        #expect(namedElsewhere(tree) == ["Sources/A/B.swift:3: \"pigeon\""])
    }
}

private func kindsOfTargets(in tree: SourceTree) -> [String: String] {
    var kinds: [String: String] = [:]
    for (path, text) in tree.texts where path.hasPrefix("Sources/Notifications/Targets/Kinds/") {
        if let word = text.firstMatch(of: /static let word = ("[a-z]+")/) { kinds[String(word.1)] = path }
    }
    return kinds
}

private func namedElsewhere(_ tree: SourceTree) -> [String] {
    let kinds = kindsOfTargets(in: tree)
    return tree.rooms.flatMap { tree.files(of: $0, endings: [".swift"]) }.flatMap { path, text in
        text.codeLines.flatMap { line in
            kinds.filter { $0.value != path && line.text.contains($0.key) }.keys.sorted().map {
                "\(path):\(line.number): \($0)"
            }
        }
    }
}
