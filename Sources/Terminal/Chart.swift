import Search

/// One quantity over time, drawn in characters.
///
/// Braille patterns give eight dots a cell; where the locale has no UTF-8, asterisks stand for whole cells. Points that
/// are near in time are joined by a line; a time from which there is none stays empty.
public struct Chart: Sendable {
    public struct Point: Sendable {
        /// Milliseconds since 1970.
        public var time: Int64
        public var value: Double

        public init(time: Int64, value: Double) { (self.time, self.value) = (time, value) }
    }

    private let points: [Point]
    private let start: Int64
    private let end: Int64

    /// - Parameters:
    ///   - points: in the order of time; what is not finite, or outside the time shown, is left out.
    ///   - start: milliseconds since 1970 at the left edge, before `end`.
    public init(_ points: [Point], from start: Int64, to end: Int64) {
        precondition(start < end, "a chart spans some time")
        self.points = points.filter { $0.value.isFinite && (start...end).contains($0.time) }
        (self.start, self.end) = (start, end)
    }

    /// The lines of the chart: the values' axis at its left, the times' one below it. None without points.
    ///
    /// - Parameters:
    ///   - width: cells of a line, 10 at least.
    ///   - height: lines of the drawing, 2 at least.
    ///   - value: how a value is written.
    ///   - time: how a time is written.
    public func lines(
        width: Int, height: Int = 8, isUnicode: Bool, value: (Double) -> String, time: (Int64) -> String
    ) -> [String] {
        guard let low = points.map(\.value).min(), let high = points.map(\.value).max() else { return [] }
        let (top, bottom) = (value(high), value(low))
        let labels = max(displayWidth(top), displayWidth(bottom))
        let cells = max(4, max(10, width) - labels - 2)
        var canvas = Canvas(columns: cells, rows: max(2, height), isUnicode: isUnicode)
        draw(on: &canvas, low, high)
        let edge = isUnicode ? ("┤", "│", "└", "─") : ("+", "|", "+", "-")
        var lines = canvas.lines.enumerated().map { row, line in
            let isMiddle = low == high && row == (canvas.rows - 1) / 2
            let label = isMiddle || low < high && row == 0 ? top : low < high && row == canvas.rows - 1 ? bottom : ""
            let padding = String(repeating: " ", count: labels - displayWidth(label))
            return trimmed("\(padding)\(label) \(label.isEmpty ? edge.1 : edge.0)\(line)")
        }
        let margin = String(repeating: " ", count: labels + 1)
        lines.append(margin + edge.2 + String(repeating: edge.3, count: cells))
        lines.append(margin + axis(time(start), time(end), cells + 1))
        return lines
    }

    /// Both ends of the time; on a narrow screen only the last one.
    private func axis(_ first: String, _ last: String, _ width: Int) -> String {
        let gap = width - displayWidth(first) - displayWidth(last)
        guard gap < 2 else { return first + String(repeating: " ", count: gap) + last }
        return String(repeating: " ", count: max(0, width - displayWidth(last))) + last
    }

    // MARK: drawing

    private func draw(on canvas: inout Canvas, _ low: Double, _ high: Double) {
        let span = high - low
        func x(_ time: Int64) -> Int { Int(Double(time - start) / Double(end - start) * Double(canvas.width - 1)) }
        func y(_ value: Double) -> Int {
            // A constant runs through the middle.
            let share = span > 0 && span.isFinite ? (value - low) / span : 0.5
            return Int(((1 - share) * Double(canvas.height - 1)).rounded())
        }
        let gap = longestJoin
        var previous: Point?
        for point in points {
            if let previous, point.time - previous.time <= gap {
                canvas.line(x(previous.time), y(previous.value), x(point.time), y(point.value))
            } else {
                canvas.dot(x(point.time), y(point.value))
            }
            previous = point
        }
    }

    /// Milliseconds: three times what usually lies between two points.
    private var longestJoin: Int64 {
        let steps = zip(points, points.dropFirst()).map { $1.time - $0.time }.sorted()
        return steps.isEmpty ? 0 : steps[steps.count / 2] * 3
    }

    private func trimmed(_ line: String) -> String {
        var line = line[...]
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}

/// Dots in cells.
private struct Canvas {
    let rows: Int
    /// In dots.
    let width: Int
    let height: Int
    private let columns: Int
    private let isUnicode: Bool
    private var cells: [UInt32]

    init(columns: Int, rows: Int, isUnicode: Bool) {
        (self.columns, self.rows, self.isUnicode) = (columns, rows, isUnicode)
        (width, height) = isUnicode ? (2 * columns, 4 * rows) : (columns, rows)
        cells = [UInt32](repeating: 0, count: columns * rows)
    }

    /// The bits of U+2800 and the following, by row and column of the dot in its cell.
    private static let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    mutating func dot(_ x: Int, _ y: Int) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        if isUnicode {
            cells[y / 4 * columns + x / 2] |= Self.bits[y % 4][x % 2]
        } else {
            cells[y * columns + x] = 1
        }
    }

    /// Bresenham's: every dot between two, ends included.
    mutating func line(_ x0: Int, _ y0: Int, _ x1: Int, _ y1: Int) {
        let (dx, dy) = (abs(x1 - x0), -abs(y1 - y0))
        let (stepX, stepY) = (x0 < x1 ? 1 : -1, y0 < y1 ? 1 : -1)
        var (x, y, error) = (x0, y0, dx + dy)
        while true {
            dot(x, y)
            if x == x1, y == y1 { return }
            let twice = 2 * error
            if twice >= dy {
                error += dy
                x += stepX
            }
            if twice <= dx {
                error += dx
                y += stepY
            }
        }
    }

    var lines: [String] {
        (0..<rows).map { row in
            var line = String.UnicodeScalarView()
            for cell in cells[row * columns..<(row + 1) * columns] {
                let mark: UInt32 = isUnicode ? 0x2800 + cell : 0x2A
                line.append(cell == 0 ? " " : Unicode.Scalar(mark) ?? "*")
            }
            return String(line)
        }
    }
}

/// Whether the locale of the environment has UTF-8 (setlocale(3): LC_ALL before LC_CTYPE before LANG).
public func isUTF8(environment: [String: String]) -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let letters = name.lowercased().filter { $0 != "-" }
    return letters.contains("utf8")
}
