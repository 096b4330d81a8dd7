import Foundation

/// JSON as Foundation reads it, for tests that walk through it.
enum JSONTree: Decodable, Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    init(_ bytes: [UInt8]) throws { self = try JSONDecoder().decode(JSONTree.self, from: Data(bytes)) }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONTree].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONTree].self))
        }
    }

    subscript(key: String) -> JSONTree? { members[key] }
    var members: [String: JSONTree] { if case .object(let members) = self { members } else { [:] } }
    var elements: [JSONTree] { if case .list(let elements) = self { elements } else { [] } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }

    /// Every value of this key, however deep.
    func all(_ key: String) -> [JSONTree] {
        switch self {
        case .list(let elements): elements.flatMap { $0.all(key) }
        case .object(let members): (members[key].map { [$0] } ?? []) + members.values.flatMap { $0.all(key) }
        default: []
        }
    }
}
