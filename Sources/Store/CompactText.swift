import MeshModel

// Values that come in varying sets (metrics, the rarer fields of a position, the hops of a route) are one column of
// JSON each: a person with the sqlite3 shell can read it, and SQL can look into it.

/// A JSON object of numbers, `{"name":value,…}`, with names of letters, digits and underscores.
enum NumberObject {
    static func text(_ fields: [(name: String, value: Double)]) -> String {
        // Bytes: with each telemetry packet, a string that grows by pieces would cost nearly twice as much.
        var text: [UInt8] = []
        text.reserveCapacity(160)
        for (name, value) in fields where isName(name) && value.isFinite {
            text.append(UInt8(ascii: text.isEmpty ? "{" : ","))
            text.append(UInt8(ascii: "\""))
            text += name.utf8
            text.append(UInt8(ascii: "\""))
            text.append(UInt8(ascii: ":"))
            append(value, to: &text)
        }
        if text.isEmpty { text.append(UInt8(ascii: "{")) }
        text.append(UInt8(ascii: "}"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads what ``text(_:)`` has written. A page of a series is hundreds of these, so nothing is cut into strings but
    /// the names.
    static func fields(_ text: String) -> [(name: String, value: Double)] {
        var text = text
        return text.withUTF8 { bytes in
            var fields: [(name: String, value: Double)] = []
            var rest = bytes[...].dropFirst()
            while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
                let end = rest[colon...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
                let name = rest[..<colon].dropFirst().dropLast()
                if let value = number(rest[(colon + 1)..<(end ?? rest.endIndex)]) {
                    fields.append((String(decoding: name, as: UTF8.self), value))
                }
                guard let end else { break }
                rest = rest[(end + 1)...]
            }
            return fields
        }
    }

    /// The value of one field of what ``text(_:)`` has written; nil if there is none.
    static func value(of name: String, in text: String) -> Double? {
        var (name, text) = (name, text)
        return name.withUTF8 { name in
            text.withUTF8 { bytes in
                // `{"name":value,` or `,"name":value}`: a name has neither commas nor quotes in it.
                var place = 2
                while place + name.count + 2 < bytes.count {
                    let end = place + name.count
                    if bytes[end] == UInt8(ascii: "\""), bytes[place..<end].elementsEqual(name) {
                        let rest = bytes[(end + 2)...]
                        return number(rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") })
                    }
                    while place < bytes.count, bytes[place] != UInt8(ascii: ",") { place += 1 }
                    place += 2
                }
                return nil
            }
        }
    }

    /// A decimal of up to 15 digits is a whole number divided by a power of ten, both of which a Double holds exactly,
    /// so that the quotient is rounded as reading the decimal would be. Longer ones and exponents are left to the library.
    private static func number(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Double? {
        var (whole, scale, digits, hasPoint) = (Int64(0), 1.0, 0, false)
        let isNegative = text.first == UInt8(ascii: "-")
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9") where digits < 15:
                whole = whole * 10 + Int64(byte - UInt8(ascii: "0"))
                digits += 1
                if hasPoint { scale *= 10 }
            case UInt8(ascii: ".") where !hasPoint && digits > 0: hasPoint = true
            default: return Double(String(decoding: text, as: UTF8.self))
            }
        }
        guard digits > 0 else { return nil }
        return Double(isNegative ? -whole : whole) / scale
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95
            }
    }

    private static func append(_ value: Double, to text: inout [UInt8]) {
        if let integer = Int64(exactly: value), abs(value) < 9e15 { return append(integer, decimals: 0, to: &text) }
        // Radios measure with a few decimals. The first number of them that gives the value back is the shortest text for it, as
        // long as a Double holds all the digits.
        if abs(value) >= 0.001, abs(value) < 1e6 {
            var (power, decimals) = (10.0, 1)
            while decimals <= 6 {
                let whole = (value * power).rounded()
                if whole / power == value { return append(Int64(whole), decimals: decimals, to: &text) }
                (power, decimals) = (power * 10, decimals + 1)
            }
        }
        text += value.description.utf8
    }

    private static func append(_ whole: Int64, decimals: Int, to text: inout [UInt8]) {
        if whole < 0 { text.append(UInt8(ascii: "-")) }
        var (rest, place) = (whole.magnitude, 0)
        let start = text.count
        repeat {
            if place == decimals, place > 0 { text.append(UInt8(ascii: ".")) }
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            (rest, place) = (rest / 10, place + 1)
        } while rest > 0 || place <= decimals
        text[start...].reverse()
    }
}

/// A JSON array of integers, `[1,2]`.
enum IntegerArray {
    static func text(_ values: [some BinaryInteger & Sendable]) -> String {
        "[" + values.map { "\($0)" }.joined(separator: ",") + "]"
    }

    static func values<Integer: FixedWidthInteger>(_ text: String) -> [Integer] {
        text.dropFirst().dropLast().split(separator: ",").compactMap { Integer($0) }
    }
}
