/// A JSON value whose members keep their order: what the API's description is made of.
public indirect enum OrderedValue: Equatable, Sendable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([OrderedValue])
    case object([Member])

    public struct Member: Equatable, Sendable {
        public var key: String
        public var value: OrderedValue

        public init(key: String, value: OrderedValue) { (self.key, self.value) = (key, value) }
    }

    /// The value of a member; nil when there is none.
    public subscript(key: String) -> OrderedValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}

extension OrderedValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral text: String) { self = .text(text) }
    public init(integerLiteral number: Int64) { self = .integer(number) }
    public init(booleanLiteral flag: Bool) { self = .flag(flag) }
    public init(arrayLiteral elements: OrderedValue...) { self = .list(elements) }
    public init(dictionaryLiteral members: (String, OrderedValue)...) {
        self = .object(members.map { Member(key: $0.0, value: $0.1) })
    }
}

extension JSONWriter {
    public mutating func ordered(_ value: OrderedValue) {
        switch value {
        case .null: null()
        case .flag(let flag): self.value(flag)
        case .integer(let number): self.value(number)
        case .number(let number): self.value(number)
        case .text(let text): self.value(text)
        case .list(let elements): array { json in for element in elements { json.ordered(element) } }
        case .object(let members):
            object { json in
                for member in members {
                    json.key(text: member.key)
                    json.ordered(member.value)
                }
            }
        }
    }
}
