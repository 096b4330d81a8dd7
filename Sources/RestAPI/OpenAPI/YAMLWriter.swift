import Routes

/// Writes JSON as YAML 1.2 in blocks of two blanks.
///
/// Texts are always in double quotes with JSON's escapes, which YAML reads the same way; so nothing in them can be
/// taken for a number, a date, a comment or a key.
struct YAMLWriter {
    private(set) var bytes: [UInt8] = []
    /// What is not read yet.
    private var rest: ArraySlice<UInt8>

    /// - Parameter json: without blanks, as ``JSONWriter`` prints it.
    init(json: [UInt8]) {
        rest = json[...]
        block(indent: 0)
        if bytes.last != UInt8(ascii: "\n") { line() }
    }

    /// The next value on lines of its own, the first of which the caller has begun with `indent` blanks.
    private mutating func block(indent: Int) {
        guard isBlock else {
            scalar()
            return line()
        }
        let isList = rest.removeFirst() == UInt8(ascii: "[")
        var isFirst = true
        while rest.first != UInt8(ascii: "]"), rest.first != UInt8(ascii: "}") {
            if !isFirst {
                rest.removeFirst()
                blanks(indent)
            }
            isFirst = false
            if isList {
                write("- ")
                block(indent: indent + 2)
            } else {
                key()
                member(indent: indent + 2)
            }
        }
        rest.removeFirst()
    }

    /// What stands behind a key.
    private mutating func member(indent: Int) {
        // The colon.
        rest.removeFirst()
        write(":")
        if isBlock {
            line()
            blanks(indent)
        } else {
            write(" ")
        }
        block(indent: indent)
    }

    /// Whether the next value is a list or an object with something in it.
    private var isBlock: Bool {
        switch rest.first {
        case UInt8(ascii: "["): rest.dropFirst().first != UInt8(ascii: "]")
        case UInt8(ascii: "{"): rest.dropFirst().first != UInt8(ascii: "}")
        default: false
        }
    }

    /// As it stands there: a text, a number, a word, or a list or an object with nothing in it.
    private mutating func scalar() {
        let value =
            switch rest.first {
            case UInt8(ascii: "\""): text
            case UInt8(ascii: "["), UInt8(ascii: "{"): rest.prefix(2)
            default: rest.prefix { !",]}".utf8.contains($0) }
            }
        bytes += value
        rest = rest.dropFirst(value.count)
    }

    /// The text at the front, with its quotation marks.
    private var text: ArraySlice<UInt8> {
        var end = rest.startIndex + 1
        while rest[end] != UInt8(ascii: "\"") { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
        return rest[...end]
    }

    /// Plain where no reader can take it for anything but text.
    private mutating func key() {
        let quoted = text
        let key = quoted.dropFirst().dropLast()
        let first = key.first ?? 0
        let isPlain =
            (Self.isLetter(first) || first == UInt8(ascii: "/"))
            && !Self.words.contains(Router.lowercased(String(decoding: key, as: UTF8.self)))
            && key.allSatisfy { Self.isLetter($0) || (0x2D...0x39).contains($0) }
        bytes += isPlain ? key : quoted
        rest = rest.dropFirst(quoted.count)
    }

    /// Words that YAML 1.1 takes for truth values and nothing.
    private static let words: Set<String> = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private mutating func blanks(_ count: Int) { bytes += repeatElement(UInt8(ascii: " "), count: count) }

    private mutating func line() { bytes.append(UInt8(ascii: "\n")) }

    private mutating func write(_ text: String) { bytes += text.utf8 }
}
