/// Names with their values, one below the other; long values go on below themselves. Values are neutralised with
/// `printable`.
public struct Fields: Sendable {
    private var rows: [(name: String, value: String)] = []

    public init() {}

    /// Adds a value; without a name it belongs to the one above. Nil adds nothing.
    public mutating func add(_ name: String, _ value: String?) {
        if let value { rows.append((name, printable(value))) }
    }

    public var isEmpty: Bool { rows.isEmpty }

    /// - Parameters:
    ///   - width: of the screen, in cells; nil: as long as they are.
    ///   - style: of the names.
    public func text(width: Int? = nil, style: Style = .plain) -> String {
        let indent = (rows.map { displayWidth($0.name) }.max() ?? 0) + 2
        // A narrow screen has no room for two columns.
        let isStacked = width.map { $0 < indent + 16 } ?? false
        var text = ""
        for row in rows {
            let lines = wrapped(row.value, to: width.map { isStacked ? max(1, $0 - 2) : $0 - indent })
            if isStacked {
                if !row.name.isEmpty { text += style.applied(to: cut(row.name, to: width)) + "\n" }
                for line in lines { text += "  \(line)\n" }
            } else {
                for (number, line) in lines.enumerated() {
                    let name = number == 0 ? row.name : ""
                    let gap = String(repeating: " ", count: indent - displayWidth(name))
                    text += (name.isEmpty ? "" : style.applied(to: name)) + gap + line + "\n"
                }
            }
        }
        return text
    }
}
