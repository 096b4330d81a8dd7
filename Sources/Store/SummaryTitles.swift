import MeshModel

// The last titles that a summary replaces. They are the body of its row, one a line: the message that it is about, a tab, and
// what people read. A message that a person deletes is gone from there, too.

extension Dispatch {
    /// How many titles a summary has at most.
    public static let titlesOfSummary = 5

    /// The last titles that a summary replaces, oldest first, or its own.
    public var titles: [String] {
        lines.map { line in line.firstIndex(of: "\t").map { String(line[line.index(after: $0)...]) } ?? line }
    }

    private var lines: [String] {
        isSummary ? row.body.split(separator: "\n").map(String.init) : ["\(row.messageID ?? "")\t\(row.titleInSummary)"]
    }

    /// The body of a summary of all these.
    static func linesOfSummary(of all: [Dispatch]) -> String {
        all.flatMap(\.lines).suffix(titlesOfSummary).joined(separator: "\n")
    }
}

extension FeedRow {
    /// Bytes of a line.
    private static let longestLine = 200
    private static let typesOfText: Set = ["direct-message", "message", "mention", "detection"]

    /// One line, with the text of a message if the target may have it.
    fileprivate var titleInSummary: String {
        let hasText = Self.typesOfText.contains(type) && !body.isEmpty && body != title
        let said = hasText ? "\(title): \(body)" : title
        var (line, count) = ("", 0)
        for character in said {
            count += character.utf8.count
            guard count <= Self.longestLine else { return line + "…" }
            line.append(character.isNewline || character == "\t" ? " " : character)
        }
        return line
    }
}

extension Writer {
    /// Takes deleted messages out of the titles of summaries.
    ///
    /// - Parameter beginning: of their lines.
    func forgetInSummaries(_ beginning: String) throws {
        let summaries = try connection.prepare(
            "SELECT id, body FROM dispatches WHERE counts IS NOT NULL AND body <> ''"
        )
        .rows { (id: $0.integer(), body: $0.text()) }
        for summary in summaries {
            let lines = summary.body.split(separator: "\n")
            let kept = lines.filter { !$0.hasPrefix(beginning) }
            guard kept.count < lines.count else { continue }
            try connection.prepare("UPDATE dispatches SET body = ? WHERE id = ?")
                .bind(kept.joined(separator: "\n")).bind(summary.id).run()
        }
    }
}
