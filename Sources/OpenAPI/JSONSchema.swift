import JSON

/// What a JSON value looks like, in the words of JSON Schema 2020-12.
struct JSONSchema: Sendable {
    private(set) var value: OrderedValue

    private init(_ value: OrderedValue) { self.value = value }

    private init(_ type: String, _ about: String, _ more: [OrderedValue.Member] = []) {
        var members = [OrderedValue.Member(key: "type", value: .text(type))] + more
        if !about.isEmpty { members.append(.init(key: "description", value: .text(about))) }
        value = .object(members)
    }

    // MARK: kinds

    static func text(_ about: String = "") -> JSONSchema { JSONSchema("string", about) }
    static func flag(_ about: String = "") -> JSONSchema { JSONSchema("boolean", about) }
    static func number(_ about: String = "") -> JSONSchema { JSONSchema("number", about) }

    static func number(_ about: String = "", in range: ClosedRange<Int64>) -> JSONSchema {
        JSONSchema("number", about, limits(range))
    }

    static func integer(_ about: String = "", in range: ClosedRange<Int64>? = nil) -> JSONSchema {
        JSONSchema("integer", about, range.map(limits) ?? [])
    }

    static func text(_ about: String, pattern: String) -> JSONSchema {
        JSONSchema("string", about, [.init(key: "pattern", value: .text(pattern))])
    }

    static func list(of element: JSONSchema, _ about: String = "") -> JSONSchema {
        JSONSchema("array", about, [.init(key: "items", value: element.value)])
    }

    /// One of these texts.
    static func word(_ words: [String], _ about: String = "") -> JSONSchema {
        JSONSchema("string", about, [.init(key: "enum", value: .list(words.map { .text($0) }))])
    }

    static func constant(_ constant: OrderedValue) -> JSONSchema { JSONSchema(["const": constant]) }

    /// - Parameter properties: in the order in which they are sent. All are always there but those whose name ends in
    ///   a question mark.
    static func object(
        _ properties: KeyValuePairs<String, JSONSchema>, followedBy more: KeyValuePairs<String, JSONSchema> = [:]
    ) -> JSONSchema {
        object("", properties, followedBy: more)
    }

    static func object(
        _ about: String, _ properties: KeyValuePairs<String, JSONSchema>,
        followedBy more: KeyValuePairs<String, JSONSchema> = [:]
    ) -> JSONSchema {
        let properties = Array(properties) + Array(more)
        let all = properties.map { ($0.key.hasSuffix("?") ? String($0.key.dropLast()) : $0.key, $0.value.value) }
        let required = properties.filter { !$0.key.hasSuffix("?") }.map { OrderedValue.text($0.key) }
        var keywords = [
            OrderedValue.Member(key: "properties", value: .object(all.map { .init(key: $0.0, value: $0.1) }))
        ]
        if !required.isEmpty { keywords.append(.init(key: "required", value: .list(required))) }
        return JSONSchema("object", about, keywords)
    }

    /// An object whose keys are data.
    static func dictionary(of value: JSONSchema, _ about: String = "") -> JSONSchema {
        JSONSchema("object", about, [.init(key: "additionalProperties", value: value.value)])
    }

    static func anything(_ about: String) -> JSONSchema { JSONSchema(["description": .text(about)]) }

    static func any(of schemas: [JSONSchema]) -> JSONSchema { JSONSchema(["anyOf": .list(schemas.map(\.value))]) }

    /// A schema of the document's components.
    static func named(_ name: String) -> JSONSchema { JSONSchema(["$ref": "#/components/schemas/\(name)"]) }

    /// With exactly one of these properties, or with at least one.
    func withOne(of names: [String], only: Bool) -> JSONSchema {
        with(only ? "oneOf" : "anyOf", .list(names.map { ["required": [.text($0)]] }))
    }

    /// Or null.
    var orNull: JSONSchema {
        guard case .object(var members) = value, let type = members.firstIndex(where: { $0.key == "type" }) else {
            return .any(of: [self, JSONSchema(["type": "null"])])
        }
        members[type].value = .list([members[type].value, "null"])
        if let words = members.firstIndex(where: { $0.key == "enum" }), case .list(let list) = members[words].value {
            members[words].value = .list(list + [.null])
        }
        return JSONSchema(.object(members))
    }

    /// Or of another type, where one or null is allowed already.
    func or(type name: String) -> JSONSchema {
        guard case .object(var members) = value, let type = members.firstIndex(where: { $0.key == "type" }),
            case .list(let types) = members[type].value
        else { return self }
        members[type].value = .list(types + [.text(name)])
        return JSONSchema(.object(members))
    }

    /// With one more keyword.
    func with(_ key: String, _ keyword: OrderedValue) -> JSONSchema {
        guard case .object(let members) = value else { return self }
        return JSONSchema(.object(members + [.init(key: key, value: keyword)]))
    }

    private static func limits(_ range: ClosedRange<Int64>) -> [OrderedValue.Member] {
        [
            .init(key: "minimum", value: .integer(range.lowerBound)),
            .init(key: "maximum", value: .integer(range.upperBound)),
        ]
    }
}

// What the mesh's values look like.
extension JSONSchema {
    static func nodeNumber(_ about: String = "") -> JSONSchema { .integer(about, in: 0...4_294_967_295) }
    static func packetID(_ about: String = "") -> JSONSchema { .integer(about, in: 0...4_294_967_295) }
    static func nodeID(_ about: String = "") -> JSONSchema { .text(about, pattern: "^![0-9a-f]{8}$") }
    /// Of a node that can be sent to.
    static func recipient(_ about: String = "") -> JSONSchema { .text(about, pattern: "^!(?!0{8})[0-9a-f]{8}$") }
    static func milliseconds(_ about: String) -> JSONSchema { .integer("\(about); milliseconds since 1970") }
    static func seconds(_ about: String) -> JSONSchema { .integer("\(about); seconds since 1970") }
    static func channelIndex(_ about: String = "") -> JSONSchema { .integer(about, in: 0...7) }
    static func uuid(_ about: String = "") -> JSONSchema {
        .text(about, pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
    }

    // MARK: envelopes

    /// The contract's list.
    static func rows(_ name: String) -> JSONSchema {
        .object(["success": .constant(true), "count": .count("Rows in `data`"), "data": .list(of: .named(name))])
    }

    /// A list that is a page of more.
    static func page(of name: String, isTotalOptional: Bool = false) -> JSONSchema {
        .object([
            "success": .constant(true), "count": .count("Rows in `data`"),
            isTotalOptional ? "total?" : "total": .count("Matching rows on all pages"),
            "offset": .count("As requested"), "limit": .count("As requested, within its bounds"),
            "data": .list(of: .named(name)),
        ])
    }

    /// The contract's envelope for one thing.
    static func item(_ schema: JSONSchema) -> JSONSchema { .object(["success": .constant(true), "data": schema]) }

    static func count(_ about: String) -> JSONSchema { JSONSchema("integer", about, [.init(key: "minimum", value: 0)]) }
}
