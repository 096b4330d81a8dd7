/// Writes compact JSON as UTF-8 into one buffer, the way a JavaScript server prints it: clients compare bytes.
///
/// No tree is built. A key must be followed by one value; a writer used out of order yields nonsense, not a trap.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// The next key or array element follows another one.
    private var needsComma = false

    init(capacity: Int = 1024) { bytes.reserveCapacity(capacity) }

    // MARK: structure

    mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
        open(UInt8(ascii: "{"))
        try members(&self)
        close(UInt8(ascii: "}"))
    }

    mutating func array(_ elements: (inout JSONWriter) throws -> Void) rethrows {
        open(UInt8(ascii: "["))
        try elements(&self)
        close(UInt8(ascii: "]"))
    }

    /// `{` or `[`, for what is written in several chunks.
    mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    /// The key is ASCII that needs no escaping.
    mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A key that is data.
    mutating func key(text: String) {
        value(text)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Hands over what was written so far and goes on in an empty buffer.
    mutating func takeChunk() -> [UInt8] {
        let chunk = bytes
        bytes = []
        bytes.reserveCapacity(chunk.count + chunk.count / 8)
        return chunk
    }

    // MARK: values

    mutating func null() { literal("null") }

    mutating func value(_ flag: Bool?) {
        guard let flag else { return null() }
        literal(flag ? "true" : "false")
    }

    mutating func value(_ number: (some BinaryInteger)?) {
        guard let number else { return null() }
        separate()
        decimal(number.magnitude, isNegative: number < 0)
    }

    mutating func value(_ text: String?) {
        guard let text else { return null() }
        separate()
        bytes.append(UInt8(ascii: "\""))
        var utf8 = text
        utf8.withUTF8 { escape($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The shortest digits that read back as the same Double, never with an exponent. NaN and infinities: null.
    mutating func value(_ number: Double?) {
        guard let number, number.isFinite else { return null() }
        separate()
        plainDecimal(number.description)
    }

    /// A value that was 32 bits wide in the radio: the shortest digits that read back as the same Float, so that
    /// 4.05 V is not shown as 4.050000190734863.
    mutating func float(_ number: Double?) {
        guard let number, number.isFinite else { return null() }
        let narrow = Float(number)
        guard Double(narrow) == number else { return value(number) }
        separate()
        plainDecimal(narrow.description)
    }

    // MARK: members

    mutating func member(_ name: StaticString, _ flag: Bool?) {
        key(name)
        value(flag)
    }

    mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?) {
        key(name)
        value(number)
    }

    mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        value(text)
    }

    mutating func member(_ name: StaticString, _ number: Double?) {
        key(name)
        value(number)
    }

    mutating func float(_ name: StaticString, _ number: Double?) {
        key(name)
        float(number)
    }

    mutating func null(_ name: StaticString) {
        key(name)
        null()
    }

    // MARK: bytes

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func literal(_ word: StaticString) {
        separate()
        bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private mutating func decimal(_ magnitude: some BinaryInteger, isNegative: Bool) {
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        var rest = UInt64(truncatingIfNeeded: magnitude)
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Escapes what RFC 8259 demands and nothing else; everything above ASCII goes out as it is.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var plainFrom = 0
        for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
            bytes.append(contentsOf: text[plainFrom..<index])
            plainFrom = index + 1
            bytes.append(UInt8(ascii: "\\"))
            switch byte {
            case 0x08: bytes.append(UInt8(ascii: "b"))
            case 0x09: bytes.append(UInt8(ascii: "t"))
            case 0x0A: bytes.append(UInt8(ascii: "n"))
            case 0x0C: bytes.append(UInt8(ascii: "f"))
            case 0x0D: bytes.append(UInt8(ascii: "r"))
            case 0x22, 0x5C: bytes.append(byte)
            default:
                bytes.append(contentsOf: "u00".utf8)
                bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
                let digit = byte & 15
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
        bytes.append(contentsOf: text[plainFrom...])
    }

    /// Rewrites Swift's `1.5`, `4.0`, `1e-05`, `-1.25e+20` without exponent and without a fraction of zero.
    private mutating func plainDecimal(_ description: String) {
        guard let mark = description.utf8.firstIndex(of: UInt8(ascii: "e")) else {
            if description == "-0.0" { return bytes.append(UInt8(ascii: "0")) }
            bytes.append(contentsOf: description.utf8)
            let end = bytes.count
            if bytes[end - 1] == UInt8(ascii: "0"), bytes[end - 2] == UInt8(ascii: ".") { bytes.removeLast(2) }
            return
        }
        let exponent = Int(description[mark...].dropFirst()) ?? 0
        scientific(description.utf8[..<mark], exponent)
    }

    /// `1.25` and 3 are 1250; `1.25` and -3 are 0.00125.
    private mutating func scientific(_ mantissa: Substring.UTF8View, _ exponent: Int) {
        var mantissa = mantissa
        if mantissa.first == UInt8(ascii: "-") { bytes.append(mantissa.removeFirst()) }
        let digits = mantissa.filter { $0 != UInt8(ascii: ".") }
        // Behind the first digit stands Swift's point; JSON's stands here.
        let point = 1 + exponent
        let zeros = { (count: Int) in repeatElement(UInt8(ascii: "0"), count: max(count, 0)) }
        if point <= 0 {
            bytes.append(contentsOf: "0.".utf8)
            bytes.append(contentsOf: zeros(-point))
            bytes.append(contentsOf: digits)
        } else {
            bytes.append(contentsOf: digits.prefix(point))
            bytes.append(contentsOf: zeros(point - digits.count))
            guard digits.count > point else { return }
            bytes.append(UInt8(ascii: "."))
            bytes.append(contentsOf: digits.dropFirst(point))
        }
    }
}
