import Testing

/// C's `char` is Int8 on x86_64 and UInt8 on arm64: what converts one by its bits compiles on one of them only.
/// `truncatingIfNeeded` does it on both.
@Suite struct NothingAssumesASignedCChar {
    @Test func theseSourcesDoNot() throws {
        let tree = try SourceTree.ofThisRepository()
        #expect(assumptionsOfSign(tree) == [])
    }

    @Test(arguments: [
        "buffer.map { UInt8(bitPattern: $0) }", "let c = CChar(bitPattern: byte)", "name.map(UInt8.init(bitPattern:))",
        "var name = [Int8](repeating: 0, count: 64)", "if character < 0 as CChar {",
    ])
    func oneIsFound(line: String) {
        let found = assumptionsOfSign(SourceTree(paths: ["Sources/A/A.swift"], texts: ["Sources/A/A.swift": line]))
        #expect(found.count == 1)
    }

    @Test(arguments: [
        "UInt8(truncatingIfNeeded: $0)", "[CChar](repeating: 0, count: 64)", "Float(bitPattern: bits)",
        "UInt64(bitPattern: number)", "// Int8",
    ])
    func aHarmlessLineIsNot(line: String) {
        #expect(assumptionsOfSign(SourceTree(paths: ["Sources/A/A.swift"], texts: ["Sources/A/A.swift": line])) == [])
    }
}

func assumptionsOfSign(_ tree: SourceTree) -> [String] {
    tree.rooms.flatMap { tree.files(of: $0, endings: [".swift"]) }.flatMap { path, text in
        text.codeLines.compactMap { line in
            let words = line.text.split { !($0.isLetter || $0.isNumber) }
            let isByBits =
                words.contains("bitPattern") && (words.contains("UInt8") || words.contains("CChar"))
            let isAssumed = isByBits || words.contains("Int8") || line.text.contains("< 0 as CChar")
            return isAssumed ? "\(path):\(line.number): the sign of CChar differs between processors" : nil
        }
    }
}
