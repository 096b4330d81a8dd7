import Testing

/// What a radio's owners hold is behind a lock each, and named in the owner's file alone: others ask the owner.
@Suite struct AnOwnersStateIsNamedInItsFile {
    /// Who may name another file's lock, by the lock. This list only gets shorter.
    private static let stillNamed = ["attached": ["Sources/Gateway/Radio/Adoption.swift"]]

    @Test func nobodyElseNamesIt() throws {
        let tree = try SourceTree.ofThisRepository()
        let found = foreignStates(tree)
        let allowed = Self.stillNamed.values.flatMap(\.self)
        #expect(found.filter { line in !allowed.contains(where: line.hasPrefix) } == [])
        for path in allowed { #expect(found.contains { $0.hasPrefix(path) }, "\(path) names none any more") }
    }

    @Test func whatIsNamedElsewhereIsFound() {
        let owner = """
            final class Owner {
                private let state = OwnerLock(State())
                var count: Int { state.withLock { $0.count } }
            }
            """
        let tree = SourceTree(
            paths: ["Sources/Gateway/Owner.swift", "Sources/Gateway/Other.swift"],
            texts: [
                "Sources/Gateway/Owner.swift": owner,
                "Sources/Gateway/Other.swift": "let a = owner.state.withLock { $0.count }\n// state.withLock { }",
            ])
        #expect(foreignStates(tree) == ["Sources/Gateway/Other.swift:1: state"])
    }

    @Test func aSecondLockOfTheRadioIsFound() {
        let radio = """
            final class AttachedRadio {
                let attached: OwnerLock<Attachment>
                let state = Mutex(State())
            }
            """
        let path = "Sources/Gateway/Radio/AttachedRadio.swift"
        #expect(openStates(SourceTree(paths: [path], texts: [path: radio])) == ["\(path):3"])
    }

    @Test func noStateIsOpenToTheRoom() throws {
        #expect(openStates(try SourceTree.ofThisRepository()) == [])
    }
}

/// Uses of a lock that the file does not declare.
private func foreignStates(_ tree: SourceTree) -> [String] {
    tree.files(of: "Gateway", endings: [".swift"]).flatMap { path, text in
        text.codeLines.flatMap { line in
            ["state", "attached", "tally"].compactMap { name in
                guard line.text.contains("\(name).withLock"), !declares(name, text) else { return nil }
                return "\(path):\(line.number): \(name)"
            }
        }
    }
}

/// Whether there is a lock of this name.
private func declares(_ name: String, _ text: String) -> Bool {
    ["Mutex", "OwnerLock", "Monitor"].contains { lock in
        text.contains("let \(name) = \(lock)") || text.contains("let \(name): \(lock)")
    }
}

/// Values behind a lock that are called state and that the compiler does not keep in their file.
private func openStates(_ tree: SourceTree) -> [String] {
    tree.files(of: "Gateway", endings: [".swift"]).flatMap { path, text in
        text.codeLines.compactMap { line in
            declares("state", line.text) && !line.text.contains("private let") ? "\(path):\(line.number)" : nil
        }
    }
}
