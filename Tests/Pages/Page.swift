import Foundation

/// A page of the documentation as the tests read it: its code blocks, code spans, headings, links and tables.
struct Page {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// The pages for those who use the program, its API or its sources.
    static let all = [
        "README.md", "deploy/MANUAL.md", "deploy/TROUBLESHOOTING.md", "deploy/RULES.md",
        "deploy/TARGETS.md", "deploy/PUSH.md", "deploy/HOME-ASSISTANT.md", "deploy/CONVERSATIONS.md",
        "Sources/README.md", "Sources/RECIPES.md", "Sources/RestAPI/README.md", "Sources/RestAPI/ThreatModel.md",
        "Sources/mesh-gateway/README.md", "Sources/Store/Archive.md", "Tests/README.md",
    ]

    let path: String
    var lines: [String]

    init(_ path: String) throws {
        self.init(path: path, text: try String(contentsOf: Self.root.appending(path: path), encoding: .utf8))
    }

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// A fenced block of code.
    struct Block {
        let language: String
        /// What stands between the fences, by its lines' places.
        var body: Range<Int>
        /// The comment in the line before the block, without its brackets; nil without one.
        let comment: String?
    }

    var blocks: [Block] {
        var blocks: [Block] = []
        var opening: Int?
        for (place, line) in lines.enumerated() where line.hasPrefix("```") {
            guard let start = opening else {
                opening = place
                continue
            }
            let before = start > 0 ? lines[start - 1] : ""
            let comment = before.hasPrefix("<!-- ") && before.hasSuffix(" -->") ? before.dropFirst(5).dropLast(4) : nil
            blocks.append(
                Block(
                    language: String(lines[start].dropFirst(3)), body: start + 1..<place,
                    comment: comment.map(String.init)))
            opening = nil
        }
        return blocks
    }

    /// The lines outside of code blocks, with their numbers from 1.
    var prose: [(number: Int, text: String)] {
        let code = blocks.map { $0.body.lowerBound - 1...$0.body.upperBound }
        return lines.enumerated().filter { place, _ in !code.contains { $0.contains(place) } }.map { ($0 + 1, $1) }
    }

    /// What stands between backquotes.
    var spans: [(number: Int, text: String)] {
        prose.flatMap { number, text in text.matches(of: /`([^`]+)`/).map { (number, String($0.1)) } }
    }

    /// What links lead to.
    var links: [(number: Int, target: String)] {
        prose.flatMap { number, text in text.matches(of: /\]\(([^)\s]+)\)/).map { (number, String($0.1)) } }
    }

    /// The names that links give the headings: lower case, blanks as hyphens, other marks left out.
    var anchors: Set<String> {
        Set(
            prose.filter { $0.text.hasPrefix("#") }.map { line in
                let title = line.text.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
                return String(
                    title.compactMap {
                        $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : nil
                    })
            })
    }

    /// The rows of all tables below a heading up to the next one, as cells, without heads and rulers.
    func rows(below heading: String) -> [[String]] {
        let below = prose.drop { !($0.text.hasPrefix("#") && $0.text.hasSuffix(" \(heading)")) }.dropFirst()
        let section = below.prefix { !$0.text.hasPrefix("#") }.map(\.text)
        return section.indices.compactMap { place in
            let isHead = place + 1 < section.count && section[place + 1].hasPrefix("|--")
            return isHead || section[place].hasPrefix("|--") ? nil : Self.cells(of: section[place])
        }
    }

    /// Of a row of a table; nil for anything else.
    static func cells(of line: String) -> [String]? {
        guard line.hasPrefix("|") else { return nil }
        return line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
