import Foundation

/// JSON read as strictly as the strictest client reads it: 1 is neither `true` nor 1.0, the keys of an object keep
/// their order and stand there once, and nothing follows the value.
indirect enum StrictJSON: Equatable, Sendable {
    case null
    case bool(Bool)
    /// As it was written.
    case number(String)
    case string(String)
    case array([StrictJSON])
    case object([Member])

    struct Member: Equatable, Sendable {
        let key: String
        let value: StrictJSON
    }

    init(_ bytes: Data) throws {
        var parser = Parser(bytes: Array(bytes))
        self = try parser.wholeText()
    }

    /// A member; nil where there is none.
    subscript(_ key: String) -> StrictJSON? {
        if case .object(let members) = self { members.first { $0.key == key }?.value } else { nil }
    }

    var keys: [String] { if case .object(let members) = self { members.map(\.key) } else { [] } }
    var rows: [StrictJSON] { if case .array(let rows) = self { rows } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// A number that was written without fraction and exponent.
    var integer: Int? { if case .number(let literal) = self { Int(literal) } else { nil } }
    var double: Double? { if case .number(let literal) = self { Double(literal) } else { nil } }
    /// JSON inside a string.
    var inner: StrictJSON? { string.flatMap { try? StrictJSON(Data($0.utf8)) } }
}

extension StrictJSON {
    /// What is wrong, and where.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// RFC 8259, and no more than that.
    private struct Parser {
        let bytes: [UInt8]
        var place = 0

        mutating func wholeText() throws -> StrictJSON {
            let value = try value()
            skipBlanks()
            guard place == bytes.count else { throw failure("something follows the value") }
            return value
        }

        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        private func failure(_ what: String) -> Malformed {
            let around = bytes[max(0, place - 40)..<min(bytes.count, place + 40)]
            return Malformed(description: "\(what) at byte \(place): \(String(decoding: around, as: UTF8.self))")
        }

        private mutating func skipBlanks() {
            while let byte = next, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { place += 1 }
        }

        private mutating func skip(_ text: StaticString) -> Bool {
            let count = text.utf8CodeUnitCount
            guard place + count <= bytes.count else { return false }
            for offset in 0..<count where bytes[place + offset] != text.utf8Start[offset] { return false }
            place += count
            return true
        }

        private mutating func value() throws -> StrictJSON {
            skipBlanks()
            if skip("null") { return .null }
            if skip("true") { return .bool(true) }
            if skip("false") { return .bool(false) }
            switch next {
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "["): return .array(try list(until: "]") { try $0.value() })
            case UInt8(ascii: "{"): return try object()
            default: return .number(try number())
            }
        }

        private mutating func object() throws -> StrictJSON {
            let members = try list(until: "}") { parser -> Member in
                parser.skipBlanks()
                let key = try parser.string()
                parser.skipBlanks()
                guard parser.skip(":") else { throw parser.failure("no colon") }
                return Member(key: key, value: try parser.value())
            }
            guard Set(members.map(\.key)).count == members.count else { throw failure("a key stands there twice") }
            return .object(members)
        }

        private mutating func list<Item>(
            until end: StaticString, _ item: (inout Parser) throws -> Item
        ) throws -> [Item] {
            place += 1
            skipBlanks()
            var items: [Item] = []
            if skip(end) { return items }
            while true {
                items.append(try item(&self))
                skipBlanks()
                if skip(end) { return items }
                guard skip(",") else { throw failure("no comma") }
            }
        }

        private mutating func number() throws -> String {
            let start = place
            _ = skip("-")
            let isZero = next == UInt8(ascii: "0")
            let digits = skipDigits()
            guard digits > 0, !isZero || digits == 1 else { throw failure("no value") }
            if skip("."), skipDigits() == 0 { throw failure("no digit behind the point") }
            if skip("e") || skip("E") {
                _ = skip("+") || skip("-")
                guard skipDigits() > 0 else { throw failure("no exponent") }
            }
            return String(decoding: bytes[start..<place], as: UTF8.self)
        }

        /// How many there were.
        private mutating func skipDigits() -> Int {
            let start = place
            while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
            return place - start
        }

        /// The escapes are left to Foundation; what must stand escaped is checked here.
        private mutating func string() throws -> String {
            let start = place
            guard skip("\"") else { throw failure("no string") }
            var isPlain = true
            while let byte = next, byte != UInt8(ascii: "\"") {
                guard byte >= 0x20 else { throw failure("a bare control character") }
                if byte == UInt8(ascii: "\\") { isPlain = false }
                place += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            guard skip("\"") else { throw failure("an endless string") }
            let quoted = bytes[start..<place]
            guard let text = String(validating: quoted, as: UTF8.self) else { throw failure("no UTF-8") }
            if isPlain { return String(text.dropFirst().dropLast()) }
            do {
                return try JSONDecoder().decode(String.self, from: Data(quoted))
            } catch {
                throw failure("a malformed string")
            }
        }
    }
}
