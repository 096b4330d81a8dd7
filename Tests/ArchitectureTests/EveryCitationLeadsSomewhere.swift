import Testing

@testable import Pages

/// A comment cites what it obeys as the name of a page and a number: a heading of that page. It names recordings whole.
/// A number in brackets that names no page is none that a reader can follow; a version says whose it is.
@Suite struct EveryCitationLeadsSomewhere {
    @Test func inThisRepository() throws {
        let tree = try SourceTree.ofThisRepository(withCodeIn: ["Tests/", "Proto/", "deploy/"])
        let comments = CommentWords.all(of: tree)
        let found = straying(tree, comments)
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
        #expect(comments.flatMap(citations).count > 150, "the comments are not read")
        #expect(comments.flatMap(namedRecordings).count > 60, "the recordings are not read")
    }

    /// Of a tree in which 1.2 is a heading of each page and is cited.
    @Test(arguments: [
        ("\(mark) As \(contract) 1.2 has it.", nil),
        ("\(mark) (\(contract) 1.2 and 1.2), (\(serial)\n\(mark) 1.2).", nil),
        ("\(mark) \(contract) 1.9.", "A.swift:1: there is no heading 1.9 in \(pages[contract]!)"),
        ("\(mark) \(serial) 1.2, 1.2 and 1.9", "A.swift:1: there is no heading 1.9 in \(pages[serial]!)"),
        (
            "\(mark)/ One that is broken (\(serial)\n    \(mark)/ 9): so",
            "A.swift:2: there is no heading 9 in \(pages[serial]!)"
        ),
        ("let a = 1  \(mark) One (1.2).", "A.swift:1: (1.2) does not say which page it is of"),
        ("\(mark) One (1.2, and more)", "A.swift:1: (1.2) does not say which page it is of"),
        ("\(mark) (1.2 to 1.3)", "A.swift:1: (1.2) does not say which page it is of"),
        ("\(mark) One (see 1.2)", "A.swift:1: (1.2) does not say which page it is of"),
        ("\(mark) (firmware 2.8), (2.8.1), (2.7 did), 1.5, (1) (0.5 s)", nil), ("let a = f(1.2)", nil),
        ("\(mark) In \(contract.lowercased()) 1.2", "A.swift:1: \(contract.lowercased()) 1.2 is no citation's form"),
        ("\(mark) The serial\n\(mark) reference 1.2", "A.swift:2: reference 1.2 is no citation's form"),
        ("\(mark) As recording 01-there shows, and recordings 01-there and 02-too.", nil),
        ("\(mark) As recording 99-gone shows.", "A.swift:1: there is no recording 99-gone"),
        ("\(mark) (recordings\n\(mark) 01-there, 99)", "A.swift:2: there is no recording 99"),
        ("\(mark) See 99-gone-for-good.", "A.swift:1: there is no recording 99-gone-for-good"),
        ("\(mark) A 32-bit number, /etc/70-a-b.rules", nil),
    ])
    func oneThatDoesNotIsFound(code: String, finding: String?) {
        let found = findings(["Sources/A.swift": code])
        #expect(found == (finding.map { ["Sources/\($0)"] } ?? []))
    }

    @Test func aHeadingThatNobodyCitesIsFound() {
        let page = Self.page(contract)
        let text = "# A\n\n## Of all\n\n### 1.2 One\n\(contract) 1.3, as `01-there`.\n\n### 1.3 Two\n"
        #expect(findings([page: text]) == ["\(page): nobody cites 1.3"])
    }

    @Test func alsoOtherFilesAreRead() {
        for (path, code) in [
            ("Tests/a.py", "\"\"\"Of \(contract)\n1.9\n\"\"\"\n"), ("Tests/b/run", "#!/bin/sh\n# \(contract) 1.9\n"),
            ("Proto/a.proto", "\n\(mark) \(contract) 1.9\n"), ("deploy/a.conf", "# \(contract) 1.9\na = b\n"),
            ("Sources/A/a.c", "/* As\n * \(contract) 1.9. */\n"), ("deploy/A.md", "(\(contract) 1.9)\n"),
        ] {
            let found = findings([path: code])
            #expect(
                found.count == 1 && found[0].hasSuffix("there is no heading 1.9 in \(Self.page(contract))"), "\(path)")
        }
    }

    private static func page(_ name: String) -> String { pages[name] ?? "" }

    /// What is found in a tree with these files and the two pages, of which 1.2 is cited.
    private func findings(_ texts: [String: String]) -> [String] {
        var all = Dictionary(
            uniqueKeysWithValues: pages.values.map { ($0, "# A\n\n### 1.2 One\nBasis: `01-there`.\n") })
        all["Sources/Cites.swift"] = "\(mark) \(contract) 1.2, \(serial) 1.2\n"
        all.merge(texts) { $1 }
        let recordings = ["Tests/Recordings/01-there.jsonl", "Tests/Recordings/02-too.capture"]
        let tree = SourceTree(paths: Array(all.keys) + recordings, texts: all)
        return straying(tree, CommentWords.all(of: tree))
    }
}

private let mark = "//"
private let contract = "Contract"
private let serial = "SerialReference"
private let pages = [contract: "Sources/RestAPI/Contract.md", serial: "Proto/SerialReference.md"]

/// What leads nowhere, is not cited, or cannot be followed, each with its place.
private func straying(_ tree: SourceTree, _ comments: [CommentWords]) -> [String] {
    let headings = pages.mapValues { path in
        Set((tree.texts[path] ?? "").split(separator: "\n").filter { $0.hasPrefix("#") }.compactMap(headingNumber))
    }
    let recordings = Set(
        tree.paths.filter { $0.hasPrefix("Tests/Recordings/") }
            .compactMap { $0.split(separator: "/").last?.split(separator: ".").first.map(String.init) })
    var cited = pages.mapValues { _ in Set<String>() }
    var found: [String] = []
    for comment in comments {
        for citation in citations(comment) {
            if headings[citation.page]?.contains(citation.number) != true {
                let page = pages[citation.page] ?? ""
                found.append("\(comment.path):\(citation.line): there is no heading \(citation.number) in \(page)")
            }
            // A page does not cite itself.
            if comment.path != pages[citation.page] { cited[citation.page]?.insert(citation.number) }
        }
        for (line, name) in namedRecordings(comment) where !recordings.contains(name) {
            found.append("\(comment.path):\(line): there is no recording \(name)")
        }
        if !comment.isPage { found += unfollowable(comment) }
    }
    for (name, path) in pages.sorted(by: { $0.key < $1.key }) {
        let idle = (headings[name] ?? []).subtracting(cited[name] ?? []).sorted()
        found += idle.map { "\(path): nobody cites \($0)" }
    }
    return found
}

/// `1.2` of `### 1.2 One`.
private func headingNumber(_ line: Substring) -> String? {
    guard let first = line.drop(while: { $0 == "#" }).split(separator: " ").first else { return nil }
    let (number, rest) = leadingNumber(first)
    return rest.isEmpty ? number : nil
}

/// A number of one or two parts, of at most two digits each, at the beginning of a word; and what follows. A full stop
/// that ends a sentence is none of it; `2.8.1` is no such number.
private func leadingNumber(_ word: Substring) -> (number: String?, rest: Substring) {
    let first = word.prefix { $0.isASCII && $0.isNumber }
    guard (1...2).contains(first.count) else { return (nil, word) }
    let rest = word[first.endIndex...]
    guard rest.first == "." else { return (String(first), rest) }
    let second = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
    guard (1...2).contains(second.count) else { return second.isEmpty ? (String(first), rest) : (nil, word) }
    let behind = rest[second.endIndex...]
    if behind.first == ".", behind.dropFirst().first?.isNumber == true { return (nil, word) }
    return ("\(first).\(second)", behind)
}

/// The name of a page, then its numbers: `1.2, 1.3 and 4`.
private func citations(_ comment: CommentWords) -> [Citation] {
    let words = comment.words
    return words.indices.flatMap { place -> [Citation] in
        // Most words end here.
        guard words[place].text.utf8.count > 7 else { return [] }
        let name = String(words[place].text.drop { !$0.isLetter })
        guard pages[name] != nil else { return [] }
        return numbers(behind: place, in: words).map { (name, $0.number, $0.line) }
    }
}

private typealias Citation = (page: String, number: String, line: Int)

private func numbers(behind place: Int, in words: [CommentWords.Word]) -> [(number: String, line: Int)] {
    var numbers: [(number: String, line: Int)] = []
    for word in words[(place + 1)...] {
        if word.text == "and", !numbers.isEmpty { continue }
        let (number, rest) = leadingNumber(word.text)
        guard let number else { break }
        numbers.append((number, word.line))
        guard rest.isEmpty || rest == "," else { break }
    }
    return numbers
}

/// Names behind `recording`, those in backquotes, and words that can be nothing else: `01-handshake-serial`.
private func namedRecordings(_ comment: CommentWords) -> [(line: Int, name: String)] {
    var names: [(line: Int, name: String)] = []
    var isList = false
    for (line, word) in comment.words {
        // Most words end here.
        guard isList || word.utf8.contains(where: { (0x30...0x39).contains($0) }) || word.utf8.count > 8 else {
            continue
        }
        let name = word.drop { !$0.isLetter && !$0.isNumber && $0 != "/" }.prefix {
            $0.isLetter || $0.isNumber || $0 == "-"
        }
        let digits = name.prefix { $0.isASCII && $0.isNumber }
        let tail = name.dropFirst(digits.count)
        let isNumbered = (2...3).contains(digits.count)
        let isName = isNumbered && tail.first == "-" && tail.dropFirst().first?.isLetter == true
        let isClear = isName && (word.hasPrefix("`") || tail.count { $0 == "-" } > 1)
        if isClear || isList && isNumbered && (isName || tail.isEmpty) { names.append((line, String(name))) }
        isList =
            ["recording", "recordings"].contains(name.lowercased()) || isList && (isNumbered || word == "and")
    }
    return names
}

/// Numbers in brackets without a page, and citations in another form than ours.
private func unfollowable(_ comment: CommentWords) -> [String] {
    let words = comment.words
    return words.indices.compactMap { place in
        let (line, word) = words[place]
        // Most words end here.
        guard "(crtCRT`".utf8.contains(word.utf8.first ?? 0) else { return nil }
        let next = place + 1 < words.count ? words[place + 1].text : ""
        let isSeen = word == "(see"
        let (number, rest) = leadingNumber(isSeen ? next : word.dropFirst())
        if word.first == "(", let number, number.contains(".") {
            let isAlone = ")],;".contains(rest.first ?? " ") || rest.isEmpty && ["and", "to", "or"].contains(next)
            if isAlone {
                return "\(comment.path):\(line): (\(number)) does not say which page it is of"
            }
        }
        let old = ["contract", "reference", "trap", "traps"].first { word.drop { !$0.isLetter } == $0 }
        guard let old, let cited = leadingNumber(next).number, old != "reference" || isSerial(words, place) else {
            return nil
        }
        return "\(comment.path):\(words[place].line): \(old) \(cited) is no citation's form"
    }
}

private func isSerial(_ words: [CommentWords.Word], _ place: Int) -> Bool {
    place > 0 && words[place - 1].text.lowercased().hasSuffix("serial")
}
