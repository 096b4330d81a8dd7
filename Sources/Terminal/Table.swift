/// Rows in aligned columns, two blanks apart. Every cell is neutralised with `printable`.
public struct Table: Sendable {
    public struct Column: Sendable {
        public var title: String
        public var alignment: Alignment
        /// Cells that are wider end in "…"; nil for no limit.
        public var widest: Int?
        /// On a screen that is too narrow the columns with the highest number go first; those with 0 stay.
        public var expendability: Int

        public enum Alignment: Sendable { case left, right }

        public init(_ title: String, _ alignment: Alignment = .left, widest: Int? = nil, expendability: Int = 0) {
            precondition(widest.map { $0 > 0 } ?? true, "a column has at least one cell")
            self.title = title
            self.alignment = alignment
            self.widest = widest
            self.expendability = expendability
        }
    }

    public let columns: [Column]
    private var rows: [[String]] = []

    public init(_ columns: [Column]) { self.columns = columns }

    /// Adds a row; it has a cell for each column.
    public mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(zip(cells, columns).map { cut(printable($0), to: $1.widest) })
    }

    public var isEmpty: Bool { rows.isEmpty }

    /// The title line and the rows, each with a line feed and without blanks at its end.
    ///
    /// - Parameters:
    ///   - style: of the title line.
    ///   - screen: cells of a line. What is wider loses columns, then the ends of its widest cells, and at last
    ///     stands as one block a row. Nil: as wide as it is.
    public func text(style title: Style = .plain, screen: Int? = nil) -> String {
        var shown = Array(columns.indices)
        guard let screen else { return lines(shown, widths: shown.map(width), title) }
        while total(shown.map(width)) > screen, let most = shown.map({ columns[$0].expendability }).max(), most > 0 {
            shown.removeAll { columns[$0].expendability == most }
        }
        var widths = shown.map(width)
        while total(widths) > screen, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            columns[shown[widest]].alignment == .left, widths[widest] > Self.narrowest
        {
            widths[widest] -= 1
        }
        return total(widths) <= screen ? lines(shown, widths: widths, title) : blocks(screen, title)
    }

    /// Less of a text says nothing.
    private static let narrowest = 8

    private func width(_ column: Int) -> Int {
        rows.reduce(displayWidth(columns[column].title)) { max($0, displayWidth($1[column])) }
    }

    private func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + 2 * max(0, widths.count - 1) }

    private func lines(_ shown: [Int], widths: [Int], _ title: Style) -> String {
        var text = title.applied(to: line(columns.map(\.title), shown, widths)) + "\n"
        for row in rows { text += line(row, shown, widths) + "\n" }
        return text
    }

    private func line(_ cells: [String], _ shown: [Int], _ widths: [Int]) -> String {
        var line = ""
        var owed = 0
        for (column, width) in zip(shown, widths) {
            let cell = cut(cells[column], to: width)
            let padding = width - displayWidth(cell)
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

    /// One row as a block, for a screen on which no line of it fits: the first cell, and the others with their titles
    /// below it.
    private func blocks(_ screen: Int, _ title: Style) -> String {
        var text = ""
        for row in rows {
            for (number, (column, cell)) in zip(columns, row).enumerated() where !cell.isEmpty {
                if number == 0 {
                    text += title.applied(to: cut(cell, to: screen)) + "\n"
                } else if cell != "-", column.expendability < 2 {
                    for line in wrapped("\(column.title) \(cell)", to: max(1, screen - 2)) { text += "  \(line)\n" }
                }
            }
        }
        return text
    }
}
