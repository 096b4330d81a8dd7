import Testing

/// A folder of files belongs to one room: no other room names the folder or the types that read it. The executable puts rooms
/// together.
@Suite struct NoRoomKnowsAnothersFiles {
    @Test func ofThisRepository() throws {
        let tree = try SourceTree.ofThisRepository()
        #expect(foldersOfFiles(in: tree).count == 3, "the folders are not found: \(foldersOfFiles(in: tree))")
        #expect(knownElsewhere(tree) == [])
    }

    @Test func oneThatIsKnownIsFound() {
        let own = """
            public typealias NestsFolder = SettingsFolder<NestFile>
            public struct NestFile: FolderFile {
                public static let kind = FolderKind(
                    folder: "nests.d", noun: "nest")
            """
        let others = """
            let a = "\\(folder)/nests.d"
            // A comment may name nests.d and NestFile.
            let b = NestFile("", name: "", path: ""), c = NestFiles()
            let d = NestsFolder(besideFile: file)
            let e = "in the folder nests.d"
            """
        let tree = SourceTree(
            paths: ["Sources/Birds/NestFile.swift", "Sources/Cats/Cat.swift", "Sources/mesh-gateway/A.swift"],
            texts: [
                "Sources/Birds/NestFile.swift": own, "Sources/Cats/Cat.swift": others,
                "Sources/mesh-gateway/A.swift": others,
            ])
        #expect(foldersOfFiles(in: tree) == ["Birds": ["nests.d", "NestFile", "NestsFolder"]])
        #expect(
            knownElsewhere(tree) == [
                "Sources/Cats/Cat.swift:1: nests.d", "Sources/Cats/Cat.swift:3: NestFile",
                "Sources/Cats/Cat.swift:4: NestsFolder", "Sources/Cats/Cat.swift:5: nests.d",
            ])
    }
}

/// The name of each room's folder, and of the types that read it.
private func foldersOfFiles(in tree: SourceTree) -> [String: [String]] {
    var found: [String: [String]] = [:]
    for room in tree.rooms where room != "Folders" {
        for (_, text) in tree.files(of: room, endings: [".swift"]) {
            guard let folder = text.firstMatch(of: /FolderKind\(\s*folder: "([a-z.]+)"/),
                let file = text.firstMatch(of: /struct ([A-Za-z]+): FolderFile/)
            else { continue }
            let type = String(file.1)
            found[room] = [String(folder.1), type, type.replacing(/File$/, with: "sFolder")]
        }
    }
    return found
}

private func knownElsewhere(_ tree: SourceTree) -> [String] {
    let folders = foldersOfFiles(in: tree)
    return tree.rooms.filter { $0 != "mesh-gateway" }.flatMap { room in
        let words = folders.filter { $0.key != room }.values.flatMap { $0 }
        return tree.files(of: room, endings: [".swift"]).flatMap { path, text in
            text.codeLines.flatMap { line in
                let named = Set(
                    line.text.split { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "/" }.map(String.init))
                // Those of udev are others.
                let own = named.filter { !$0.contains("udev/") }.flatMap { $0.split(separator: "/").map(String.init) }
                return words.filter { own.contains($0) }.sorted().map { "\(path):\(line.number): \($0)" }
            }
        }
    }
}
