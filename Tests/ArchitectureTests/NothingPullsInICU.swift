import Testing

/// ICU's tables are 40 MB in a static binary and 10 MB of memory: nothing under Sources may name what needs them.
@Suite struct NothingPullsInICU {
    @Test func theseSourcesDoNot() throws {
        let tree = try SourceTree.ofThisRepository()
        #expect(icuPullers(tree) == [])
    }

    @Test(arguments: [
        "let f = DateFormatter()", #"let s = String(format: "%d", 1)"#, "var r: NSRegularExpression?",
        "x.formatted(locale: Locale.current)", "import FoundationInternationalization", #"String( format: "x")"#,
    ])
    func oneIsFound(line: String) {
        let found = icuPullers(SourceTree(paths: ["Sources/A/A.swift"], texts: ["Sources/A/A.swift": line]))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("Sources/A/A.swift:1: ") == true)
    }

    @Test(arguments: [
        "setlocale(LC_ALL, \"\")", "// no Locale here", "let formatLocaleless = 1", "String(describing: 1)",
    ])
    func aHarmlessLineIsNot(line: String) {
        #expect(icuPullers(SourceTree(paths: ["Sources/A/A.swift"], texts: ["Sources/A/A.swift": line])) == [])
    }
}

private let forbiddenNames: Set<Substring> = [
    "DateFormatter", "ISO8601DateFormatter", "NumberFormatter", "ByteCountFormatter", "NSRegularExpression", "Locale",
    "NSLocale", "Calendar", "FoundationInternationalization",
]

func icuPullers(_ tree: SourceTree) -> [String] {
    tree.rooms.flatMap { tree.files(of: $0, endings: [".swift"]) }.flatMap { path, text in
        text.codeLines.compactMap { line in
            let words = line.text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            if let name = words.first(where: forbiddenNames.contains) {
                return "\(path):\(line.number): \(name) pulls in ICU"
            }
            let dense = line.text.filter { !$0.isWhitespace }
            return dense.contains("String(format:") ? "\(path):\(line.number): String(format:) pulls in ICU" : nil
        }
    }
}
