import JSON
import Routes

/// Writes a value as YAML 1.2 in blocks of two blanks.
///
/// Texts are always in double quotes with JSON's escapes, which YAML reads the same way; so nothing in them can be
/// taken for a number, a date, a comment or a key.
struct YAMLWriter {
    private(set) var bytes: [UInt8] = []

    init(_ value: OrderedValue) {
        switch value {
        case .list, .object: block(value, indent: 0)
        default: scalar(value)
        }
        if bytes.last != UInt8(ascii: "\n") { line("") }
    }

    /// A list or an object on lines of its own, the first of which the caller has begun with `indent` blanks.
    private mutating func block(_ value: OrderedValue, indent: Int) {
        switch value {
        case .list(let elements) where !elements.isEmpty:
            for (place, element) in elements.enumerated() {
                if place > 0 { blanks(indent) }
                write("- ")
                nested(element, indent: indent + 2, isInList: true)
            }
        case .object(let members) where !members.isEmpty:
            for (place, member) in members.enumerated() {
                if place > 0 { blanks(indent) }
                key(member.key)
                write(":")
                nested(member.value, indent: indent + 2, isInList: false)
            }
        default:
            scalar(value)
            line("")
        }
    }

    /// What stands behind a dash or a colon.
    private mutating func nested(_ value: OrderedValue, indent: Int, isInList: Bool) {
        let isBlock =
            switch value {
            case .list(let elements): !elements.isEmpty
            case .object(let members): !members.isEmpty
            default: false
            }
        if isInList { return block(value, indent: indent) }
        if isBlock {
            line("")
            blanks(indent)
        } else {
            write(" ")
        }
        block(value, indent: indent)
    }

    private mutating func scalar(_ value: OrderedValue) {
        switch value {
        case .list: write("[]")
        case .object: write("{}")
        default:
            var json = JSONWriter(capacity: 64)
            json.ordered(value)
            bytes += json.bytes
        }
    }

    /// Plain where no reader can take it for anything but text.
    private mutating func key(_ key: String) {
        let first = key.utf8.first ?? 0
        let isPlain =
            (Self.isLetter(first) || first == UInt8(ascii: "/")) && !Self.words.contains(Router.lowercased(key))
            && key.utf8.allSatisfy { Self.isLetter($0) || (0x2D...0x39).contains($0) }
        if isPlain { write(key) } else { scalar(.text(key)) }
    }

    /// Words that YAML 1.1 takes for truth values and nothing.
    private static let words: Set<String> = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private mutating func blanks(_ count: Int) { bytes += repeatElement(UInt8(ascii: " "), count: count) }

    private mutating func line(_ text: String) { write(text + "\n") }

    private mutating func write(_ text: String) { bytes += text.utf8 }
}
