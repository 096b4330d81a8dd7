import Glibc

/// A recording of the bytes between a host and its radio: JSON lines, one a read, a write or an event.
///
///     {"t": 6.1, "dir": "rx", "hex": "94c30002"}      from the radio
///     {"t": 6.1, "dir": "tx", "hex": "94c300021801"}  to the radio
///     {"t": 9.0, "dir": "ev", "hex": "", "event": "port lost"}
///
/// Other keys are skipped. After an event a cut frame never continues.
public struct RecordedStream: Sendable {
    public struct Entry: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            case received([UInt8])
            case sent([UInt8])
            case event(String)
        }

        /// Seconds since the recording began.
        public var time: Double
        public var kind: Kind

        public init(time: Double, kind: Kind) {
            self.time = time
            self.kind = kind
        }
    }

    public enum Failure: Error, Hashable, CustomStringConvertible {
        case unreadable(path: String, errno: Int32)
        /// Counted from 1.
        case malformed(line: Int)

        public var description: String {
            switch self {
            case .unreadable(let path, let code):
                "cannot read the recording \(path): \(String(cString: strerror(code)))"
            case .malformed(let line): "line \(line) of the recording is not one of a recording"
            }
        }
    }

    public var entries: [Entry]

    public init(entries: [Entry]) { self.entries = entries }

    public init(contentsOfFile path: String) throws(Failure) {
        guard let file = fopen(path, "re") else { throw .unreadable(path: path, errno: errno) }
        defer { fclose(file) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            text += chunk[..<count]
        }
        if ferror(file) != 0 { throw .unreadable(path: path, errno: EIO) }
        try self.init(text)
    }

    public init(_ text: [UInt8]) throws(Failure) {
        entries = []
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
            guard let entry = Entry(line) else { throw .malformed(line: number) }
            entries.append(entry)
        }
    }
}

extension RecordedStream.Entry {
    fileprivate init?(_ line: ArraySlice<UInt8>) {
        guard let fields = FlatObject(line)?.fields, let time = fields["t"].flatMap(Double.init), time.isFinite else {
            return nil
        }
        switch fields["dir"] {
        case "rx":
            guard let bytes = fields["hex"].flatMap(Self.bytes) else { return nil }
            self.init(time: time, kind: .received(bytes))
        case "tx":
            guard let bytes = fields["hex"].flatMap(Self.bytes) else { return nil }
            self.init(time: time, kind: .sent(bytes))
        case "ev": self.init(time: time, kind: .event(fields["event"] ?? ""))
        default: return nil
        }
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        let digits = Array(hex.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// One JSON object of strings and numbers, which is all that a recording has. Numbers are kept as their text.
private struct FlatObject {
    var fields: [String: String] = [:]
    private var rest: ArraySlice<UInt8>

    init?(_ line: ArraySlice<UInt8>) {
        rest = line
        guard take("{") else { return nil }
        if !take("}") {
            repeat {
                guard let key = string(), take(":"), let value = string() ?? word() else { return nil }
                fields[key] = value
            } while take(",")
            guard take("}") else { return nil }
        }
        skipBlanks()
        guard rest.isEmpty else { return nil }
    }

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func word() -> String? {
        skipBlanks()
        let word = rest.prefix { (0x2B...0x7A).contains($0) && $0 != UInt8(ascii: ",") }
        rest = rest.dropFirst(word.count)
        return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    private mutating func string() -> String? {
        let before = rest
        guard take("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let unescaped = escape() else { return nil }
                bytes += unescaped
            default: bytes.append(byte)
            }
        }
        rest = before
        return nil
    }

    private mutating func escape() -> [UInt8]? {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): return [UInt8(ascii: "\n")]
        case UInt8(ascii: "t"): return [UInt8(ascii: "\t")]
        case UInt8(ascii: "r"): return [UInt8(ascii: "\r")]
        case UInt8(ascii: "u"):
            let digits = String(decoding: rest.prefix(4), as: UTF8.self)
            rest = rest.dropFirst(4)
            // Half of a surrogate pair is no scalar; an event's words have none.
            guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else { return nil }
            return Array(String(Character(scalar)).utf8)
        case .some(let other): return [other]
        case nil: return nil
        }
    }
}
