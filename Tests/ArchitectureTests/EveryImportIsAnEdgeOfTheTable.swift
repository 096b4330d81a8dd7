import Testing

/// Every `import` and every `#include` of a C library under Sources is an edge that the table of rooms has, which stands
/// in Sources/README.md.
@Suite struct EveryImportIsAnEdgeOfTheTable {
    @Test func theseSourcesHaveNoStrayImport() throws {
        let tree = try SourceTree.ofThisRepository()
        let found = try strayImports(tree)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
        #expect(tree.rooms.count > 10, "the walk over Sources sees too little to prove anything")
    }

    @Test(arguments: [
        // Not in the table, in every spelling.
        ("import Upper", "imports Upper"),
        ("@testable import Upper", "imports Upper"),
        ("public import struct Upper.Thing", "imports Upper"),
        ("@_spi(Inner) internal import Upper", "imports Upper"),
        ("    import Upper", "imports Upper"),
        ("let a = 1; import Upper", "imports Upper"),
        // The frameworks that cost threads or megabytes.
        ("import Foundation", "imports Foundation"),
        ("import FoundationEssentials", "imports FoundationEssentials"),
        ("import Dispatch", "imports Dispatch"),
    ])
    func aStrayImportIsFound(line: String, finding: String) throws {
        let found = try strayImports(Self.tree(lower: "import Glibc\n\(line)\n"))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("Sources/Lower/A.swift:2: Lower \(finding)") == true)
    }

    @Test(arguments: [
        "import Synchronization", "// import Upper", "let important = 1",
        "#if canImport(Musl)", "import Base",
    ])
    func anAllowedLineIsNot(line: String) throws {
        #expect(try strayImports(Self.tree(lower: line)) == [])
    }

    @Test func aRoomWithoutARowIsFound() throws {
        var tree = Self.tree(lower: "")
        tree.paths.append("Sources/Attic/A.swift")
        #expect(try strayImports(tree) == ["Sources/Attic: the table of rooms has no row for it"])
    }

    @Test func aRowWithoutARoomIsFound() throws {
        var tree = Self.tree(lower: "")
        tree.paths.removeAll { $0.hasPrefix("Sources/Upper/") }
        #expect(try strayImports(tree) == ["the table of rooms has Upper, which is not under Sources"])
    }

    @Test func aHeaderOfAForbiddenLibraryIsFound() throws {
        let found = try strayImports(Self.tree(lower: "", shim: "#include <stdio.h>\n#include <other/lib.h>\n"))
        #expect(
            found == [
                "Sources/CShim/a.c:2: CShim includes <other/lib.h> of COther, which the table of rooms does not allow"
            ])
    }

    /// Upper may import Lower, Lower may import Base; CShim may include CLib's header, but not COther's.
    static func tree(lower: String, shim: String = "#include <lib.h>") -> SourceTree {
        let texts = [
            "Sources/README.md": """
            ## The rooms
            | room | what | may import |
            |---|---|---|
            | `CLib` `COther` | libraries | nothing |
            | `CShim` | C | CLib |
            | `Base` | values | nothing |
            | `Lower` | a | Base |
            | `Upper` | b | Lower |
            """,
            "Sources/CLib/umbrella.h": "#include <lib.h>\n",
            "Sources/COther/umbrella.h": "#include <other/lib.h>\n",
            "Sources/CShim/a.c": shim,
            "Sources/Base/A.swift": "",
            "Sources/Lower/A.swift": lower,
            "Sources/Upper/A.swift": "import Lower\n",
        ]
        return SourceTree(paths: Array(texts.keys), texts: texts)
    }
}

/// What comes with the compiler or the C library and costs nothing.
let freeToImport: Set = ["Swift", "Synchronization", "Glibc", "Musl"]

/// One sentence for each edge that the table lacks, and for rooms and rows that do not meet.
func strayImports(_ tree: SourceTree) throws -> [String] {
    let table = try TableOfRooms(page: tree.texts["Sources/README.md"] ?? "")
    var found: [String] = []
    for room in tree.rooms where table.mayImport[room] == nil {
        found.append("Sources/\(room): the table of rooms has no row for it")
    }
    for room in table.mayImport.keys.sorted() where !tree.rooms.contains(room) {
        found.append("the table of rooms has \(room), which is not under Sources")
    }
    let libraryOfHeader = librariesByHeader(tree)
    for room in tree.rooms where table.mayImport[room] != nil {
        for (path, text) in tree.files(of: room, endings: [".swift"]) {
            for (line, module) in imports(in: text)
            where !freeToImport.contains(module) && !table.allows(room, toImport: module) {
                found.append("\(path):\(line): \(room) imports \(module), which the table of rooms does not allow")
            }
        }
        for (path, text) in tree.files(of: room, endings: [".c", ".h"]) where !path.hasSuffix("/umbrella.h") {
            for (line, header) in includes(in: text) {
                guard let library = libraryOfHeader[header], !table.allows(room, toImport: library) else { continue }
                found.append(
                    "\(path):\(line): \(room) includes <\(header)> of \(library), which the table of rooms does not "
                        + "allow"
                )
            }
        }
    }
    return found
}

/// The modules that a Swift file imports, in every form that the language has, with line numbers.
func imports(in text: String) -> [(line: Int, module: String)] {
    text.codeLines.flatMap { line in
        line.text.split(separator: ";").compactMap { statement in
            let words = statement.split(whereSeparator: \.isWhitespace)
            guard let keyword = words.firstIndex(of: "import"),
                words[..<keyword].allSatisfy({ $0.hasPrefix("@") || accessLevels.contains(String($0)) })
            else { return nil }
            let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "var", "let"]
            let name = words[(keyword + 1)...].drop { kinds.contains($0) }.first ?? ""
            return (line.number, String(name.prefix { $0 != "." }))
        }
    }
}

private let accessLevels: Set = ["public", "package", "internal", "fileprivate", "private"]

/// The headers in angle brackets that a C file includes, with line numbers.
private func includes(in text: String) -> [(line: Int, header: String)] {
    text.codeLines.compactMap { line in
        let parts = line.text.split(whereSeparator: { "<> \t".contains($0) })
        guard parts.count >= 2, parts[0] == "#include", line.text.contains("<") else { return nil }
        return (line.number, String(parts[1]))
    }
}

/// Which library each header belongs to, by what the module maps' umbrella headers include. Headers of the C library
/// among them belong to nobody.
private func librariesByHeader(_ tree: SourceTree) -> [String: String] {
    var libraries: [String: String] = [:]
    for room in tree.rooms {
        guard let umbrella = tree.texts["Sources/\(room)/umbrella.h"] else { continue }
        for (_, header) in includes(in: umbrella) where !header.hasPrefix("sys/") && !cStandardHeaders.contains(header)
        {
            libraries[header] = room
        }
    }
    return libraries
}

private let cStandardHeaders: Set = ["stdint.h", "stddef.h", "stdlib.h", "stdio.h", "string.h", "stdarg.h"]
