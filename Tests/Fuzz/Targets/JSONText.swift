/// Whether bytes are one JSON text (RFC 8259) in UTF-8.
///
/// This is asked about hundreds of millions of answers. So nothing is made of them, and the product's own parser is not
/// the judge of what the product writes.
struct JSONText {
    private var rest: UnsafeBufferPointer<UInt8>.SubSequence
    /// Beyond it nothing of ours is nested.
    private static let depth = 64

    static func isValid(_ bytes: [UInt8]) -> Bool {
        // The library's function is not slowed by the coverage that libFuzzer goes by.
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            var text = JSONText(rest: bytes[...])
            return text.skipValue(depth) && text.next == nil
        }
    }

    /// The first byte that is no blank.
    private var next: UInt8? {
        mutating get {
            while let byte = rest.first {
                if byte > 0x20 { return byte }
                guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
                rest.removeFirst()
            }
            return nil
        }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipValue(_ depth: Int) -> Bool {
        guard depth > 0, let first = next else { return false }
        switch first {
        case UInt8(ascii: "{"):
            return skipAll(until: "}") { $0.skipString() && $0.skip(":") && $0.skipValue(depth - 1) }
        case UInt8(ascii: "["): return skipAll(until: "]") { $0.skipValue(depth - 1) }
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "t"): return skipWord("true")
        case UInt8(ascii: "f"): return skipWord("false")
        case UInt8(ascii: "n"): return skipWord("null")
        default: return skipNumber()
        }
    }

    /// A bracket, and what is between commas up to the other one.
    private mutating func skipAll(until end: Unicode.Scalar, _ skipOne: (inout JSONText) -> Bool) -> Bool {
        rest.removeFirst()
        if skip(end) { return true }
        repeat {
            guard skipOne(&self) else { return false }
        } while skip(",")
        return skip(end)
    }

    private mutating func skipString() -> Bool {
        guard skip("\"") else { return false }
        while let byte = rest.popFirst() {
            if byte > UInt8(ascii: "\\") { continue }
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            guard byte == UInt8(ascii: "\\") else { continue }
            switch rest.popFirst() {
            case UInt8(ascii: "u"):
                guard rest.count >= 4, rest.prefix(4).allSatisfy(Self.isHexadecimal) else { return false }
                rest.removeFirst(4)
            case .some(let byte) where "\"\\/bfnrt".utf8.contains(byte): break
            default: return false
            }
        }
        return false
    }

    private mutating func skipNumber() -> Bool {
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        if rest.first == UInt8(ascii: "0") { rest.removeFirst() } else if !takeDigits() { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits() else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            guard takeDigits() else { return false }
        }
        return true
    }

    /// At least one.
    private mutating func takeDigits() -> Bool {
        let before = rest.count
        while let byte = rest.first, byte &- UInt8(ascii: "0") < 10 { rest.removeFirst() }
        return rest.count < before
    }

    private mutating func skipWord(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard rest.count >= count,
            rest.prefix(count).elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: count))
        else { return false }
        rest.removeFirst(count)
        return true
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
    }
}
