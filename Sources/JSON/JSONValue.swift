/// A JSON document that a client sent, as far as the API needs to look into it.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// Of a key that occurs twice the last value counts, as in JavaScript.
    case object([String: JSONValue])

    /// Nil for a missing key, for null, which is as good as absent, and outside objects.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self, let value = members[key], value != .null else { return nil }
        return value
    }

    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A number without a fraction that a Double holds exactly.
    public var integer: Int64? {
        guard case .number(let number) = self, number.magnitude <= 9_007_199_254_740_991 else { return nil }
        return Int64(exactly: number)
    }
}

extension JSONValue {
    /// Nil when the bytes are not JSON.
    ///
    /// - Parameter isOurs: an answer of this program, which may be as long as the mesh has nodes.
    public init?(_ bytes: [UInt8], isOurs: Bool = false) {
        let limit = isOurs ? Int.max : JSONParser.maximumValues
        guard let value = try? JSONParser.parse(bytes, maximumValues: limit) else { return nil }
        self = value
    }

    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    public var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }
}

/// Why a text is not JSON.
public enum JSONError: Error, Hashable {
    /// RFC 8259 does not allow what stands at this byte.
    case syntax(at: Int)
    /// Deeper or richer than any request of this API.
    case tooComplex
}

/// A strict reader of RFC 8259: no comments, no trailing commas, UTF-8 only.
///
/// Half of a surrogate pair in an escape becomes U+FFFD. Depth and number of values are limited, so that a body of
/// `[[[[…` or `[1,1,1,…` costs neither stack nor memory.
public struct JSONParser {
    public static let maximumDepth = 16
    public static let maximumValues = 10_000

    private let bytes: [UInt8]
    private var position = 0
    private var valuesLeft: Int

    public static func parse(_ bytes: [UInt8], maximumValues: Int = maximumValues) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes: bytes, maximumValues: maximumValues)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.position = 3 }
        let value = try parser.value(depth: 0)
        parser.skipBlanks()
        guard parser.position == bytes.count else { throw .syntax(at: parser.position) }
        return value
    }

    private init(bytes: [UInt8], maximumValues: Int) {
        self.bytes = bytes
        valuesLeft = maximumValues
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= Self.maximumDepth, valuesLeft > 0 else { throw .tooComplex }
        valuesLeft -= 1
        skipBlanks()
        switch current {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var members: [String: JSONValue] = [:]
        if skip(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipBlanks()
            guard current == UInt8(ascii: "\"") else { throw .syntax(at: position) }
            let key = try string()
            guard skip(UInt8(ascii: ":")) else { throw .syntax(at: position) }
            members[key] = try value(depth: depth + 1)
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw .syntax(at: position) }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        if skip(UInt8(ascii: "]")) { return .array(elements) }
        repeat { elements.append(try value(depth: depth + 1)) } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw .syntax(at: position) }
        return .array(elements)
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw .syntax(at: position) }
        position += word.utf8.count
        return value
    }

    // MARK: numbers

    private mutating func number() throws(JSONError) -> Double {
        let start = position
        skip(byte: UInt8(ascii: "-"))
        if !skip(byte: UInt8(ascii: "0")) { try digits() }
        if skip(byte: UInt8(ascii: ".")) { try digits() }
        if skip(byte: UInt8(ascii: "e")) || skip(byte: UInt8(ascii: "E")) {
            if !skip(byte: UInt8(ascii: "+")) { skip(byte: UInt8(ascii: "-")) }
            try digits()
        }
        // A number beyond the range of a Double reads as infinity, which no check of a value lets pass.
        return Double(String(decoding: bytes[start..<position], as: UTF8.self)) ?? .infinity
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw .syntax(at: position) }
    }

    // MARK: strings

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        var text: [UInt8] = []
        while true {
            let plainFrom = position
            while let byte = current, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                position += 1
            }
            text.append(contentsOf: bytes[plainFrom..<position])
            if skip(byte: UInt8(ascii: "\"")) { break }
            guard skip(byte: UInt8(ascii: "\\")) else { throw .syntax(at: position) }
            text.append(contentsOf: String(try escape()).utf8)
        }
        guard let string = String(validating: text, as: UTF8.self) else { throw .syntax(at: start) }
        return string
    }

    /// What stands behind a backslash.
    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let byte = current else { throw .syntax(at: position) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw .syntax(at: position - 1)
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let first = try fourHexDigits()
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        let afterFirst = position
        guard skip(byte: UInt8(ascii: "\\")), skip(byte: UInt8(ascii: "u")) else {
            position = afterFirst
            return "\u{FFFD}"
        }
        let second = try fourHexDigits()
        guard UTF16.isTrailSurrogate(second) else {
            position = afterFirst
            return "\u{FFFD}"
        }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func fourHexDigits() throws(JSONError) -> UInt16 {
        guard position + 4 <= bytes.count else { throw .syntax(at: position) }
        var number: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = hexDigit(byte) else { throw .syntax(at: position) }
            number = number << 4 | UInt16(digit)
        }
        position += 4
        return number
    }

    // MARK: bytes

    private mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Steps over this byte if it comes next.
    @discardableResult
    private mutating func skip(byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    /// The same behind blanks.
    private mutating func skip(_ byte: UInt8) -> Bool {
        skipBlanks()
        return skip(byte: byte)
    }
}
