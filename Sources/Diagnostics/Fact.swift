import JSON

/// A fact that a page tells: its name there, and where its value is here.
struct Fact<Whole> {
    let write: (Whole, inout JSONWriter) -> Void
    /// What the page does not tell stays as it is.
    let read: (inout Whole, JSONValue) -> Void

    init<Value: Tellable>(_ name: StaticString, _ place: WritableKeyPath<Whole, Value>) {
        write = { whole, json in
            json.key(name)
            whole[keyPath: place].write(&json)
        }
        read = { whole, page in
            if let value = page["\(name)"].flatMap(Value.read) { whole[keyPath: place] = value }
        }
    }

    /// Milliseconds since 1970; in the page ISO 8601.
    init(time name: StaticString, _ place: WritableKeyPath<Whole, Int64?>) {
        write = { $1.member(name, $0[keyPath: place].map(ISO8601.text)) }
        read = { $0[keyPath: place] = $1["\(name)"]?.string.flatMap(ISO8601.milliseconds) }
    }

    /// Several, in an object of the page.
    init(_ name: StaticString, _ facts: [Fact]) {
        write = { whole, json in
            json.key(name)
            json.object { json in for fact in facts { fact.write(whole, &json) } }
        }
        read = { whole, page in for fact in facts { fact.read(&whole, page["\(name)"] ?? .null) } }
    }
}

/// A value as a page tells it. Nil: null.
protocol Tellable {
    static func read(_ json: JSONValue) -> Self?
    func write(_ json: inout JSONWriter)
}

/// An object of facts.
protocol Described: Tellable {
    init()
    static var facts: [Fact<Self>] { get }
}

extension Described {
    static func read(_ json: JSONValue) -> Self? {
        var new = Self()
        for fact in facts { fact.read(&new, json) }
        return new
    }

    func write(_ json: inout JSONWriter) {
        json.object { json in for fact in Self.facts { fact.write(self, &json) } }
    }
}

extension String: Tellable {
    static func read(_ json: JSONValue) -> String? { json.string }
    func write(_ json: inout JSONWriter) { json.value(self) }
}

extension Bool: Tellable {
    static func read(_ json: JSONValue) -> Bool? { json.bool }
    func write(_ json: inout JSONWriter) { json.value(self) }
}

extension Double: Tellable {
    static func read(_ json: JSONValue) -> Double? { if case .number(let number) = json { number } else { nil } }
    func write(_ json: inout JSONWriter) { json.value(self) }
}

extension FixedWidthInteger where Self: Tellable {
    static func read(_ json: JSONValue) -> Self? { json.integer.flatMap { Self(exactly: $0) } }
    func write(_ json: inout JSONWriter) { json.value(self) }
}

extension Int: Tellable {}
extension Int64: Tellable {}
extension UInt32: Tellable {}
extension UInt64: Tellable {}

extension Array: Tellable where Element: Tellable {
    static func read(_ json: JSONValue) -> [Element]? { json.array?.compactMap(Element.read) }
    func write(_ json: inout JSONWriter) { json.array { json in for element in self { element.write(&json) } } }
}

extension Optional: Tellable where Wrapped: Tellable {
    static func read(_ json: JSONValue) -> Wrapped?? { .some(Wrapped.read(json)) }
    func write(_ json: inout JSONWriter) { if let self { self.write(&json) } else { json.null() } }
}
