import Foundation

/// A JSON Schema of `deploy/schemas`, as far as these schemas go: type, const, enum, properties, required,
/// additionalProperties, items, minimum and maximum.
struct PublishedSchema {
    private let schema: JSON

    init(_ name: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy/schemas")
        schema = try JSONDecoder().decode(JSON.self, from: Data(contentsOf: folder.appending(path: "\(name).json")))
    }

    /// Where a value is not as the schema says, and why.
    func flaws(of value: JSON) -> [String] { Self.flaws(value, schema, "$") }

    private static func flaws(_ value: JSON, _ schema: JSON, _ path: String) -> [String] {
        var flaws: [String] = []
        if schema["const"] != .null, schema["const"] != value { flaws.append("\(path): not \(schema["const"])") }
        if case .array(let choices) = schema["enum"], !choices.contains(value) {
            flaws.append("\(path): not one of \(choices)")
        }
        let types = schema["type"].string.map { [$0] } ?? schema["type"].rows.compactMap(\.string)
        if !types.isEmpty, !types.contains(where: { isOf($0, value) }) { return flaws + ["\(path): no \(types)"] }
        if let number = value.integer {
            if let least = schema["minimum"].integer, number < least { flaws.append("\(path): below \(least)") }
            if let most = schema["maximum"].integer, number > most { flaws.append("\(path): above \(most)") }
        }
        if case .object(let members) = value, case .object(let properties) = schema["properties"] {
            for name in schema["required"].rows.compactMap(\.string) where members[name] == nil {
                flaws.append("\(path).\(name): missing")
            }
            for (name, member) in members {
                if let inner = properties[name] {
                    flaws += Self.flaws(member, inner, "\(path).\(name)")
                } else if schema["additionalProperties"] == false {
                    flaws.append("\(path).\(name): unknown")
                }
            }
        }
        if schema["items"] != .null {
            for (index, row) in value.rows.enumerated() {
                flaws += Self.flaws(row, schema["items"], "\(path)[\(index)]")
            }
        }
        return flaws
    }

    private static func isOf(_ type: String, _ value: JSON) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object),
            ("integer", .integer), ("number", .integer), ("number", .number):
            true
        default: false
        }
    }
}
