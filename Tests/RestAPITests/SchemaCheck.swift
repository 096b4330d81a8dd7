import Foundation

/// Holds values against the schemas of an OpenAPI document, more strictly than JSON Schema does: a key that the schema
/// does not name is a mistake, and so is a word of JSON Schema that this check does not know.
final class SchemaCheck {
    let document: JSONTree
    /// The names of the schemas that some value was held against.
    private(set) var seen: Set<String> = []

    init(document: JSONTree) { self.document = document }

    /// The document as the server gives it, read once for all tests.
    static func served() throws -> SchemaCheck { SchemaCheck(document: try document.get()) }

    private static let document = Result {
        try JSONTree(TestGateway().ask("GET", "/api/v1/docs/openapi.json").body)
    }

    /// What is wrong with a value, each with its place in it.
    func mistakes(_ value: JSONTree, _ schema: JSONTree, at place: String = "") -> [String] {
        if let reference = schema["$ref"]?.text {
            guard let target = resolve(reference) else { return ["\(place): nothing is at \(reference)"] }
            if let name = reference.split(separator: "/").last { seen.insert(String(name)) }
            return mistakes(value, target, at: place)
        }
        return schema.members.flatMap { keyword, rule in
            mistakes(value, keyword, rule, schema).map { "\(place): \($0)" }
        } + inside(value, schema, place)
    }

    /// A reference within the document.
    func resolve(_ reference: String) -> JSONTree? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(document as JSONTree?) { $0?[String($1)] }
    }

    private func mistakes(
        _ value: JSONTree, _ keyword: String, _ rule: JSONTree, _ schema: JSONTree
    ) -> [String] {
        switch keyword {
        case "description", "default", "properties", "items", "additionalProperties": return []
        case "type":
            let types = rule.text.map { [$0] } ?? rule.elements.compactMap(\.text)
            return types.contains { has(value, type: $0) } ? [] : ["\(value) is no \(types)"]
        case "const": return value == rule ? [] : ["\(value) is not \(rule)"]
        case "enum": return rule.elements.contains(value) ? [] : ["\(value) is none of \(rule)"]
        case "anyOf":
            let all = rule.elements.map { mistakes(value, $0) }
            return all.contains([]) ? [] : ["\(value) is none of these: \(all)"]
        case "required":
            guard case .object(let members) = value else { return [] }
            return rule.elements.compactMap(\.text).filter { members[$0] == nil }.map { "\($0) is missing" }
        case "minimum": return (value.number ?? .infinity) < (rule.number ?? 0) ? ["\(value) is below \(rule)"] : []
        case "maximum": return (value.number ?? -.infinity) > (rule.number ?? 0) ? ["\(value) is above \(rule)"] : []
        case "minLength": return (value.text?.count).map { Double($0) < rule.number ?? 0 } == true ? ["too short"] : []
        case "pattern":
            guard let text = value.text, let pattern = rule.text else { return [] }
            let isMatch = text.range(of: pattern, options: .regularExpression) != nil
            return isMatch ? [] : ["\(text) does not match \(pattern)"]
        default: return ["a keyword that this check does not know: \(keyword)"]
        }
    }

    private func has(_ value: JSONTree, type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.flag, "boolean"), (.number, "number"), (.text, "string"), (.list, "array"),
            (.object, "object"):
            true
        case (.number(let number), "integer"): number == number.rounded()
        default: false
        }
    }

    private func inside(_ value: JSONTree, _ schema: JSONTree, _ place: String) -> [String] {
        switch value {
        case .list(let elements):
            guard let rule = schema["items"] else { return [] }
            return elements.enumerated().flatMap { mistakes($1, rule, at: "\(place)/\($0)") }
        case .object(let members):
            let rules = schema["properties"]?.members ?? [:]
            if rules.isEmpty, schema["additionalProperties"] == nil { return [] }
            return members.flatMap { key, member -> [String] in
                guard let rule = rules[key] ?? schema["additionalProperties"] else {
                    return ["\(place): what is \(key)?"]
                }
                return mistakes(member, rule, at: "\(place)/\(key)")
            }
        default: return []
        }
    }
}
