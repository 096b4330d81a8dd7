import Foundation
import Testing

@testable import ServedProgram
@testable import StrictJSON

/// What the types of a client let through. A test that reads an answer in this form fails where the client would.
indirect enum Form: Sendable {
    case string, bool, null
    /// Written without fraction and exponent.
    case integer
    case number
    /// This very value.
    case exactly(StrictJSON)
    case either([Form])
    case list(Form)
    /// These members have to be there; others do not matter.
    case object([String: Form])
    /// A value with a property that has a name.
    case that(String, @Sendable (StrictJSON) -> Bool)
    /// A member that may be missing.
    case mayBeMissing(Form)

    static func orNull(_ form: Form) -> Form { .either([form, .null]) }

    static func oneOf(_ texts: String...) -> Form { .either(texts.map { .exactly(.string($0)) }) }

    /// `!` and eight lower-case hexadecimal digits.
    static let nodeID = that("a node id") { $0.string?.wholeMatch(of: /![0-9a-f]{8}/) != nil }
    /// A node number or packet id.
    static let unsigned32 = that("an integer of 32 bits") { ($0.integer ?? -1) >= 0 && $0.integer! <= Int(UInt32.max) }
    /// A moment of this century, not in milliseconds.
    static let seconds = that("seconds since 1970") { (1_000_000_000..<10_000_000_000).contains($0.integer ?? 0) }
    static let milliseconds = that("milliseconds since 1970") {
        (1_000_000_000_000..<10_000_000_000_000).contains($0.integer ?? 0)
    }
    static let someText = that("a text that is not empty") { !($0.string ?? "").isEmpty }
    /// Anything with `_` and the packet id, in decimal digits, at its end.
    static let rowID = that("an id with the packet id at its end") {
        $0.string?.wholeMatch(of: /.*_[0-9]+/) != nil && $0.packetIDOfRow != nil
    }

    /// The envelope of a list.
    static func rows(_ row: Form) -> Form {
        .object(["success": .exactly(.bool(true)), "count": .integer, "data": .list(row)])
    }

    /// The envelope of one thing.
    static func item(_ form: Form) -> Form { .object(["success": .exactly(.bool(true)), "data": form]) }

    /// One sentence for everything in which a value is not of this form.
    func complaints(_ value: StrictJSON, at path: String = "$") -> [String] {
        switch (self, value) {
        case (.string, .string), (.bool, .bool), (.null, .null), (.number, .number): return []
        case (.integer, _) where value.integer != nil: return []
        case (.exactly(let wanted), _) where value == wanted: return []
        case (.either(let forms), _) where forms.contains { $0.complaints(value).isEmpty }: return []
        case (.that(_, let holds), _) where holds(value): return []
        case (.mayBeMissing(let form), _): return form.complaints(value, at: path)
        case (.list(let form), .array(let items)):
            return items.enumerated().flatMap { form.complaints($1, at: "\(path)[\($0)]") }
        case (.object(let members), .object):
            return members.sorted { $0.key < $1.key }.flatMap { key, form -> [String] in
                guard let member = value[key] else {
                    if case .mayBeMissing = form { return [] }
                    return ["\(path) has no \(key)"]
                }
                return form.complaints(member, at: "\(path).\(key)")
            }
        default: return ["\(path) is \(value), not \(self)"]
        }
    }
}

extension Form: CustomStringConvertible {
    var description: String {
        switch self {
        case .string: "a string"
        case .bool: "true or false"
        case .null: "null"
        case .integer: "an integer"
        case .number: "a number"
        case .exactly(let value): "\(value)"
        case .either(let forms): forms.map(\.description).joined(separator: " or ")
        case .list: "a list"
        case .object: "an object"
        case .that(let name, _): name
        case .mayBeMissing(let form): form.description
        }
    }
}

extension StrictJSON {
    /// What all clients cut out of a message's id: the number after the last underscore.
    var packetIDOfRow: Int? { string?.split(separator: "_").last.flatMap { UInt32($0) }.map { Int($0) } }
}

extension Answer {
    /// The body, which has to have this form, of an answer that has to have this status.
    func read(
        as form: Form, status expected: Int = 200, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> StrictJSON {
        try #require(status == expected, "\(text.prefix(500))", sourceLocation: sourceLocation)
        let value = try strict
        let complaints = form.complaints(value)
        try #require(
            complaints.isEmpty, "\(complaints.prefix(8).joined(separator: "\n"))", sourceLocation: sourceLocation)
        return value
    }
}

extension Answer {
    var strict: StrictJSON { get throws { try StrictJSON(body) } }
}
