import Foundation

/// A page of the documentation as the tests read it: its code blocks, code spans, headings, links and tables.
struct Page {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let all = [
        "README.md", "Sources/RestAPI/README.md", "Sources/RestAPI/ThreatModel.md", "Sources/mesh-gateway/README.md",
        "Sources/Store/Archive.md",
    ]

    let path: String
    var lines: [String]

    init(_ path: String) throws {
        self.path = path
        lines = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
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
        let section = Array(below.prefix { !$0.text.hasPrefix("#") })
        return section.indices.compactMap { place in
            let text = section[place].text
            let isHead = place + 1 < section.count && section[place + 1].text.hasPrefix("|--")
            guard text.hasPrefix("|"), !text.hasPrefix("|--"), !isHead else { return nil }
            return text.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
