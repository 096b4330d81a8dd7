import Testing

/// A C library is imported by one room, which wraps it for all the others.
@Suite struct ACLibraryBelongsToOneRoom {
    /// libmicrohttpd's variadic functions need C beside the room that wraps them.
    static let exceptions: [String: Set<String>] = ["CMicroHTTPD": ["CShims", "HTTPServer"]]

    @Test func theseRoomsShareNone() throws {
        let tree = try SourceTree.ofThisRepository()
        #expect(sharedLibraries(tree, exceptions: Self.exceptions) == [])
    }

    @Test func aLibraryInTwoRoomsIsFound() {
        let texts = [
            "Sources/CLib/umbrella.h": "", "Sources/A/A.swift": "import CLib", "Sources/B/B.swift": "import CLib",
        ]
        let tree = SourceTree(paths: Array(texts.keys), texts: texts)
        #expect(sharedLibraries(tree, exceptions: [:]) == ["CLib is imported by A and B; one room should wrap it"])
        #expect(sharedLibraries(tree, exceptions: ["CLib": ["A", "B"]]) == [])
    }
}

func sharedLibraries(_ tree: SourceTree, exceptions: [String: Set<String>]) -> [String] {
    tree.rooms.filter { tree.texts["Sources/\($0)/umbrella.h"] != nil }.compactMap { library in
        let importers = tree.rooms.filter { room in
            tree.files(of: room, endings: [".swift"]).contains { file in
                imports(in: file.text).contains { $0.module == library }
            }
        }
        guard importers.count > 1, !Set(importers).isSubset(of: exceptions[library] ?? []) else { return nil }
        return "\(library) is imported by \(importers.joined(separator: " and ")); one room should wrap it"
    }
}
