import MeshModel

// The last titles that a summary replaces. They are the body of its row, one a line: the message that it is about, a tab, and
// what people read. A message that a person deletes is gone from there, too. For a registration a blank and the row's id stand
// before the tab, because what its token may see is asked again when the summary is sent.

extension Dispatch {
    /// How many titles a summary has at most.
    public static let titlesOfSummary = 5

    /// The last titles that a summary replaces, oldest first, or its own.
    public var titles: [String] {
        lines.map { line in line.firstIndex(of: "\t").map { String(line[line.index(after: $0)...]) } ?? line }
    }

    /// ``FeedRow/uuid`` of each of ``titles``; of a dispatch to a target that is no registration: none.
    public var titledRows: [String] {
        guard PushRegistration.id(ofTarget: target) != nil else { return [] }
        return lines.map { line in
            let head = line.prefix { $0 != "\t" }
            return head.firstIndex(of: " ").map { String(head[head.index(after: $0)...]) } ?? ""
        }
    }

    private var lines: [String] {
        guard !isSummary else { return row.body.split(separator: "\n").map(String.init) }
        let id = PushRegistration.id(ofTarget: target) == nil ? "" : " \(uuid)"
        return ["\(row.messageID ?? "")\(id)\t\(row.titleInSummary)"]
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
    /// - Parameter isGone: asked with the id of each title's message.
    func forgetInSummaries(_ isGone: (Substring) -> Bool) throws {
        let summaries = try connection.prepare(
            "SELECT id, body FROM dispatches WHERE counts IS NOT NULL AND body <> ''"
        )
        .rows { (id: $0.integer(), body: $0.text()) }
        for summary in summaries {
            let lines = summary.body.split(separator: "\n")
            let kept = lines.filter { line in !isGone(line.prefix { $0 != " " && $0 != "\t" }) }
            guard kept.count < lines.count else { continue }
            try connection.prepare("UPDATE dispatches SET body = ? WHERE id = ?")
                .bind(kept.joined(separator: "\n")).bind(summary.id).run()
        }
    }
}
