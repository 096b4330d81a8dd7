/// Rows in aligned columns, two blanks apart. Every cell is neutralised with `printable`.
public struct Table: Sendable {
    public struct Column: Sendable {
        public var title: String
        public var alignment: Alignment
        /// Cells that are wider end in "…"; nil for no limit.
        public var widest: Int?

        public enum Alignment: Sendable { case left, right }

        public init(_ title: String, _ alignment: Alignment = .left, widest: Int? = nil) {
            precondition(widest.map { $0 > 0 } ?? true, "a column has at least one cell")
            self.title = title
            self.alignment = alignment
            self.widest = widest
        }
    }

    public let columns: [Column]
    private var rows: [[String]] = []

    public init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; it has a cell for each column.
    public mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(zip(cells, columns).map { Self.cut(printable($0), to: $1.widest) })
    }

    public var isEmpty: Bool { rows.isEmpty }

    /// The title line and the rows, each with a line feed and without blanks at its end.
    public func text(style title: Style = .plain) -> String {
        let titles = columns.map(\.title)
        let widths = columns.indices.map { column in
            rows.reduce(displayWidth(titles[column])) { max($0, displayWidth($1[column])) }
        }
        var text = title.applied(to: line(titles, widths)) + "\n"
        for row in rows { text += line(row, widths) + "\n" }
        return text
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        var owed = 0
        for (column, cell) in cells.enumerated() {
            let padding = widths[column] - displayWidth(cell)
            if columns[column].alignment == .right { owed += padding }
            // Blanks are paid only before something that is seen.
            if !cell.isEmpty {
                line += String(repeating: " ", count: owed) + cell
                owed = 0
            }
            if columns[column].alignment == .left { owed += padding }
            owed += 2
        }
        return line
    }

    private static func cut(_ text: String, to widest: Int?) -> String {
        guard let widest, displayWidth(text) > widest else { return text }
        var kept = ""
        var width = 1
        for character in text {
            width += displayWidth(character)
            if width > widest { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
