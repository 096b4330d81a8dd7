import Glibc

/// The header fields of one request in one allocation: name, NUL, value, NUL, and so on. Most handlers look at two or
/// three of a dozen fields, so only these become strings.
struct HeaderFields: Sendable {
    private var bytes: [UInt8] = []

    /// Blanks and tabs around a value are no part of it (RFC 9110, 5.5). Neither name nor value holds a NUL: libmicrohttpd
    /// reads them as C strings.
    mutating func append(name: some Collection<UInt8>, value: some BidirectionalCollection<UInt8>) {
        if bytes.isEmpty { bytes.reserveCapacity(512) }
        bytes.append(contentsOf: name)
        bytes.append(0)
        // libmicrohttpd compares this one with the blanks: to it, "chunked " is no chunked body.
        let isCoding = Self.equal(name, "Transfer-Encoding".utf8)
        bytes.append(contentsOf: isCoding ? value[...] : Self.trimmed(value))
        bytes.append(0)
    }

    private static func trimmed<Value: BidirectionalCollection<UInt8>>(_ value: Value) -> Value.SubSequence {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let last = value.lastIndex(where: { !isBlank($0) }) else { return value.prefix(0) }
        return value[...last].drop(while: isBlank)
    }

    /// The first value of a field, its name in any case; bytes that are not UTF-8 become U+FFFD.
    func first(_ name: String) -> String? {
        var found: String?
        forEach(name) { value in
            found = found ?? String(decoding: value, as: UTF8.self)
        }
        return found
    }

    func all(_ name: String) -> [String] {
        var values: [String] = []
        forEach(name) { values.append(String(decoding: $0, as: UTF8.self)) }
        return values
    }

    /// Of a field with a list, what is beyond so many bytes is not looked at: nobody needs more, and reading it costs a
    /// hundred times what the rest of a request does.
    static let readBytes = 1024

    /// The elements of a field that is a list, as far as they lie whole in its first bytes.
    func elements(_ name: String) -> [Substring] {
        var (elements, left) = ([Substring](), Self.readBytes)
        forEach(name) { value in
            guard left > 0 else { return }
            let text = String(decoding: value.prefix(left), as: UTF8.self)
            var parts = text.split(separator: ",")
            // The last one may go on.
            if value.count > left { parts = Array(parts.dropLast()) }
            left -= min(value.count + 1, left)
            elements += parts
        }
        return elements
    }

    /// How many times a field was sent.
    func count(of name: String) -> Int {
        var count = 0
        forEach(name) { _ in count += 1 }
        return count
    }

    /// Whether all names are tokens (RFC 9110, 5.6.2).
    var hasTokenNames: Bool {
        var isGood = true
        forEach { name, _ in isGood = isGood && !name.isEmpty && Self.isToken(name) }
        return isGood
    }

    static func isToken(_ text: some Sequence<UInt8>) -> Bool { text.allSatisfy(isTokenByte) }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private typealias Part = Slice<UnsafeBufferPointer<UInt8>>

    private func forEach(_ wanted: String, _ body: (Part) -> Void) {
        var wanted = wanted
        wanted.withUTF8 { wanted in
            forEach { name, value in
                if Self.equal(name, wanted) { body(value) }
            }
        }
    }

    private func forEach(_ body: (_ name: Part, _ value: Part) -> Void) {
        bytes.withUnsafeBufferPointer { all in
            var start = 0
            while let nameEnd = Self.firstNUL(of: all, from: start),
                let valueEnd = Self.firstNUL(of: all, from: nameEnd + 1)
            {
                body(all[start..<nameEnd], all[(nameEnd + 1)..<valueEnd])
                start = valueEnd + 1
            }
        }
    }

    /// memchr.
    private static func firstNUL(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, let found = memchr(base + start, 0, bytes.count - start) else { return nil }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }

    /// Compares field names without regard to ASCII case.
    static func equal(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
