/// A JSON value whose members keep their order: what the API's description is made of.
indirect enum OrderedValue: Equatable, Sendable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([OrderedValue])
    case object([Member])

    struct Member: Equatable, Sendable {
        var key: String
        var value: OrderedValue
    }

    /// The value of a member; nil when there is none.
    subscript(key: String) -> OrderedValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}

extension OrderedValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .text(text) }
    init(integerLiteral number: Int64) { self = .integer(number) }
    init(booleanLiteral flag: Bool) { self = .flag(flag) }
    init(arrayLiteral elements: OrderedValue...) { self = .list(elements) }
    init(dictionaryLiteral members: (String, OrderedValue)...) {
        self = .object(members.map { Member(key: $0.0, value: $0.1) })
    }
}

extension JSONWriter {
    mutating func ordered(_ value: OrderedValue) {
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
