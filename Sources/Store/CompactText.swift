import MeshModel

// Values that come in varying sets (metrics, the rarer fields of a position, the hops of a route) are one column of
// JSON each: a person with the sqlite3 shell can read it, and SQL can look into it.

/// A JSON object of numbers, `{"name":value,…}`, with names of letters, digits and underscores.
enum NumberObject {
    static func text(_ fields: [(name: String, value: Double)]) -> String {
        var text = "{"
        for (name, value) in fields where isName(name) && value.isFinite {
            if text.utf8.count > 1 { text += "," }
            text += "\"" + name + "\":" + number(value)
        }
        return text + "}"
    }

    static func fields(_ text: String) -> [(name: String, value: Double)] {
        text.dropFirst().dropLast().split(separator: ",").compactMap { field in
            let parts = field.split(separator: ":")
            guard parts.count == 2, let value = Double(parts[1]) else { return nil }
            return (String(parts[0].dropFirst().dropLast()), value)
        }
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95
            }
    }

    private static func number(_ value: Double) -> String {
        if let integer = Int64(exactly: value), abs(value) < 9e15 { return String(integer) }
        return "\(value)"
    }
}

/// A JSON array of integers, `[1,2]`.
enum IntegerArray {
    static func text(_ values: [some BinaryInteger & Sendable]) -> String {
        "[" + values.map { "\($0)" }.joined(separator: ",") + "]"
    }

    static func values<Integer: FixedWidthInteger>(_ text: String) -> [Integer] {
        text.dropFirst().dropLast().split(separator: ",").compactMap { Integer($0) }
    }
}
