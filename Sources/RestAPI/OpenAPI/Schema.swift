/// What a JSON value looks like, in the words of JSON Schema 2020-12.
struct Schema: Sendable {
    private(set) var value: OrderedValue

    private init(_ value: OrderedValue) { self.value = value }

    private init(_ type: String, _ about: String, _ more: [OrderedValue.Member] = []) {
        var members = [OrderedValue.Member(key: "type", value: .text(type))] + more
        if !about.isEmpty { members.append(.init(key: "description", value: .text(about))) }
        value = .object(members)
    }

    // MARK: kinds

    static func text(_ about: String = "") -> Schema { Schema("string", about) }
    static func flag(_ about: String = "") -> Schema { Schema("boolean", about) }
    static func number(_ about: String = "") -> Schema { Schema("number", about) }

    static func number(_ about: String = "", in range: ClosedRange<Int64>) -> Schema {
        Schema("number", about, limits(range))
    }

    static func integer(_ about: String = "", in range: ClosedRange<Int64>? = nil) -> Schema {
        Schema("integer", about, range.map(limits) ?? [])
    }

    static func text(_ about: String, pattern: String) -> Schema {
        Schema("string", about, [.init(key: "pattern", value: .text(pattern))])
    }

    static func list(of element: Schema, _ about: String = "") -> Schema {
        Schema("array", about, [.init(key: "items", value: element.value)])
    }

    /// One of these texts.
    static func word(_ words: [String], _ about: String = "") -> Schema {
        Schema("string", about, [.init(key: "enum", value: .list(words.map { .text($0) }))])
    }

    static func constant(_ constant: OrderedValue) -> Schema { Schema(["const": constant]) }

    /// - Parameter properties: in the order in which they are sent. All are always there but those whose name ends in
    ///   a question mark.
    static func object(
        _ properties: KeyValuePairs<String, Schema>, followedBy more: KeyValuePairs<String, Schema> = [:]
    ) -> Schema {
        object("", properties, followedBy: more)
    }

    static func object(
        _ about: String, _ properties: KeyValuePairs<String, Schema>,
        followedBy more: KeyValuePairs<String, Schema> = [:]
    ) -> Schema {
        let properties = Array(properties) + Array(more)
        let all = properties.map { ($0.key.hasSuffix("?") ? String($0.key.dropLast()) : $0.key, $0.value.value) }
        let required = properties.filter { !$0.key.hasSuffix("?") }.map { OrderedValue.text($0.key) }
        var keywords = [
            OrderedValue.Member(key: "properties", value: .object(all.map { .init(key: $0.0, value: $0.1) }))
        ]
        if !required.isEmpty { keywords.append(.init(key: "required", value: .list(required))) }
        return Schema("object", about, keywords)
    }

    /// An object whose keys are data.
    static func dictionary(of value: Schema, _ about: String = "") -> Schema {
        Schema("object", about, [.init(key: "additionalProperties", value: value.value)])
    }

    static func any(of schemas: [Schema]) -> Schema { Schema(["anyOf": .list(schemas.map(\.value))]) }

    /// A schema of the document's components.
    static func named(_ name: String) -> Schema { Schema(["$ref": "#/components/schemas/\(name)"]) }

    /// With exactly one of these properties, or with at least one.
    func withOne(of names: [String], only: Bool) -> Schema {
        with(only ? "oneOf" : "anyOf", .list(names.map { ["required": [.text($0)]] }))
    }

    /// Or null.
    var orNull: Schema {
        guard case .object(var members) = value, let type = members.firstIndex(where: { $0.key == "type" }) else {
            return .any(of: [self, Schema(["type": "null"])])
        }
        members[type].value = .list([members[type].value, "null"])
        if let words = members.firstIndex(where: { $0.key == "enum" }), case .list(let list) = members[words].value {
            members[words].value = .list(list + [.null])
        }
        return Schema(.object(members))
    }

    /// With one more keyword.
    func with(_ key: String, _ keyword: OrderedValue) -> Schema {
        guard case .object(let members) = value else { return self }
        return Schema(.object(members + [.init(key: key, value: keyword)]))
    }

    private static func limits(_ range: ClosedRange<Int64>) -> [OrderedValue.Member] {
        [
            .init(key: "minimum", value: .integer(range.lowerBound)),
            .init(key: "maximum", value: .integer(range.upperBound)),
        ]
    }
}

// What the mesh's values look like.
extension Schema {
    static func nodeNumber(_ about: String = "") -> Schema { .integer(about, in: 0...4_294_967_295) }
    static func packetID(_ about: String = "") -> Schema { .integer(about, in: 0...4_294_967_295) }
    static func nodeID(_ about: String = "") -> Schema { .text(about, pattern: "^![0-9a-f]{8}$") }
    /// Of a node that can be sent to.
    static func recipient(_ about: String = "") -> Schema { .text(about, pattern: "^!(?!0{8})[0-9a-f]{8}$") }
    static func milliseconds(_ about: String) -> Schema { .integer("\(about); milliseconds since 1970") }
    static func seconds(_ about: String) -> Schema { .integer("\(about); seconds since 1970") }
    static func channelIndex(_ about: String = "") -> Schema { .integer(about, in: 0...7) }
    static func uuid(_ about: String = "") -> Schema {
        .text(about, pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
    }

    // MARK: envelopes

    /// The contract's list.
    static func rows(_ name: String) -> Schema {
        .object(["success": .constant(true), "count": .count("Rows in `data`"), "data": .list(of: .named(name))])
    }

    /// A list that is a page of more.
    static func page(of name: String, isTotalOptional: Bool = false) -> Schema {
        .object([
            "success": .constant(true), "count": .count("Rows in `data`"),
            isTotalOptional ? "total?" : "total": .count("Matching rows on all pages"),
            "offset": .count("As requested"), "limit": .count("As requested, within its bounds"),
            "data": .list(of: .named(name)),
        ])
    }

    /// The contract's envelope for one thing.
    static func item(_ schema: Schema) -> Schema { .object(["success": .constant(true), "data": schema]) }

    static func count(_ about: String) -> Schema { Schema("integer", about, [.init(key: "minimum", value: 0)]) }
}
