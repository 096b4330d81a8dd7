import Testing

/// Package.swift gives each room exactly the dependencies that the table of rooms (Sources/README.md) allows it.
@Suite struct TheManifestAndTheTableAgree {
    @Test func thisManifestAgrees() throws {
        let tree = try SourceTree.ofThisRepository()
        let found = try disagreements(tree)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
        let targets = manifestTargets(tree.texts["Package.swift"] ?? "")
        #expect(targets.count > 10, "the manifest is not read")
        #expect(targets.values.contains { $0.count > 2 }, "the manifest's dependencies are not read")
    }

    @Test(arguments: [
        (#"room("Upper", ["Lower"]), room("Lower")"#, []),
        (
            #"room("Upper", ["Lower", "Attic"]), room("Lower")"#,
            ["Package.swift: Upper depends on Attic, which the table of rooms does not allow"]
        ),
        (
            #"room("Upper"), room("Lower")"#,
            ["Package.swift: Upper does not depend on Lower, which the table of rooms gives it"]
        ),
        (#".target(name: "Upper", dependencies: ["Lower"]),"#, ["Package.swift has no target Lower"]),
        ("room(\"Upper\", [\n  \"Lower\", // room(\"Upper\")\n]), room(\"Lower\")", []),
    ])
    func aDisagreementIsFound(manifest: String, finding: [String]) throws {
        let readme = """
            # The rooms
            | room | what | may import |
            |---|---|---|
            | Lower | a | nothing |
            | Upper | b | Lower |
            """
        let tree = SourceTree(
            paths: ["Sources/Lower/A.swift", "Sources/Upper/A.swift"],
            texts: ["Sources/README.md": readme, "Package.swift": manifest])
        #expect(try disagreements(tree) == finding)
    }
}

/// One sentence for each dependency that only one of the two has.
func disagreements(_ tree: SourceTree) throws -> [String] {
    let table = try TableOfRooms(page: tree.texts["Sources/README.md"] ?? "")
    let targets = manifestTargets(tree.texts["Package.swift"] ?? "")
    var found: [String] = []
    for (room, allowed) in table.mayImport.sorted(by: { $0.key < $1.key }) {
        guard let dependencies = targets[room] else {
            found.append("Package.swift has no target \(room)")
            continue
        }
        for extra in dependencies.sorted() where !table.allows(room, toImport: extra) {
            found.append("Package.swift: \(room) depends on \(extra), which the table of rooms does not allow")
        }
        for absent in allowed.subtracting(dependencies).subtracting(["all"]).sorted() {
            found.append("Package.swift: \(room) does not depend on \(absent), which the table of rooms gives it")
        }
    }
    return found
}

/// The targets of a manifest with their dependencies: calls of `room`, `target`, `executableTarget` and
/// `systemLibrary`, whose first string is the name and whose first list, if any, names the dependencies.
func manifestTargets(_ manifest: String) -> [String: Set<String>] {
    let calls: Set = ["room", "target", "executableTarget", "systemLibrary"]
    let tokens = tokens(of: manifest.codeLines.map(\.text).joined(separator: "\n"))
    var targets: [String: Set<String>] = [:]
    for start in tokens.indices.dropLast(2) where calls.contains(tokens[start]) && tokens[start + 1] == "(" {
        var depth = 0
        var name: String?
        var dependencies: Set<String>?
        var isInList = false
        for token in tokens[(start + 1)...] {
            switch token {
            case "(": depth += 1
            case ")": depth -= 1
            case "[" where depth == 1 && dependencies == nil:
                isInList = true
                dependencies = []
            case "]": isInList = false
            default:
                if token.hasPrefix("\""), name == nil {
                    name = String(token.dropFirst())
                } else if isInList, depth == 1, token.hasPrefix("\"") {
                    dependencies?.insert(String(token.dropFirst()))
                }
            }
            if depth == 0 { break }
        }
        let isSystemLibrary = tokens[start] == "systemLibrary"
        if let name { targets[name] = isSystemLibrary ? [] : dependencies ?? [] }
    }
    return targets
}

/// Words, punctuation marks, and strings with their opening quotation mark alone.
private func tokens(of text: String) -> [String] {
    var tokens: [String] = []
    var rest = text[...]
    while let first = rest.first {
        if first == "\"" {
            let body = rest.dropFirst().prefix { $0 != "\"" }
            tokens.append("\"" + body)
            rest = rest[body.endIndex...].dropFirst()
        } else if first.isLetter || first == "_" {
            let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            tokens.append(String(word))
            rest = rest[word.endIndex...]
        } else {
            if !first.isWhitespace { tokens.append(String(first)) }
            rest = rest.dropFirst()
        }
    }
    return tokens
}
